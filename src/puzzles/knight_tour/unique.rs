//! Whether a tour is the only one: what a puzzle maker wants to know.
//!
//! Nearly always there are others, and the quickest way to know is to come upon one: in the mirror image of the board, by
//! chance, or near the tour that is known. Only where that fails is everything tried.

use std::ops::ControlFlow;

use crate::board::Size;
use crate::puzzles::{Budget, Interrupted};

use super::clues::{self, Given, Puzzle};
use super::exact::{self, End};
use super::general::Question;
use super::graph::Graph;
use super::random::Random;
use super::{Problem, rotations, solve_classic};

/// Whether `path`, which is a tour that `problem` asks for as indices of squares, is the only one: a closed tour counts
/// as the same whichever way round it is gone. Exponential at worst.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn is_unique(problem: &Problem, path: &[u32], budget: &Budget) -> Result<bool, Interrupted> {
    let count = problem.square_count();
    let directed = problem.closed() || !problem.clues().is_empty();
    if count < 3 || !directed {
        // A long tour without given squares can be gone backwards.
        return Ok(count == 1 || directed);
    }
    if problem.is_classic() && count > 36 {
        // A tour of the mirror image is one of the board in a mirror, and nearly always another.
        let known = Known::new(problem.closed(), path);
        for (rows, cols) in [(true, false), (false, true), (true, true)] {
            if let Ok(image) = solve_classic(&problem.mirrored(rows, cols), budget)? {
                let back = |&index: &u32| mirrored(problem.size(), index, rows, cols);
                if !known.is(&image.path.iter().map(back).collect::<Vec<_>>()) {
                    return Ok(false);
                }
            }
        }
    }
    let graph = Graph::of(problem, budget)?;
    let path: Vec<u32> =
        path.iter().map(|&index| graph.vertex(graph.size().square(index as usize))).collect();
    let known = Known::new(problem.closed(), &path);
    let mut other = false;
    let mut look = |path: Vec<u32>| {
        other |= !known.is(&path);
        if other { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    match Question::of(problem, &graph) {
        Question::Clues(given) => {
            let puzzle = Puzzle { graph: &graph, closed: problem.closed(), given: &given };
            let soon = 4 * graph.len() as u64;
            if clues::search(puzzle, soon, 0, &mut 0, budget, &mut look)? == End::GaveUp
                && !look_nearby(puzzle, &path, budget, &mut look)?
            {
                clues::search(puzzle, u64::MAX, 0, &mut 0, budget, &mut look)?;
            }
        }
        Question::Ends(ends) => {
            // Nearly always there are many, and chance soon leads to another.
            for seed in 1..=3 {
                if let Some(path) = rotations::find(&graph, ends, 16 * graph.len() as u64, seed, budget)?
                    && look(path).is_break()
                {
                    return Ok(false);
                }
            }
            exact::search(&graph, ends, u64::MAX, &mut 0, budget, &mut look)?;
        }
    }
    Ok(!other)
}

/// Shows `look` other answers to the puzzle that differ from `path` only in a few stretches: where there are many answers some
/// are near, and that is found much sooner than by trying all. Gives whether `look` had seen enough.
fn look_nearby(
    puzzle: Puzzle<'_>,
    path: &[u32],
    budget: &Budget,
    look: &mut dyn FnMut(Vec<u32>) -> ControlFlow<()>,
) -> Result<bool, Interrupted> {
    let mut random = Random::new(1);
    for _ in 0..64 + path.len() {
        let mut fixed = vec![true; path.len()];
        for _ in 0..2 + random.below(3) {
            let first = random.below(path.len());
            let length = 4 + random.below(12);
            fixed.iter_mut().skip(first).take(length).for_each(|fixed| *fixed = false);
        }
        for &(_, number) in puzzle.given {
            fixed[number as usize] = true;
        }
        let given: Vec<Given> = (0..)
            .zip(path)
            .filter(|&(number, _)| fixed[number as usize])
            .map(|(number, &vertex)| (vertex, number))
            .collect();
        if clues::search(Puzzle { given: &given, ..puzzle }, 64, 0, &mut 0, budget, look)? == End::Stopped {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The index of the square that lies there when the board is turned upside down or left to right.
fn mirrored(size: Size, index: u32, rows: bool, cols: bool) -> u32 {
    let (row, col) = (index as usize / size.cols(), index as usize % size.cols());
    let row = if rows { size.rows() - 1 - row } else { row };
    let col = if cols { size.cols() - 1 - col } else { col };
    (row * size.cols() + col) as u32
}

/// A tour that is known, to compare others with.
struct Known {
    closed: bool,
    /// By vertex, its place on the tour.
    places: Vec<u32>,
}

impl Known {
    fn new(closed: bool, path: &[u32]) -> Self {
        let mut places = vec![0; path.len()];
        for (place, &vertex) in (0..).zip(path) {
            places[vertex as usize] = place;
        }
        Self { closed, places }
    }

    /// Whether this is the same tour.
    fn is(&self, path: &[u32]) -> bool {
        let place = |vertex: u32| self.places[vertex as usize];
        if !self.closed {
            return (0..).zip(path).all(|(at, &vertex)| place(vertex) == at);
        }
        let last = self.places.len() as u32 - 1;
        path.iter().zip(path.iter().cycle().skip(1)).all(|(&vertex, &next)| {
            let apart = place(vertex).abs_diff(place(next));
            apart == 1 || apart == last
        })
    }
}
