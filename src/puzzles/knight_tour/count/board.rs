//! The order in which the squares of a board are dealt with, and what happens in each one's turn.

use crate::board::{Size, Square};

use super::super::Problem;
use super::super::frontier::{Later, Role, State, Turn};

/// The board as it is counted: no higher than wide, column by column.
pub(super) struct Board<'a> {
    problem: &'a Problem,
    rows: usize,
    cols: usize,
    /// By number, column by column: whether the square is part of the board.
    open: Vec<bool>,
    /// The moves as (rows, columns).
    moves: Vec<(i32, i32)>,
}

impl<'a> Board<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let size = problem.size();
        let upright = if size.rows() <= size.cols() { size } else { size.transposed() };
        let (rows, cols) = (upright.rows(), upright.cols());
        const ORDER: [(i32, i32); 8] =
            [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let moves = problem.leaper().moves(upright, &ORDER);
        let mut board = Self { problem, rows, cols, open: vec![true; size.squares()], moves };
        for &square in problem.blocked() {
            let number = board.number(square);
            board.open[number] = false;
        }
        board
    }

    /// The number of a square of the problem.
    fn number(&self, square: Square) -> usize {
        let size = self.problem.size();
        let square = if size.rows() <= size.cols() { square } else { square.transposed() };
        square.col as usize * self.rows + square.row as usize
    }

    /// The squares that a move joins to the one with this number.
    fn neighbours(&self, number: usize) -> impl Iterator<Item = usize> {
        let upright = Size::new(self.rows as u32, self.cols as u32).expect("the board, maybe turned");
        let square = Square::new((number % self.rows) as u32, (number / self.rows) as u32);
        self.moves
            .iter()
            .filter_map(move |&(down, right)| upright.offset(square, down, right))
            .map(|square| square.col as usize * self.rows + square.row as usize)
            .filter(|&number| self.open[number])
    }

    /// The numbers of all squares that are part of the board.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.open.len()).filter(|&number| self.open[number])
    }

    /// When each square comes into the frontier: with the first move that can lead there, or when it is its turn.
    fn entries(&self) -> Vec<usize> {
        (0..self.open.len()).map(|number| self.neighbours(number).fold(number, usize::min)).collect()
    }

    /// The most squares that are in the frontier together, with the one whose turn it is. O(squares).
    pub(super) fn widest_frontier(&self) -> usize {
        let mut entering = vec![0_usize; self.open.len()];
        let entries = self.entries();
        for number in self.numbers() {
            entering[entries[number]] += 1;
        }
        let (mut frontier, mut widest) = (0, 0);
        for number in self.numbers() {
            frontier += entering[number];
            widest = widest.max(frontier);
            frontier -= 1;
        }
        widest
    }

    /// What the squares can be.
    fn roles(&self) -> Vec<Role> {
        let problem = self.problem;
        let ends: Vec<usize> =
            [problem.start(), problem.end()].into_iter().flatten().map(|end| self.number(end)).collect();
        let majority = self.majority();
        (0..self.open.len())
            .map(|number| {
                if self.is_closed() {
                    Role::Inner
                } else if ends.contains(&number) {
                    Role::End
                } else if ends.len() == 2 || majority.is_some_and(|majority| self.color(number) != majority) {
                    Role::Inner
                } else {
                    Role::Either
                }
            })
            .collect()
    }

    /// Whether the tour is closed and any of its moves may be the closing one.
    fn is_closed(&self) -> bool {
        self.problem.closed() && (self.problem.start().is_none() || self.problem.end().is_none())
    }

    fn color(&self, number: usize) -> usize {
        (number % self.rows + number / self.rows) % 2
    }

    fn changes_colour(&self) -> bool {
        let (a, b) = self.problem.leaper().distances();
        (a ^ b) & 1 == 1
    }

    /// The colour that an open tour begins and ends on, if moves change the colour and there are more squares of one.
    fn majority(&self) -> Option<usize> {
        let ones = self.numbers().filter(|&number| self.color(number) == 1).count();
        let zeros = self.problem.square_count() - ones;
        (self.changes_colour() && zeros != ones).then_some(usize::from(ones > zeros))
    }

    /// What happens, square by square. O(squares).
    pub(super) fn steps(&self) -> Vec<Step> {
        const NONE: usize = usize::MAX;
        let roles = self.roles();
        let ends_differ = self.changes_colour() && self.majority().is_none();
        let mirrored = self.is_mirrored();
        let entries = self.entries();
        let all_entered = self.numbers().map(|number| entries[number]).max().unwrap_or(0);
        let mut slots = vec![NONE; self.open.len()];
        // Free slots, the lowest last.
        let mut free: Vec<usize> = (0..self.widest_frontier()).rev().collect();
        let mut steps: Vec<Step> = Vec::with_capacity(self.open.len());
        let mut open = self.numbers().peekable();
        while let Some(number) = open.next() {
            let mut entering: Vec<usize> = self.neighbours(number).chain([number]).collect();
            entering.sort_unstable();
            for entering in entering {
                if entries[entering] == number {
                    slots[entering] =
                        free.pop().expect("there is a slot for each square of the widest frontier");
                }
            }
            let later = self
                .neighbours(number)
                .filter(|&later| later > number)
                .map(|later| Later {
                    slot: slots[later],
                    role: roles[later],
                    remaining: self.neighbours(later).filter(|&other| other > number).count(),
                })
                .collect();
            let turn = Turn {
                slot: slots[number],
                role: roles[number],
                colour: ends_differ.then(|| self.color(number)),
                later,
                // Otherwise there are squares that no move leads to any more.
                may_complete: all_entered <= number,
                closed: self.is_closed(),
            };
            free.push(std::mem::replace(&mut slots[number], NONE));
            let col = number / self.rows;
            let column_ends = open.peek().is_none_or(|&next| next / self.rows > col);
            let mirror = (mirrored && column_ends).then(|| Mirror::new(self, &slots, col));
            steps.push(Step { turn, mirror });
        }
        steps
    }

    /// Whether turning the rows upside down changes nothing.
    pub(super) fn is_mirrored(&self) -> bool {
        let mirror = |number: usize| number - number % self.rows + self.rows - 1 - number % self.rows;
        let ends = [self.problem.start(), self.problem.end()].map(|end| end.map(|end| self.number(end)));
        (0..self.open.len()).all(|number| self.open[number] == self.open[mirror(number)])
            && ends.iter().flatten().all(|&end| mirror(end) == end)
    }
}

