//! The knight's tour: lead a knight, or another leaper, over every square of a board exactly once.
//!
//! A tour is *closed* when the last square is a move away from the first, else *open*. A [`Spec`] says what is
//! asked for, [`Problem::new`] checks it, [`solve`] answers with a [`Tour`] or with a proof that there is none,
//! and [`verify`] checks a tour without knowing how it was found.
//!
//! | what is asked | what answers | cost |
//! | --- | --- | --- |
//! | a knight, a whole board | `existence`: published theorems and exact rules say whether there is a tour | none |
//! | … both sides 5 or more | `blocks`: tours of small blocks, joined; `rotations` within a block | O(squares) |
//! | … three or four rows | `narrow`: the frontier method, column by column | O(squares) |
//! | blocked squares, other leapers | `general`: `proofs`, then `rotations` and `exact` in turns | exponential at worst |
//! | clues | `clues`: sets of numbers and moves that are left to each square | exponential at worst |
//! | whether there is another | `unique` | exponential at worst |
//! | how many there are | `count`: the `frontier` method | exponential in the shorter side |
//! | the textbook methods | `warnsdorff`, `backtracking` | O(squares); exponential |

mod backtracking;
mod blocks;
mod clues;
pub mod cost;
mod count;
mod exact;
mod existence;
mod frontier;
mod general;
mod graph;
mod leaper;
mod narrow;
mod padded;
mod problem;
mod proofs;
mod random;
mod rotations;
mod two_factor;
mod unique;
mod verify;
mod warnsdorff;

use num_bigint::BigUint;

use crate::board::{Grid, Size, Square};
use crate::puzzles::{Budget, Impossible, Interrupted, Outcome, Proof};

pub use count::counting_memory;
pub use leaper::Leaper;
pub use problem::{Clue, Method, Problem, Spec};
pub use verify::{Violation, verify};

/// What else to find out about a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether a tour that is found is the only one.
    pub unique: bool,
    /// How many tours there are.
    pub count: bool,
    /// How many bytes counting may take. Counting that would take more becomes slow instead; see
    /// [`counting_memory`].
    pub memory: usize,
}

impl Default for Options {
    /// Nothing else; 2 GiB for counting.
    fn default() -> Self {
        Self { unique: false, count: false, memory: 2 << 30 }
    }
}

/// Which algorithm found a tour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finder {
    /// Warnsdorff's rule alone.
    Warnsdorff,
    /// Plain depth-first search.
    Backtracking,
    /// Warnsdorff's rule and Pósa's rotations.
    Rotations,
    /// Tours of blocks, joined.
    Blocks,
    /// The frontier method, column by column.
    Frontier,
    /// Sets of numbers that the clues leave to each square.
    Clues,
    /// Exhaustive search with cuts.
    Exact,
}

impl Finder {
    /// The word that stands for the algorithm in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Warnsdorff => "warnsdorff",
            Self::Backtracking => "backtracking",
            Self::Rotations => "rotations",
            Self::Blocks => "blocks",
            Self::Frontier => "frontier",
            Self::Clues => "clues",
            Self::Exact => "exact",
        }
    }
}

/// A tour that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tour {
    /// The board it is on.
    pub size: Size,
    /// The index ([`Size::index`]) of each square in the order of the tour.
    pub path: Vec<u32>,
    /// What found it.
    pub finder: Finder,
    /// How many decisions of a search were taken back on the way.
    pub backtracks: u64,
    /// How many tours meet the request, when that was asked: closed ones as cycles without direction, open ones with.
    pub tour_count: Option<BigUint>,
    /// Whether this is the only one, by the same rule, when that was asked.
    pub unique: Option<bool>,
}

impl Tour {
    fn new(size: Size, path: Vec<u32>, finder: Finder, backtracks: u64) -> Self {
        Self { size, path, finder, backtracks, tour_count: None, unique: None }
    }

