//! A count divided into parts, which can be counted in any order, on any machine, and add up to the whole.
//!
//! The same problem always gives the same parts in the same order, so a part is told by its number alone. Whoever
//! counts it makes the plan anew from the problem, which takes milliseconds.

use super::central;
use super::constraint::{self, Order};
use super::strip::{Counter, Strip};
use super::{QUICK_ROWS, batch, few, strip, touch};
use crate::board::Square;
use crate::puzzles::queens::{Attack, Problem};
use crate::puzzles::{Budget, Interrupted, Progress, parallel};

/// How many pieces a count is divided into, at least, when it isn't done at once.
const PIECES: usize = 256;

/// How many parts a count of the plain board has at least, if there are so many pieces.
const FEWEST_PARTS: usize = 64;

/// How long counting the plain board of 18 columns takes on one thread, roughly, in quarters of a second; a column more
/// takes eight times as long. A part should take about such a quarter or longer.
const QUARTERS_AT_18: u32 = 30;

/// The widest plain board on which half of the top row, mirrored, is counted sooner than all symmetries are told apart.
const MIRRORED_SIZE: u32 = 9;

/// A count in parts.
#[derive(Debug)]
pub struct Plan {
    pieces: Pieces,
}

/// What the parts are made of.
#[derive(Debug)]
enum Pieces {
    /// It was quicker to count than to divide.
    Known(u64),
    /// One eighth of the plain board.
    Central(u32, Vec<central::Part>),
    /// Boards on which some queens stand.
    Strips(Vec<Strip>),
    /// Queens that are added to those of a problem, and how many solutions each one found stands for.
    Constrained(Problem, Vec<Vec<Square>>, u64),
    /// A table over the sets of columns, which is made in one go.
    Table(Problem),
}

impl Plan {
    /// The plan for counting the solutions of `problem`, whose given queens don't attack each other and don't share a
    /// region, and whose number of regions, if it has any, is that of its rows. Takes milliseconds.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn new(problem: &Problem, budget: &Budget) -> Result<Self, Interrupted> {
        let open = problem.size() as usize - problem.queens().len();
        let pieces = match problem.attack() {
            Attack::Queen if problem.regions().is_none() && problem.size() <= 32 => strips(problem, budget)?,
            Attack::Touch if problem.regions().is_none() && open <= touch::MAX_OPEN_ROWS => {
                Pieces::Table(problem.clone())
            }
            Attack::Torus if problem.is_plain() => {
                // Moving all queens around the torus makes a solution of a solution: any column of the top row
                // stands for all.
                match problem.with_queens(&[Square::new(0, 0)]) {
                    Some(one) => constrained(one, u64::from(problem.size()), budget)?,
                    None => Pieces::Known(0),
                }
            }
            _ => constrained(problem.clone(), 1, budget)?,
        };
        Ok(Self { pieces })
    }

    /// The plan for the plain board of `size` columns, 2 to 32, where a queen attacks as in chess.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn plain(size: u32, budget: &Budget) -> Result<Self, Interrupted> {
        Ok(Self { pieces: plain(size, budget)? })
    }

    /// In how many parts the count is divided: some dozens to a few hundred, and on plain boards from 20 columns on
    /// some thousand, of like weight.
    #[must_use]
    pub fn parts(&self) -> usize {
        match &self.pieces {
            Pieces::Central(size, pieces) => {
                let growth = 8_usize.saturating_pow(size.saturating_sub(18));
                let quarters = growth.saturating_mul(QUARTERS_AT_18 as usize);
                quarters.max(FEWEST_PARTS).min(pieces.len())
            }
            Pieces::Known(_) | Pieces::Table(_) => 1,
            Pieces::Strips(pieces) => pieces.len(),
            Pieces::Constrained(_, pieces, _) => pieces.len(),
        }
    }

    /// The number of solutions in this part, one of [`parts`](Self::parts) counted from 0; none in others.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn count(&self, part: usize, budget: &Budget) -> Result<u64, Interrupted> {
        let mut counter = Counter::new();
        // Neighbours are alike and the weight changes along the list, so a part takes pieces from all over it.
        (part..self.pieces())
            .step_by(self.parts().max(1))
            .try_fold(0, |total, piece| Ok(total + self.count_piece(piece, &mut counter, budget)?))
    }

    /// The number of all solutions, counted on all threads of the budget. Says in `progress`, where there is one, how
    /// many pieces are done.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn sum(&self, budget: &Budget, progress: Option<&Progress>) -> Result<u64, Interrupted> {
        let pieces: Vec<usize> = (0..self.pieces()).collect();
        if let Some(progress) = progress {
            progress.begin(pieces.len() as u64);
        }
        parallel::sum(&pieces, budget, Counter::new, |&piece, counter| {
            let solutions = self.count_piece(piece, counter, budget)?;
            if let Some(progress) = progress {
                progress.advance(1);
            }
            Ok(solutions)
        })
    }

    fn pieces(&self) -> usize {
        match &self.pieces {
            Pieces::Central(_, pieces) => pieces.len(),
            Pieces::Known(_) | Pieces::Table(_) => 1,
            Pieces::Strips(pieces) => pieces.len(),
            Pieces::Constrained(_, pieces, _) => pieces.len(),
        }
    }

    fn count_piece(&self, piece: usize, counter: &mut Counter, budget: &Budget) -> Result<u64, Interrupted> {
        match &self.pieces {
            Pieces::Known(solutions) => Ok(*solutions),
            Pieces::Table(problem) => touch::Table::new(problem, budget).map(|table| table.solutions()),
            Pieces::Central(_, pieces) => {
                let piece = pieces[piece];
                Ok(piece.weight() * piece.count(counter, budget)?)
            }
            Pieces::Strips(pieces) => pieces[piece].completions(counter, budget),
            Pieces::Constrained(problem, pieces, weight) => match problem.with_queens(&pieces[piece]) {
                Some(part) => Ok(weight * constraint::search(&part, Order::FewestFirst).count(budget)?),
                None => Ok(0),
            },
        }
    }
}

