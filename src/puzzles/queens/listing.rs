//! Solutions in lexicographic order, one at a time: all or one of each class, from a given one on.

use super::constraint::{self, Order, Solutions};
use super::search::Search;
use super::{Distinct, Problem, Sink, is_chess, skip, symmetry};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// As many solutions are skipped one by one before whole sub-trees are.
const SKIPPED_SINGLY: u64 = 1_000;

/// The solutions of a problem in lexicographic order, as it asks for them but for the limit. Memory doesn't grow
/// with their number.
pub struct Listing<'a> {
    problem: &'a Problem,
    source: Box<dyn Solutions>,
    /// How many solutions are still to be skipped.
    left: u64,
}

impl<'a> Listing<'a> {
    /// The solutions of `problem` from its offset on, which takes the time of counting those before it, about;
    /// or of listing them, when only one of each class is asked for. The problem isn't one that is impossible
    /// [at once](super::impossible::at_once), and is in the range whose solutions can be listed in order.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn new(problem: &'a Problem, budget: &Budget) -> Result<Self, Interrupted> {
        let offset = problem.offset();
        let is_chess = is_chess(problem);
        if problem.distinct() == Distinct::Fundamental && is_chess {
            return Ok(Self { problem, source: Box::new(LeastBorders::new(problem.size())), left: offset });
        }
        if problem.distinct() == Distinct::All && offset > SKIPPED_SINGLY {
            let source: Box<dyn Solutions> = match skip::nth(problem, offset, None, budget)? {
                Some(first) if is_chess => Box::new(Search::plain_from(&first)),
                Some(first) => constraint::search(problem, Order::LexicographicFrom(first)),
                None => Box::new(Nothing),
            };
            return Ok(Self { problem, source, left: 0 });
        }
        let source: Box<dyn Solutions> = if is_chess {
            Box::new(Search::plain(problem.size()))
        } else {
            constraint::search(problem, Order::Lexicographic)
        };
        Ok(Self { problem, source, left: offset })
    }

    /// Gives each solution that the problem asks for to `sink`, the column of the queen in each row, until it breaks
    /// off.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn each(mut self, budget: &Budget, sink: Sink<'_>) -> Result<(), Interrupted> {
        while let Some(columns) = self.source.next(budget)? {
            if self.problem.distinct() == Distinct::Fundamental && !is_least(self.problem, columns) {
                continue;
            }
            if self.left > 0 {
                self.left -= 1;
            } else if sink(columns).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Whether no image of this solution that meets the request comes before it.
fn is_least(problem: &Problem, columns: &[u32]) -> bool {
    symmetry::images(columns).iter().all(|image| &image[..] >= columns || !meets(problem, image))
}

/// The first in order of those images of this solution that meet the request, itself among them.
#[must_use]
pub fn least_image(problem: &Problem, columns: &[u32]) -> Vec<u32> {
    let images = symmetry::images(columns).into_iter().filter(|image| meets(problem, image));
    images.min().unwrap_or_else(|| columns.to_vec())
}

/// Whether the image of a solution has its queens where the problem wants them; no symmetry makes any attack.
fn meets(problem: &Problem, image: &[u32]) -> bool {
    let stands = |square: &Square| image[square.row as usize] == square.col;
    let one_in_each = problem.regions().is_none_or(|regions| {
        let mut filled = vec![false; regions.count() as usize];
        (0..).zip(image).all(|(row, &col)| {
            let region = regions.of()[Square::new(row, col)] as usize;
            !std::mem::replace(&mut filled[region], true)
        })
    });
    one_in_each && problem.queens().iter().all(stands) && !problem.blocked().iter().any(stands)
}

/// No solutions.
struct Nothing;

impl Solutions for Nothing {
    fn next(&mut self, _: &Budget) -> Result<Option<&[u32]>, Interrupted> {
        Ok(None)
    }
}

/// The solutions of a plain board, in lexicographic order, of which no image has its top queen further left. Some
/// of them still have an image that comes before them.
///
/// The images of a solution have in their top rows the queens of its four borders, each from both ends. So with
/// the top queen in column `a`, all border squares less than `a` from a corner are out.
struct LeastBorders {
    size: u32,
    top: u32,
    search: Search,
}

impl LeastBorders {
    fn new(size: u32) -> Self {
        Self { size, top: 0, search: Self::search(size, 0) }
    }

    fn search(size: u32, top: u32) -> Search {
        let last = size - 1;
        let is_out = |place: u32| place.min(last - place) < top;
        let all = u64::MAX >> (64 - size);
        let ends = (0..size).filter(|&col| is_out(col)).fold(0, |mask, col| mask | 1 << col);
        let row = |row: u32| match row {
            0 => 1 << top,
            _ if row == last => all & !ends,
            _ if is_out(row) => all & !(1 | 1 << last),
            _ => all,
        };
        Search::new((0..size).map(row).collect())
    }
}

impl Solutions for LeastBorders {
    fn next(&mut self, budget: &Budget) -> Result<Option<&[u32]>, Interrupted> {
        loop {
            if self.search.next(budget)?.is_some() {
                return Ok(Some(self.search.last()));
            }
            if self.top >= (self.size - 1) / 2 {
                return Ok(None);
            }
            self.top += 1;
            self.search = Self::search(self.size, self.top);
        }
    }
}