    /// The tour drawn on its board: the squares' numbers in the order of the tour, from 1, and 0 on blocked squares.
    /// O(squares).
    #[must_use]
    pub fn board(&self) -> Grid<u32> {
        draw(self.size, &self.path)
    }

    /// The squares in the order of the tour.
    pub fn squares(&self) -> impl ExactSizeIterator<Item = Square> + '_ {
        self.path.iter().map(|&index| self.size.square(index as usize))
    }
}

/// How far a heuristic came before it got stuck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// The board it is on.
    pub size: Size,
    /// The index ([`Size::index`]) of each visited square, in order. All squares when the path is complete but
    /// not closed as it should be.
    pub path: Vec<u32>,
}

impl Stuck {
    /// The path drawn on its board: the squares' numbers in order from 1, and 0 where it didn't come.
    /// O(squares).
    #[must_use]
    pub fn board(&self) -> Grid<u32> {
        draw(self.size, &self.path)
    }
}

fn draw(size: Size, path: &[u32]) -> Grid<u32> {
    let mut grid = Grid::filled(size, 0);
    let cells = grid.cells_mut();
    for (number, &square) in (1..).zip(path) {
        cells[square as usize] = number;
    }
    grid
}

/// Looks for a tour in the way that the problem asks for.
///
/// [`Method::Auto`] and [`Method::Backtracking`] give a tour or a proof that there is none, [`Method::Warnsdorff`]
/// a tour or how far it came. A knight on a whole board takes [`Method::Auto`] O(squares), as Warnsdorff's rule does; all
/// else is exponential at worst. The answer depends on the problem and the options alone.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub fn solve(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
) -> Result<Outcome<Tour, Stuck>, Interrupted> {
    let mut outcome = find(problem, budget)?;
    if let Outcome::Solved(tour) = &mut outcome {
        if options.count {
            let count = count::count(problem, options.memory, budget)?;
            tour.unique = options.unique.then(|| count == BigUint::from(1_u32));
            tour.tour_count = Some(count);
        } else if options.unique {
            tour.unique = Some(unique::is_unique(problem, &tour.path, budget)?);
        }
    }
    Ok(outcome)
}

fn find(problem: &Problem, budget: &Budget) -> Result<Outcome<Tour, Stuck>, Interrupted> {
    if problem.method() == Method::Warnsdorff {
        return warnsdorff::walk(problem, budget);
    }
    let classic = problem.is_classic();
    if classic
        && let Err(impossible) =
            existence::check(problem.size(), problem.start(), problem.end(), problem.closed())
    {
        return Ok(Outcome::Impossible(impossible));
    }
    let found = if problem.method() == Method::Backtracking {
        backtracking::search(problem, budget)?
    } else if classic && problem.square_count() > 1 {
        solve_classic(problem, budget)?
    } else {
        general::solve(problem, budget)?
    };
    Ok(match found {
        Ok(tour) => Outcome::Solved(tour),
        Err(impossible) => Outcome::Impossible(impossible),
    })
}

/// A knight's tour of a whole board against which the rules have nothing, or the proof that there is none all the same. A
/// board with a side below 3 doesn't come here.
fn solve_classic(problem: &Problem, budget: &Budget) -> Result<Result<Tour, Impossible>, Interrupted> {
    let (size, start, end, closed) = (problem.size(), problem.start(), problem.end(), problem.closed());
    let (path, finder) = if size.short_side() >= 5 {
        (blocks::tour(size, start, end, closed, budget)?, Finder::Blocks)
    } else {
        (narrow::tour(size, start, end, closed, budget)?, Finder::Frontier)
    };
    Ok(path.map(|path| Tour::new(size, path, finder, 0)).ok_or_else(|| {
        // Only small boards with both ends given follow no rule.
        let between =
            start.zip(end).map_or_else(String::new, |(start, end)| format!(" from {start} to {end}"));
        let kind = if closed { "open tour to close" } else { "open tour" };
        Impossible::new(
            Proof::Search,
            format!("An exhaustive search of the {size} board found no {kind}{between}."),
        )
    }))
}
