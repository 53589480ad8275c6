//! One solution of a wide board by conflict-minimising local search, after Sosič and Gu (1994).
//!
//! Queens start as a permutation of the columns, each placed at random where its diagonals are free as long as a
//! few tries find such a column, so that only some dozens at the end attack others. Then two of them exchange
//! their columns whenever that lowers the number of conflicts. On a board of any width this comes down to none
//! after a number of exchanges that hardly grows, so that the time is linear in the size. It proves nothing: a
//! board that has no solution just never yields one.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Problem;
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// How many columns a queen tries at the start before it takes any.
const TRIES: usize = 50;

/// How many partners a queen tries to exchange columns with before the next one's turn.
const PARTNERS: usize = 200;

/// After so many rounds without a lower number of conflicts it gives up.
const PATIENCE: u32 = 10;

/// How many steps pass between two looks at the budget; one takes some tens of nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 12;

/// A random solution of `problem`, whose queens attack as in chess and which has no regions: the column of the
/// queen in each row. `None` if this attempt came to nothing, as few do on a plain board. Not every solution is equally
/// likely. Takes time linear in the size.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn place(
    problem: &Problem,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let mut board = Board::new(problem, budget)?;
    board.fill(rng, budget)?;
    Ok(board.repair(rng, budget)?.then_some(board.columns))
}

/// A queen in each row and column, and how many share each diagonal.
struct Board<'a> {
    size: usize,
    columns: Vec<u32>,
    /// The rows whose queens may move.
    open: Vec<u32>,
    /// Squares where no queen may stand, in order.
    blocked: &'a [Square],
    /// The number of queens on each diagonal, by `row + col`.
    rising: Vec<u32>,
    /// The same by `row - col + size`.
    falling: Vec<u32>,
}

impl<'a> Board<'a> {
    /// The given queens in their places; those of the open rows in the free columns, in order, on no diagonal yet.
    fn new(problem: &'a Problem, budget: &Budget) -> Result<Self, Interrupted> {
        let size = problem.size() as usize;
        let mut is_given = vec![false; size];
        let mut is_taken = vec![false; size];
        let mut columns = vec![0; size];
        for queen in problem.queens() {
            is_given[queen.row as usize] = true;
            is_taken[queen.col as usize] = true;
            columns[queen.row as usize] = queen.col;
        }
        budget.check()?;
        let open: Vec<u32> = (0..problem.size()).filter(|&row| !is_given[row as usize]).collect();
        let free = (0..problem.size()).filter(|&col| !is_taken[col as usize]);
        for (&row, col) in open.iter().zip(free) {
            columns[row as usize] = col;
        }
        budget.check()?;
        let blocked = problem.blocked();
        let mut board =
            Self { size, columns, open, blocked, rising: vec![0; 2 * size], falling: vec![0; 2 * size] };
        for &queen in problem.queens() {
            board.add(queen);
        }
        Ok(board)
    }

    /// Puts the queens of the open rows on the board, one after the other in random columns, without conflicts as
    /// long as that is easy.
    fn fill(&mut self, rng: &mut ChaCha8Rng, budget: &Budget) -> Result<(), Interrupted> {
        let mut pacer = budget.pacer(STEPS_PER_CHECK);
        for place in 0..self.open.len() {
            let row = self.open[place];
            let mut partner = row;
            for _ in 0..TRIES {
                pacer.tick()?;
                partner = self.open[rng.random_range(place..self.open.len())];
                if self.conflicts(Square::new(row, self.columns[partner as usize])) == 0 {
                    break;
                }
            }
            self.columns.swap(row as usize, partner as usize);
            self.add(self.queen(row));
        }
        Ok(())
    }

    /// Exchanges columns until no queen has a conflict; false when it doesn't come to that.
    fn repair(&mut self, rng: &mut ChaCha8Rng, budget: &Budget) -> Result<bool, Interrupted> {
        let mut pacer = budget.pacer(STEPS_PER_CHECK);
        let mut fewest = usize::MAX;
        let mut patience = PATIENCE;
        loop {
            let mut unhappy = Vec::new();
            for &row in &self.open {
                pacer.tick()?;
                if self.is_in_conflict(row) {
                    unhappy.push(row);
                }
            }
            if unhappy.is_empty() {
                return Ok(true);
            }
            if unhappy.len() < fewest {
                fewest = unhappy.len();
                patience = PATIENCE;
            } else if patience == 0 {
                return Ok(false);
            } else {
                patience -= 1;
            }
            for row in unhappy {
                for _ in 0..PARTNERS {
                    pacer.tick()?;
                    if !self.is_in_conflict(row) {
                        break;
                    }
                    let other = self.open[rng.random_range(0..self.open.len())];
                    self.exchange_if_better(row, other);
                }
            }
        }
    }

    /// Exchanges the columns of two rows if that leaves fewer conflicts.
    fn exchange_if_better(&mut self, row: u32, other: u32) {
        if row == other {
            return;
        }
        let (one, two) = (self.queen(row), self.queen(other));
        let before = self.remove(one) + self.remove(two);
        let (new_one, new_two) = (Square::new(row, two.col), Square::new(other, one.col));
        let after = self.add(new_one) + self.add(new_two);
        if after < before {
            self.columns.swap(row as usize, other as usize);
        } else {
            self.remove(new_two);
            self.remove(new_one);
            self.add(one);
            self.add(two);
        }
    }

    fn queen(&self, row: u32) -> Square {
        Square::new(row, self.columns[row as usize])
    }

    /// How many others the queen on a square, where none is counted yet, would meet on its diagonals; more where
    /// it may not stand.
    fn conflicts(&self, square: Square) -> u32 {
        let (rising, falling) = self.diagonals(square);
        let blocked = self.blocked.binary_search(&square).is_ok();
        self.rising[rising] + self.falling[falling] + u32::from(blocked)
    }

    fn is_in_conflict(&self, row: u32) -> bool {
        // The queen itself is on both diagonals.
        self.conflicts(self.queen(row)) > 2
    }

    /// Counts a queen in; returns how many conflicts that makes.
    fn add(&mut self, square: Square) -> u32 {
        let conflicts = self.conflicts(square);
        let (rising, falling) = self.diagonals(square);
        self.rising[rising] += 1;
        self.falling[falling] += 1;
        conflicts
    }

    /// Counts a queen out; returns how many conflicts that ends.
    fn remove(&mut self, square: Square) -> u32 {
        let (rising, falling) = self.diagonals(square);
        self.rising[rising] -= 1;
        self.falling[falling] -= 1;
        self.conflicts(square)
    }

    fn diagonals(&self, square: Square) -> (usize, usize) {
        let (row, col) = (square.row as usize, square.col as usize);
        (row + col, row + self.size - col)
    }
}
