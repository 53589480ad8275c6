//! Random solutions: each equally likely where the board allows it, and said so.
//!
//! Where the solutions can be counted, one of them is drawn by its number. Where queens only mustn't touch,
//! random permutations are drawn until one is a solution: one in e² = 7.4 is, on a plain board of any width.
//! Everywhere else some solution is found, but not each with the same likelihood: random slopes and shifts do on the
//! plain torus, and random [searches](restarts) on all other boards.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::constraint::{self, Order};
use super::count::{self, touch};
use super::{Attack, Method, Problem, restarts, skip};
use crate::puzzles::{Budget, Interrupted, Outcome};

/// The most open rows whose solutions are counted in order to draw one: under a second.
const COUNTED_ROWS: usize = 16;

/// How many steps are spent on counting the solutions of a constrained board in order to draw one.
const COUNTED_STEPS: u64 = 200_000;

/// A way to draw solutions of a problem, the same ones for the same seed.
pub struct Sampler<'a> {
    problem: &'a Problem,
    rng: ChaCha8Rng,
    way: Way,
}

/// How a solution is drawn.
enum Way {
    /// By number, of so many.
    Number(u64),
    /// By number, from the table.
    Table(touch::Table),
    /// Permutations until one is a solution.
    Permutations,
    /// A knight's move in general, on the torus.
    Slope,
    /// Random searches.
    Search,
}

impl<'a> Sampler<'a> {
    /// Draws solutions of `problem`, which isn't one that is impossible [at once](super::impossible::at_once),
    /// with this seed. Counts them first where that is quick.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn new(problem: &'a Problem, seed: u64, budget: &Budget) -> Result<Self, Interrupted> {
        let open = problem.size() as usize - problem.queens().len();
        let has_regions = problem.regions().is_some();
        let way = match problem.attack() {
            Attack::Touch if !has_regions && open <= touch::MAX_OPEN_ROWS => {
                Way::Table(touch::Table::new(problem, budget)?)
            }
            Attack::Touch if problem.is_plain() => Way::Permutations,
            Attack::Queen if !has_regions && open <= COUNTED_ROWS && problem.size() <= 32 => {
                Way::Number(count::solutions(problem, budget, None)?)
            }
            Attack::Queen if problem.is_plain() => Way::Search,
            _ => match counted(problem, budget)? {
                Some(solutions) => Way::Number(solutions),
                None if problem.is_plain() => Way::Slope,
                None => Way::Search,
            },
        };
        Ok(Self { problem, rng: ChaCha8Rng::seed_from_u64(seed), way })
    }

    /// Whether each solution is equally likely.
    #[must_use]
    pub const fn is_uniform(&self) -> bool {
        matches!(self.way, Way::Number(_) | Way::Table(_) | Way::Permutations)
    }

    /// A solution, drawn independently of those before, and how it was found: the column of the queen in each row.
    /// `None` when there is none.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn draw(&mut self, budget: &Budget) -> Result<Option<(Method, Vec<u32>)>, Interrupted> {
        budget.check()?;
        let (method, columns) = match &self.way {
            Way::Number(0) => return Ok(None),
            &Way::Number(solutions) => {
                let number = self.rng.random_range(0..solutions);
                (Method::Counting, skip::nth(self.problem, number, Some(solutions), budget)?)
            }
            Way::Table(table) if table.solutions() == 0 => return Ok(None),
            Way::Table(table) => (Method::Counting, table.nth(self.rng.random_range(0..table.solutions()))),
            Way::Permutations => (Method::Rejection, Some(self.permutation(budget)?)),
            Way::Slope => (Method::Construction, Some(self.slope())),
            Way::Search => {
                return Ok(match restarts::find(self.problem, &mut self.rng, budget)? {
                    Outcome::Solved(found) => Some(found),
                    Outcome::Impossible(_) => None,
                });
            }
        };
        Ok(columns.map(|columns| (method, columns)))
    }

    /// A random permutation without neighbours that differ by one.
    fn permutation(&mut self, budget: &Budget) -> Result<Vec<u32>, Interrupted> {
        let mut columns: Vec<u32> = (0..self.problem.size()).collect();
        loop {
            budget.check()?;
            columns.shuffle(&mut self.rng);
            if columns.windows(2).all(|pair| pair[0].abs_diff(pair[1]) > 1) {
                return Ok(columns);
            }
        }
    }

    /// A solution of the plain torus whose queens stand a constant number of columns further right in each row:
    /// as many as have no common divisor with the size, nor their two neighbours, so that columns and both
    /// diagonals are all different.
    fn slope(&mut self) -> Vec<u32> {
        let size = u64::from(self.problem.size());
        let is_slope =
            |step: u64| [step, step + 1, step + size - 1].iter().all(|&factor| are_coprime(factor, size));
        // The knight's move is one, on every torus that has a solution.
        let step =
            (0..size).map(|_| self.rng.random_range(0..size)).find(|&step| is_slope(step)).unwrap_or(2);
        let shift = self.rng.random_range(0..size);
        (0..size).map(|row| ((shift + step * row) % size) as u32).collect()
    }
}

/// The number of solutions of a constrained board, if it is found soon.
fn counted(problem: &Problem, budget: &Budget) -> Result<Option<u64>, Interrupted> {
    if problem.size() > Problem::MAX_ORDERED_SIZE {
        return Ok(None);
    }
    constraint::search(problem, Order::FewestFirst).count_within(COUNTED_STEPS, budget)
}

/// Whether two numbers have no common divisor but 1.
const fn are_coprime(mut one: u64, mut other: u64) -> bool {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}
