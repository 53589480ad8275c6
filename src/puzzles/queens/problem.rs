//! What is asked: a [`Spec`] as a client may state it, and the [`Problem`] that it becomes when nothing is
//! wrong with it.

use std::sync::Arc;

use super::validate::{Valid, validate};
use crate::board::{Grid, Square};
use crate::puzzles::Fault;

/// Which squares a queen attacks. Two in one row or one column always attack each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Attack {
    /// Both diagonals as well: the queen of chess.
    #[default]
    Queen,
    /// The four diagonally adjacent squares as well: two queens may share a diagonal, but not touch.
    Touch,
    /// Diagonals that leave the board come in again at the opposite edge.
    Torus,
}

impl Attack {
    /// Whether queens on `one` and `other`, two squares of a board of `size` columns, attack each other.
    #[must_use]
    pub fn between(self, size: u32, one: Square, other: Square) -> bool {
        let rows = one.row.abs_diff(other.row);
        let cols = one.col.abs_diff(other.col);
        rows == 0
            || cols == 0
            || match self {
                Self::Queen => rows == cols,
                Self::Touch => rows == 1 && cols == 1,
                Self::Torus => rows == cols || rows + cols == size,
            }
    }
}

/// Which solutions count as different ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Distinct {
    /// Every solution.
    #[default]
    All,
    /// One of each class under the eight symmetries of the board: the lexicographically least that meets the
    /// request.
    Fundamental,
}

/// What a client may ask for. Every field has a default, and nothing here is checked yet: [`Problem::new`] does
/// that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// At most this many solutions in the answer; 1 unless told.
    pub limit: u64,
    /// Skip this many solutions.
    pub offset: u64,
    /// Whether to count all solutions; unless told, on boards of at most [`Problem::COUNTED_SIZE`] columns.
    pub count: Option<bool>,
    /// Which solutions to list.
    pub distinct: Distinct,
    /// Queens that already stand.
    pub queens: Vec<Square>,
    /// Squares where no queen may stand.
    pub blocked: Vec<Square>,
    /// The region of each square, row by row; each region takes exactly one queen.
    pub regions: Option<Vec<Vec<i64>>>,
    /// Whether to find out if there is only one solution.
    pub unique: bool,
    /// Which squares a queen attacks.
    pub attack: Attack,
    /// Draw random solutions instead of the first ones, the same for the same seed.
    pub seed: Option<u64>,
    /// The solutions go out one by one, through [`stream`](super::stream), and `limit` needs no bound.
    pub streamed: bool,
}

impl Default for Spec {
    /// One solution of the plain board.
    fn default() -> Self {
        Self {
            limit: 1,
            offset: 0,
            count: None,
            distinct: Distinct::All,
            queens: Vec::new(),
            blocked: Vec::new(),
            regions: None,
            unique: false,
            attack: Attack::Queen,
            seed: None,
            streamed: false,
        }
    }
}

/// A placement of `n` queens to find on an `n × n` board. It can only be built from valid parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    size: u32,
    limit: u64,
    offset: u64,
    count: bool,
    distinct: Distinct,
    queens: Vec<Square>,
    blocked: Arc<[Square]>,
    regions: Option<Arc<Regions>>,
    unique: bool,
    attack: Attack,
    seed: Option<u64>,
}

/// The regions of a board, numbered from 0 in the order in which they first appear, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regions {
    of: Grid<u32>,
    count: u32,
}

impl Regions {
    /// The regions of this map, which numbers them from 0 to below `count`.
    pub(super) const fn new(of: Grid<u32>, count: u32) -> Self {
        Self { of, count }
    }

    /// The number of the region of each square.
    #[must_use]
    pub const fn of(&self) -> &Grid<u32> {
        &self.of
    }

    /// How many regions there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }
}

impl Problem {
    /// The widest board there is: a million queens.
    pub const MAX_SIZE: u32 = 1_000_000;

    /// The most solutions that one answer lists.
    pub const MAX_LIMIT: u64 = 10_000;

    /// The most column numbers that one answer lists, all solutions together: 40 MB of them.
    pub const MAX_LISTED: u64 = 10_000_000;

    /// The widest board whose solutions are counted without being asked to.
    pub const COUNTED_SIZE: u32 = 14;