/// What happens in one turn.
pub(super) struct Step {
    pub(super) turn: Turn,
    /// At the end of a column of a board that is its own mirror image.
    pub(super) mirror: Option<Mirror>,
}

/// Turns states upside down.
pub(super) struct Mirror {
    /// The slots of the frontier, each with that of its mirror image.
    slots: Vec<(usize, usize)>,
    /// By slot, its mirror image.
    images: [u8; 32],
    /// Whether a square and its mirror image have different colours.
    changes_colour: bool,
}

impl Mirror {
    /// For the states after column `col`, where `slots` has the slots of the squares of the frontier.
    fn new(board: &Board<'_>, slots: &[usize], col: usize) -> Self {
        let reach = board.moves.iter().map(|&(_, right)| right).max().unwrap_or(0) as usize;
        let mut mirror =
            Self { slots: Vec::new(), images: [0; 32], changes_colour: board.rows.is_multiple_of(2) };
        for col in col + 1..=(col + reach).min(board.cols - 1) {
            for row in 0..board.rows {
                let [slot, image] = [row, board.rows - 1 - row].map(|row| slots[col * board.rows + row]);
                // The frontier is its own mirror image as well.
                if slot < mirror.images.len() && image < mirror.images.len() {
                    mirror.slots.push((slot, image));
                    mirror.images[slot] = image as u8;
                }
            }
        }
        mirror
    }

    /// The lesser of the state and its mirror image.
    pub(super) fn canonical<S: State>(&self, state: S) -> S {
        let mut image = S::untouched();
        for &(slot, mirrored) in &self.slots {
            let code = state.get(slot);
            let code = if code == S::INSIDE || code == S::MATE_IS_END {
                code
            } else {
                usize::from(self.images[code])
            };
            image = image.with(mirrored, code);
        }
        let (count, colour) = state.ends();
        let colour = if count == 1 { colour ^ usize::from(self.changes_colour) } else { colour };
        state.min(image.with_ends(count, colour))
    }
}
