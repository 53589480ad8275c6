//! Warnsdorff's rule alone (H. C. von Warnsdorff, 1823): always go to the square that has the fewest ways on.
//!
//! The rule is quick and often leads through, but it never takes a move back, so that it can get stuck. For a
//! tour that is certain to be found, use [`Method::Auto`](super::Method::Auto).

use crate::board::{Size, Square};
use crate::puzzles::Outcome;

use super::{Finder, Problem, Stuck, Tour};

/// The moves (rows, columns) in the order in which they are tried; the first among equals is taken.
const MOVES: [(i32, i32); 8] = [(1, -2), (2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2)];

/// Squares around the board that can't be entered, so that no move needs a bounds check.
const MARGIN: usize = 2;

/// Set in a count of ways on where the knight can't go: it was there already, or the board has ended.
const SHUT: u8 = 0x80;

/// Follows the rule from the problem's start, or from the top left corner. O(squares).
pub(super) fn walk(problem: &Problem) -> Outcome<Tour, Stuck> {
    let size = problem.size();
    let start = problem.start().unwrap_or(Square::new(0, 0));
    let path = follow(size, start);
    let closes = |path: &[u32]| {
        path.last().is_some_and(|&last| {
            let last = size.square(last as usize);
            MOVES.iter().any(|&(rows, cols)| size.offset(last, rows, cols) == Some(start))
        })
    };
    if path.len() == size.squares() && (!problem.closed() || closes(&path)) {
        Outcome::Solved(Tour { size, path, finder: Finder::Warnsdorff, backtracks: 0 })
    } else {
        Outcome::Stuck(Stuck { size, path })
    }
}

fn follow(size: Size, start: Square) -> Vec<u32> {
    let stride = size.cols() + 2 * MARGIN;
    let inside = |row: usize, col: usize| (row + MARGIN) * stride + col + MARGIN;
    let steps = MOVES.map(|(rows, cols)| rows as isize * stride as isize + cols as isize);

    // How many ways on each square has, with a margin that is shut.
    let mut ways = vec![SHUT; stride * (size.rows() + 2 * MARGIN)];
    for square in size.iter() {
        let count = MOVES.iter().filter(|&&(rows, cols)| size.offset(square, rows, cols).is_some()).count();
        ways[inside(square.row as usize, square.col as usize)] = count as u8;
    }

    let mut path = Vec::with_capacity(size.squares());
    let mut index = size.index(start);
    let mut at = inside(start.row as usize, start.col as usize);
    let index_steps = MOVES.map(|(rows, cols)| rows as isize * size.cols() as isize + cols as isize);
    loop {
        path.push(index as u32);
        ways[at] |= SHUT;
        let mut best = usize::MAX;
        for (order, step) in steps.iter().enumerate() {
            let to = &mut ways[at.wrapping_add_signed(*step)];
            // A shut square counts down too, from 0x88 at most 8 times: it stays shut.
            *to = to.wrapping_sub(u8::from(*to & !SHUT != 0));
            best = best.min(usize::from(*to) << 3 | order);
        }
        if best >= usize::from(SHUT) << 3 {
            return path;
        }
        let order = best & 7;
        at = at.wrapping_add_signed(steps[order]);
        index = index.wrapping_add_signed(index_steps[order]);
    }
}