    /// The widest plain board with a number of solutions below 2^53. There are 2,207,893,435,808,352 of them
    /// on 25 columns, and 22,317,699,616,364,044 on 26 (OEIS A000170); with the width the number grows as
    /// (0.143 n)^n (Simkin 2021).
    pub const MAX_COUNTED_SIZE: u32 = 25;

    /// The same where queens only must not touch: 860,568,917,787,402 solutions on 18 columns,
    /// 16,362,838,542,699,862 on 19; they are n! / e^2 in the limit (OEIS A002464, Kaplansky 1944).
    pub const MAX_COUNTED_TOUCH_SIZE: u32 = 18;

    /// The widest plain board whose solutions are searched in order. The first in order is quick to find up to
    /// 29 columns; far beyond that no search ends.
    pub const MAX_ORDERED_SIZE: u32 = 64;

    /// The widest board with given or blocked squares under another attack than the queen's, and the widest with
    /// any where several solutions are listed, or all counted.
    pub const MAX_CONSTRAINED_SIZE: u32 = 4_096;

    /// The widest board that may have regions.
    pub const MAX_REGION_SIZE: u32 = 1_024;

    /// The problem of placing `size` queens as `spec` tells. Takes time linear in the length of the lists, and
    /// in the number of squares when there are regions.
    ///
    /// # Errors
    /// All faults of the parts, each with the field that is at fault: a size, a limit or an offset out of range
    /// or beyond what can be searched in order, a count beyond 2^53, a square off the board or given twice, two
    /// queens in one row or a queen on a blocked square, regions that don't cover the board, and `offset` or
    /// `distinct` together with a seed.
    pub fn new(size: u32, spec: &Spec) -> Result<Self, Vec<Fault>> {
        let Valid { queens, blocked, regions } = validate(size, spec)?;
        Ok(Self {
            size,
            limit: spec.limit,
            offset: spec.offset,
            count: spec.count.unwrap_or(size <= Self::COUNTED_SIZE),
            distinct: spec.distinct,
            queens,
            blocked: blocked.into(),
            regions: regions.map(Arc::new),
            unique: spec.unique,
            attack: spec.attack,
            seed: spec.seed,
        })
    }

    /// The same problem with these queens given as well; `None` when one of them is off the board or on a blocked
    /// square, or attacks another queen, or shares a region with it. Takes time in the product of the numbers of
    /// new and all queens.
    #[must_use]
    pub fn with_queens(&self, queens: &[Square]) -> Option<Self> {
        let mut problem = self.clone();
        for &queen in queens {
            let region = |square: Square| self.regions.as_ref().map(|regions| regions.of[square]);
            if queen.row >= self.size || queen.col >= self.size || self.blocked.binary_search(&queen).is_ok()
            {
                return None;
            }
            let Err(place) = problem.queens.binary_search(&queen) else { continue };
            let clashes = |&other: &Square| {
                self.attack.between(self.size, queen, other)
                    || region(queen).is_some_and(|region_of_queen| region(other) == Some(region_of_queen))
            };
            if problem.queens.iter().any(clashes) {
                return None;
            }
            problem.queens.insert(place, queen);
        }
        Some(problem)
    }

    /// The number of queens, which is that of the rows and of the columns.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// How many solutions to list, at most.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// How many solutions to skip.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether to count all solutions.
    #[must_use]
    pub const fn count(&self) -> bool {
        self.count
    }

    /// Which solutions to list.
    #[must_use]
    pub const fn distinct(&self) -> Distinct {
        self.distinct
    }

    /// Queens that already stand, at most one in a row, from the top.
    #[must_use]
    pub fn queens(&self) -> &[Square] {
        &self.queens
    }

    /// Squares where no queen may stand, row by row; none of them has a given queen.
    #[must_use]
    pub fn blocked(&self) -> &[Square] {
        &self.blocked
    }

    /// Regions that take exactly one queen each.
    #[must_use]
    pub fn regions(&self) -> Option<&Regions> {
        self.regions.as_deref()
    }

    /// Whether to find out if there is only one solution.
    #[must_use]
    pub const fn unique(&self) -> bool {
        self.unique
    }

    /// Which squares a queen attacks.
    #[must_use]
    pub const fn attack(&self) -> Attack {
        self.attack
    }

    /// The seed of a random solution.
    #[must_use]
    pub const fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Whether all squares are alike: no queen given, none blocked, no regions.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.queens.is_empty() && self.blocked.is_empty() && self.regions.is_none()
    }
}