/// The pieces of the plain board of 2 to 32 columns, where a queen attacks as in chess.
fn plain(size: u32, budget: &Budget) -> Result<Pieces, Interrupted> {
    if size > MIRRORED_SIZE {
        return Ok(Pieces::Central(size, central::parts(size, budget)?));
    }
    let all = u32::MAX >> (32 - size);
    let with_top = |columns| {
        let mut allowed = vec![all; size as usize];
        allowed[0] = columns;
        Strip::new(allowed).completions(&mut Counter::portable(), budget)
    };
    let half = with_top(all >> size.div_ceil(2))?;
    let middle = if size % 2 == 1 { with_top(1 << (size / 2))? } else { 0 };
    Ok(Pieces::Known(2 * half + middle))
}

/// The pieces of a board of at most 32 columns without regions, where a queen attacks as in chess.
fn strips(problem: &Problem, budget: &Budget) -> Result<Pieces, Interrupted> {
    if problem.is_plain() && problem.size() > 1 {
        return plain(problem.size(), budget);
    }
    let Some(strip) = strip(problem) else { return Ok(Pieces::Known(0)) };
    if strip.len() <= QUICK_ROWS {
        return Ok(Pieces::Known(strip.completions(&mut Counter::portable(), budget)?));
    }
    if problem.size() > batch::WIDTH
        && let Some(few) = few(problem, budget)?
    {
        return Ok(Pieces::Known(few));
    }
    Ok(Pieces::Strips(strip.split(PIECES)))
}

/// The pieces of a board for the search with constraints.
fn constrained(problem: Problem, weight: u64, budget: &Budget) -> Result<Pieces, Interrupted> {
    if let Some(few) = few(&problem, budget)? {
        return Ok(Pieces::Known(few * weight));
    }
    let pieces = constraint::search(&problem, Order::FewestFirst).split(PIECES, budget)?;
    Ok(Pieces::Constrained(problem, pieces, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::queens::Spec;

    #[test]
    fn the_parts_of_every_kind_of_board_add_up_to_its_solutions() {
        let square = Square::new;
        let plain = Spec { count: Some(true), ..Spec::default() };
        let regions = (0..13).map(|row| (0..13).map(|col| (row / 4 * 5 + col / 3) % 13).collect()).collect();
        for (size, spec) in [
            (1, plain.clone()),
            (11, plain.clone()),
            (13, Spec { blocked: vec![square(3, 3), square(0, 0)], ..plain.clone() }),
            (14, Spec { queens: vec![square(2, 5)], ..plain.clone() }),
            (11, Spec { attack: Attack::Torus, ..plain.clone() }),
            (9, Spec { attack: Attack::Touch, ..plain.clone() }),
            (13, Spec { regions: Some(regions), ..plain.clone() }),
        ] {
            let problem = Problem::new(size, &spec).unwrap();
            let budget = Budget::unlimited();
            let plan = Plan::new(&problem, &budget).unwrap();
            // From the last to the first: the order doesn't matter.
            let parts: u64 = (0..plan.parts()).rev().map(|part| plan.count(part, &budget).unwrap()).sum();
            assert_eq!(parts, super::super::constrained_count(&problem), "{size} {spec:?}");
            assert_eq!(plan.sum(&budget, None), Ok(parts));
            assert_eq!(plan.count(plan.parts(), &budget), Ok(0), "there is no such part");
        }
    }

    #[test]
    fn a_plain_board_has_the_more_parts_the_longer_it_takes() {
        let parts = |size| Plan::plain(size, &Budget::unlimited()).unwrap().parts();
        assert_eq!(parts(18), 64);
        assert!(parts(19) > 2 * parts(18) && parts(20) > 2 * parts(19));
        assert!((5_000..50_000).contains(&parts(25)));
    }
}
