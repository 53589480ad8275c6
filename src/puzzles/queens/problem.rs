//! What is asked: a [`Spec`] as a client may state it, and the [`Problem`] that it becomes when nothing is
//! wrong with it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::board::{Grid, Size, Square};
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
        let mut faults = Vec::new();
        if size == 0 || size > Self::MAX_SIZE {
            // The other fields only have a meaning on some board.
            return Err(vec![Fault::new(
                "size",
                format!("must be from 1 to {}, got {size}", Self::MAX_SIZE),
            )]);
        }
        let queens = squares("queens", size, &spec.queens, &mut faults);
        let blocked = squares("blocked", size, &spec.blocked, &mut faults);
        queen_faults(&queens, &blocked, &mut faults);
        let regions = spec.regions.as_deref().and_then(|matrix| regions(size, matrix, &mut faults));
        Self::size_faults(size, spec, &mut faults);
        if spec.seed.is_some() {
            if spec.offset > 0 {
                let detail = format!("must be 0 with a seed, which draws at random; got {}", spec.offset);
                faults.push(Fault::new("offset", detail));
            }
            if spec.distinct == Distinct::Fundamental {
                let detail = "must be all with a seed, which draws at random; got fundamental";
                faults.push(Fault::new("distinct", detail));
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
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

    /// Adds what can't be had on a board of this size.
    fn size_faults(size: u32, spec: &Spec, faults: &mut Vec<Fault>) {
        let plain = spec.queens.is_empty() && spec.blocked.is_empty() && spec.regions.is_none();
        let quick_in_order = !plain || spec.attack == Attack::Touch;
        let ordered = if quick_in_order { Self::MAX_CONSTRAINED_SIZE } else { Self::MAX_ORDERED_SIZE };
        let most =
            if spec.streamed { u64::MAX } else { Self::MAX_LIMIT.min(Self::MAX_LISTED / u64::from(size)) };
        if spec.limit > 1 && size > ordered && spec.seed.is_none() {
            faults.push(unordered("limit", "0 or 1", ordered, spec.limit));
        } else if spec.limit > most {
            let detail = format!("must be from 0 to {most} on {size} columns, got {}", spec.limit);
            faults.push(Fault::new("limit", detail));
        }
        if spec.offset > 0 && size > ordered {
            faults.push(unordered("offset", "0", ordered, spec.offset));
        }
        if spec.count == Some(true) {
            faults.extend(Self::count_fault(size, plain, spec.attack));
        }
        if size > Self::MAX_CONSTRAINED_SIZE && !plain && spec.attack != Attack::Queen {
            let detail = format!(
                "must be queen on a board of more than {} columns with given queens, blocked squares or regions; \
                 got size {size}",
                Self::MAX_CONSTRAINED_SIZE
            );
            faults.push(Fault::new("attack", detail));
        }
        if size > Self::MAX_CONSTRAINED_SIZE && !plain && spec.unique {
            let detail = format!(
                "must be false on a board of more than {} columns with given queens, blocked squares or regions, \
                 where no search settles it; got true with size {size}",
                Self::MAX_CONSTRAINED_SIZE
            );
            faults.push(Fault::new("unique", detail));
        }
        if size > Self::MAX_REGION_SIZE && spec.regions.is_some() {
            let most = Self::MAX_REGION_SIZE;
            let detail = format!("must not be given on a board of more than {most} columns, got size {size}");
            faults.push(Fault::new("regions", detail));
        }
    }

    /// What is wrong with counting the solutions of such a board.
    fn count_fault(size: u32, plain: bool, attack: Attack) -> Option<Fault> {
        let most = match attack {
            Attack::Queen if plain => Self::MAX_COUNTED_SIZE,
            Attack::Touch if plain => Self::MAX_COUNTED_TOUCH_SIZE,
            _ => Self::MAX_CONSTRAINED_SIZE,
        };
        let why = if most < Self::MAX_CONSTRAINED_SIZE {
            "which has more than 2^53 - 1 solutions, the largest number that an answer can state exactly"
        } else {
            "whose solutions no search counts"
        };
        (size > most).then(|| {
            let detail = format!(
                "must be false on a board of more than {most} columns, {why}; got true with size {size}"
            );
            Fault::new("count", detail)
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

/// That a list would have to be searched in order on a board too wide for it.
fn unordered(field: &'static str, allowed: &str, most_columns: u32, got: u64) -> Fault {
    let detail = format!(
        "must be {allowed} on a board of more than {most_columns} columns, whose solutions no search lists in order; \
         got {got}"
    );
    Fault::new(field, detail)
}

/// The squares of this field in order; adds a fault for each that is off the board or listed twice.
fn squares(field: &'static str, size: u32, listed: &[Square], faults: &mut Vec<Fault>) -> Vec<Square> {
    let mut seen = HashSet::with_capacity(listed.len());
    for &square in listed {
        if square.row >= size || square.col >= size {
            let detail = format!("must lie on the {size} × {size} board, got {square}");
            faults.push(Fault::new(field, detail));
        } else if !seen.insert(square) {
            faults.push(Fault::new(field, format!("must be different squares, got {square} twice")));
        }
    }
    let mut squares: Vec<_> = seen.into_iter().collect();
    squares.sort_unstable();
    squares
}

/// Adds a fault for each two queens in one row and each queen on a blocked square; both lists are sorted.
fn queen_faults(queens: &[Square], blocked: &[Square], faults: &mut Vec<Fault>) {
    for pair in queens.windows(2) {
        if pair[0].row == pair[1].row {
            let detail = format!("must be at most one in a row, got {} and {}", pair[0], pair[1]);
            faults.push(Fault::new("queens", detail));
        }
    }
    for queen in queens {
        if blocked.binary_search(queen).is_ok() {
            faults.push(Fault::new("queens", format!("must not stand on a blocked square, got {queen}")));
        }
    }
}

/// The regions that a matrix tells; adds a fault when it isn't one number for each square.
fn regions(size: u32, matrix: &[Vec<i64>], faults: &mut Vec<Fault>) -> Option<Regions> {
    let side = size as usize;
    let must = format!("must be {size} rows of {size} numbers");
    if matrix.len() != side {
        faults.push(Fault::new("regions", format!("{must}, got {} rows", matrix.len())));
        return None;
    }
    if let Some((row, numbers)) = matrix.iter().enumerate().find(|(_, numbers)| numbers.len() != side) {
        faults.push(Fault::new("regions", format!("{must}, got {} in row {row}", numbers.len())));
        return None;
    }
    let mut numbers = HashMap::new();
    let of = matrix.iter().flatten().map(|&name| {
        let next = numbers.len() as u32;
        *numbers.entry(name).or_insert(next)
    });
    let of: Vec<u32> = of.collect();
    let count = numbers.len() as u32;
    Some(Regions { of: Grid::from_cells(Size::new(size, size)?, of)?, count })
}
