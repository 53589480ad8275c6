//! Warnsdorff's rule alone (H. C. von Warnsdorff, 1823): always go to the square that has the fewest ways on.
//!
//! The rule is quick and often leads through, but it never takes a move back, so that it can get stuck. For a
//! tour that is certain to be found, use [`Method::Auto`](super::Method::Auto).

use crate::puzzles::{Budget, Interrupted, Outcome};

use super::padded::{Numbers, Padded};
use super::{Finder, Problem, Stuck, Tour};

/// The moves (rows, columns) in the order in which they are tried; the first among equals is taken.
const MOVES: [(i32, i32); 8] = [(1, -2), (2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2)];

/// Set in a count of ways on where the knight can't go: it was there already, or there is no such square.
const SHUT: u8 = 0x80;

/// Follows the rule from the problem's start, or from the first square that is not blocked. Squares whose number is
/// given are left for it. O(squares).
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn walk(problem: &Problem, budget: &Budget) -> Result<Outcome<Tour, Stuck>, Interrupted> {
    let size = problem.size();
    let padded = Padded::new(problem, &MOVES);
    let steps = padded.steps.as_slice();
    let numbers = Numbers::new(problem, &padded);

    // How many ways on each square has.
    let mut ways = vec![SHUT; padded.places()];
    let mut pacer = budget.pacer(1 << 16);
    for place in padded.open_places(problem) {
        pacer.tick()?;
        ways[place] = 0;
    }
    let mut first = None;
    for place in padded.open_places(problem) {
        pacer.tick()?;
        let on = steps.iter().filter(|&&step| ways[place.wrapping_add_signed(step)] & SHUT == 0).count();
        ways[place] = on as u8;
        first = first.or(Some(place));
    }
    let first = problem.start().map(|start| padded.place(start)).or(first).expect("a problem has a square");

    let mut path = Vec::with_capacity(problem.square_count());
    let mut at = first;
    loop {
        pacer.tick()?;
        path.push(padded.index(at));
        ways[at] |= SHUT;
        let mut best = usize::MAX;
        for (order, &step) in steps.iter().enumerate() {
            let place = at.wrapping_add_signed(step);
            let to = &mut ways[place];
            // Places that are shut may count down as well: 0 stays 0.
            *to -= u8::from(*to & !SHUT != 0);
            if numbers.allow(place, path.len() + 1) {
                best = best.min(usize::from(*to) << 3 | order);
            }
        }
        if best >= usize::from(SHUT) << 3 {
            break;
        }
        at = at.wrapping_add_signed(steps[best & 7]);
    }
    let closes = steps.iter().any(|&step| at.wrapping_add_signed(step) == first);
    Ok(if path.len() == problem.square_count() && (closes || !problem.closed()) {
        Outcome::Solved(Tour::new(size, path, Finder::Warnsdorff, 0))
    } else {
        Outcome::Stuck(Stuck { size, path })
    })
}
