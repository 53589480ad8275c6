//! What can be asked: a [`Spec`] as it came, and a [`Problem`] that has been checked.

use std::collections::HashMap;

use crate::board::{Size, Square};
use crate::puzzles::Fault;

use super::leaper::Leaper;

/// How to look for a tour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// Whatever is best: always a tour or a proof that there is none.
    #[default]
    Auto,
    /// Warnsdorff's rule alone, which may get stuck.
    Warnsdorff,
    /// Plain depth-first search.
    Backtracking,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Warnsdorff, Self::Backtracking];

    /// The word that stands for the method in a request.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Warnsdorff => "warnsdorff",
            Self::Backtracking => "backtracking",
        }
    }
}

/// A square whose number in the tour is given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Clue {
    /// The square.
    pub square: Square,
    /// When the tour comes there, from 1.
    pub number: u32,
}

/// What is asked for, as it came: any combination of values can be written down, and [`Problem::new`] says
/// which of them make sense. The default asks for any open knight's tour of the whole board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spec {
    /// Where the tour begins; `None` for anywhere.
    pub start: Option<Square>,
    /// Where the tour ends; `None` for anywhere.
    pub end: Option<Square>,
    /// Whether the last square must be a move away from the first.
    pub closed: bool,
    /// Squares that are not part of the board, in any order.
    pub blocked: Vec<Square>,
    /// The piece.
    pub leaper: Leaper,
    /// Squares whose number is given, in any order.
    pub clues: Vec<Clue>,
    /// How to look for the tour.
    pub method: Method,
}

/// A board and what is asked of a tour on it, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    size: Size,
    start: Option<Square>,
    end: Option<Square>,
    closed: bool,
    /// In order.
    blocked: Vec<Square>,
    leaper: Leaper,
    /// In the order of their numbers, start and end among them.
    clues: Vec<Clue>,
    method: Method,
}

impl Problem {
    /// The problem that `spec` describes on a board of this `size`. O(b log b + c log c) for b blocked squares
    /// and c clues.
    ///
    /// # Errors
    /// All faults of the `spec`, each with the field that it is in: squares off the board, blocked or listed
    /// twice, a board without a square left, numbers beyond the number of squares, clues that contradict each other
    /// or the ends, a leaper that doesn't leap, an end that is the start of a longer tour or, on a closed tour, no
    /// move away from it.
    pub fn new(size: Size, spec: &Spec) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let leaper = spec.leaper;
        if leaper.distances() == (0, 0) {
            faults.push(Fault::new(
                "leaper",
                "must leap: at least one of its two numbers is 1 or more, got (0, 0)",
            ));
        }

        let mut blocked = spec.blocked.clone();
        blocked.sort_unstable();
        blocked.dedup_by(|square, previous| {
            let twice = square == previous;
            if twice {
                faults.push(Fault::new("blocked", format!("must be different squares, got {square} twice")));
            }
            twice
        });
        blocked.retain(|&square| on_board("blocked", size, square, &mut faults));
        let count = size.squares() - blocked.len();
        if count == 0 {
            faults.push(Fault::new(
                "blocked",
                format!("must leave at least one square of the {size} board, got all {}", size.squares()),
            ));
        }

        let mut given =
            Given { size, blocked: &blocked, count, numbers: HashMap::new(), squares: HashMap::new() };
        for (field, square, number) in [("start", spec.start, 1), ("end", spec.end, count.max(1))] {
            if let Some(square) = square {
                given.add(field, Clue { square, number: number as u32 }, &mut faults);
            }
        }
        for &clue in &spec.clues {
            given.add("clues", clue, &mut faults);
        }
        if let (Some(&(start, _)), Some(&(end, field))) =
            (given.numbers.get(&1), given.numbers.get(&(count as u32)))
            && spec.closed
            && start != end
            && !leaper.joins(start, end)
        {
            let (a, b) = leaper.distances();
            let detail =
                format!("a ({a}, {b}) move away from the start {start} when the tour is closed, got {end}");
            faults.push(match field {
                "end" => Fault::new(field, format!("must be {detail}")),
                _ => Fault::new(field, format!("must give the last number to a square {detail}")),
            });
        }
        if !faults.is_empty() {
            return Err(faults);
        }

        let mut clues: Vec<Clue> =
            given.numbers.iter().map(|(&number, &(square, _))| Clue { square, number }).collect();
        clues.sort_unstable_by_key(|clue| clue.number);
        let numbered =
            |number: usize| clues.iter().find(|clue| clue.number as usize == number).map(|clue| clue.square);
        Ok(Self {
            size,
            start: numbered(1),
            end: numbered(count),
            closed: spec.closed,
            blocked,
            leaper,
            clues,
            method: spec.method,
        })
    }

    /// The board.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Where the tour must begin, when that is given, be it by a clue.
    #[must_use]
    pub const fn start(&self) -> Option<Square> {
        self.start
    }

    /// Where the tour must end, when that is given, be it by a clue.
    #[must_use]
    pub const fn end(&self) -> Option<Square> {
        self.end
    }

    /// Whether the last square must be a move away from the first.
    #[must_use]
    pub const fn closed(&self) -> bool {
        self.closed
    }

    /// The squares that are not part of the board, row by row.
    #[must_use]
    pub fn blocked(&self) -> &[Square] {
        &self.blocked
    }

    /// The piece.
    #[must_use]
    pub const fn leaper(&self) -> Leaper {
        self.leaper
    }

    /// The squares whose number is given, in the order of the numbers; start and end are among them.
    #[must_use]
    pub fn clues(&self) -> &[Clue] {
        &self.clues
    }

    /// How to look for the tour.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// How many squares a tour visits: at least 1.
    #[must_use]
    pub fn square_count(&self) -> usize {
        self.size.squares() - self.blocked.len()
    }

    /// The problem turned upside down (`rows`) or left to right (`cols`), for boards without blocked squares.
    pub(super) fn mirrored(&self, rows: bool, cols: bool) -> Self {
        let mirror = |square: Square| {
            let row = if rows { self.size.rows() as u32 - 1 - square.row } else { square.row };
            let col = if cols { self.size.cols() as u32 - 1 - square.col } else { square.col };
            Square::new(row, col)
        };
        Self {
            start: self.start.map(mirror),
            end: self.end.map(mirror),
            clues: self.clues.iter().map(|clue| Clue { square: mirror(clue.square), ..*clue }).collect(),
            ..self.clone()
        }
    }

    /// Whether squares between the first and the last have their number given.
    pub(super) fn has_inner_clues(&self) -> bool {
        self.clues.iter().any(|clue| clue.number > 1 && (clue.number as usize) < self.square_count())
    }

    /// Whether it is a knight on a whole board, with nothing given but ends.
    pub(super) fn is_classic(&self) -> bool {
        self.blocked.is_empty() && self.leaper == Leaper::KNIGHT && !self.has_inner_clues()
    }
}

/// Whether the square lies on the board; else adds a fault.
fn on_board(field: &'static str, size: Size, square: Square, faults: &mut Vec<Fault>) -> bool {
    let inside = size.contains(square);
    if !inside {
        faults.push(Fault::new(field, format!("must lie on the {size} board, got {square}")));
    }
    inside
}

/// The numbers that are given so far.
struct Given<'a> {
    size: Size,
    blocked: &'a [Square],
    count: usize,
    /// By number: the square, and the field that gave it.
    numbers: HashMap<u32, (Square, &'static str)>,
    /// By square: the number.
    squares: HashMap<Square, u32>,
}

impl Given<'_> {
    fn add(&mut self, field: &'static str, clue: Clue, faults: &mut Vec<Fault>) {
        let Clue { square, number } = clue;
        if !on_board(field, self.size, square, faults) {
            return;
        }
        if self.blocked.binary_search(&square).is_ok() {
            faults.push(Fault::new(field, format!("must not be a blocked square, got {square}")));
            return;
        }
        if number == 0 || number as usize > self.count {
            faults.push(Fault::new(
                field,
                format!(
                    "must have numbers from 1 to {}, the number of squares, got {number} on {square}",
                    self.count
                ),
            ));
            return;
        }
        match (self.squares.get(&square), self.numbers.get(&number)) {
            (None, None) => {
                self.squares.insert(square, number);
                self.numbers.insert(number, (square, field));
            }
            // A clue may say again what the start or the end says, or the end of a single square what its start says.
            (Some(&same), Some(&(_, other_field))) if same == number && other_field != field => {}
            (Some(_), _) if field == "end" => {
                let detail =
                    format!("must differ from the start on a board of more than one square, got {square}");
                faults.push(Fault::new(field, detail));
            }
            (Some(&same), _) if same == number => {
                faults.push(Fault::new(field, format!("must be different squares, got {square} twice")));
            }
            (Some(other), _) => {
                let detail =
                    format!("must give each square one number, got {other} and {number} on {square}");
                faults.push(Fault::new(field, detail));
            }
            (None, Some((other, "clues"))) => {
                let detail =
                    format!("must give each number to one square, got {number} on {other} and {square}");
                faults.push(Fault::new(field, detail));
            }
            (None, Some((other, other_field))) => {
                let detail = format!("must agree with the {other_field} {other}, got {number} on {square}");
                faults.push(Fault::new(field, detail));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(rows: u32, cols: u32, spec: &Spec) -> Vec<String> {
        Problem::new(Size::new(rows, cols).unwrap(), spec)
            .map_or_else(|faults| faults.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    const fn at(row: u32, col: u32) -> Square {
        Square::new(row, col)
    }

    const fn clue(row: u32, col: u32, number: u32) -> Clue {
        Clue { square: Square::new(row, col), number }
    }

    #[test]
    fn a_plain_board_has_no_fault() {
        assert!(faults(8, 8, &Spec::default()).is_empty());
        let ends = Spec { start: Some(at(0, 0)), end: Some(at(7, 6)), ..Spec::default() };
        assert!(faults(8, 8, &ends).is_empty());
    }

    #[test]
    fn all_faults_are_listed_together() {
        let spec = Spec {
            start: Some(at(8, 0)),
            end: Some(at(0, 3)),
            blocked: vec![at(0, 3), at(1, 9), at(0, 3)],
            leaper: Leaper::new(0, 0),
            clues: vec![clue(2, 2, 0), clue(3, 3, 64)],
            ..Spec::default()
        };
        assert_eq!(
            faults(8, 8, &spec),
            [
                "leaper must leap: at least one of its two numbers is 1 or more, got (0, 0)",
                "blocked must be different squares, got (0, 3) twice",
                "blocked must lie on the 8 × 8 board, got (1, 9)",
                "start must lie on the 8 × 8 board, got (8, 0)",
                "end must not be a blocked square, got (0, 3)",
                "clues must have numbers from 1 to 63, the number of squares, got 0 on (2, 2)",
                "clues must have numbers from 1 to 63, the number of squares, got 64 on (3, 3)",
            ]
        );
    }

    #[test]
    fn a_board_keeps_a_square() {
        let spec = Spec { blocked: vec![at(0, 0), at(0, 1)], ..Spec::default() };
        assert_eq!(
            faults(1, 2, &spec),
            ["blocked must leave at least one square of the 1 × 2 board, got all 2"]
        );
    }

    #[test]
    fn ends_make_sense_together() {
        let closed = Spec { start: Some(at(0, 0)), end: Some(at(1, 1)), closed: true, ..Spec::default() };
        assert_eq!(
            faults(8, 8, &closed),
            ["end must be a (1, 2) move away from the start (0, 0) when the tour is closed, got (1, 1)"]
        );
        assert!(faults(8, 8, &Spec { end: Some(at(1, 2)), ..closed.clone() }).is_empty());
        let by_clue = Spec { end: None, clues: vec![clue(1, 1, 64)], ..closed.clone() };
        assert_eq!(
            faults(8, 8, &by_clue),
            [
                "clues must give the last number to a square a (1, 2) move away from the start (0, 0) when the tour is closed, got (1, 1)"
            ]
        );
        let same = ["end must differ from the start on a board of more than one square, got (0, 0)"];
        assert_eq!(faults(8, 8, &Spec { end: Some(at(0, 0)), ..closed.clone() }), same);
        assert_eq!(faults(8, 8, &Spec { end: Some(at(0, 0)), closed: false, ..closed }), same);
        assert!(
            faults(1, 1, &Spec { start: Some(at(0, 0)), end: Some(at(0, 0)), ..Spec::default() }).is_empty()
        );
    }

    #[test]
    fn clues_agree_with_each_other_and_with_the_ends() {
        let with = |clues: Vec<Clue>| {
            let spec = Spec { start: Some(at(0, 0)), end: Some(at(7, 6)), clues, ..Spec::default() };
            faults(8, 8, &spec)
        };
        assert!(with(vec![clue(0, 0, 1), clue(7, 6, 64), clue(4, 4, 9)]).is_empty());
        assert_eq!(with(vec![clue(4, 4, 1)]), ["clues must agree with the start (0, 0), got 1 on (4, 4)"]);
        assert_eq!(with(vec![clue(4, 4, 64)]), ["clues must agree with the end (7, 6), got 64 on (4, 4)"]);
        assert_eq!(
            with(vec![clue(0, 0, 7)]),
            ["clues must give each square one number, got 1 and 7 on (0, 0)"]
        );
        assert_eq!(
            with(vec![clue(4, 4, 9), clue(4, 4, 10)]),
            ["clues must give each square one number, got 9 and 10 on (4, 4)"]
        );
        assert_eq!(
            with(vec![clue(4, 4, 9), clue(4, 5, 9)]),
            ["clues must give each number to one square, got 9 on (4, 4) and (4, 5)"]
        );
        assert_eq!(
            with(vec![clue(4, 4, 9), clue(4, 4, 9)]),
            ["clues must be different squares, got (4, 4) twice"]
        );
    }

    #[test]
    fn clues_for_the_first_and_the_last_number_are_ends() {
        let spec = Spec { clues: vec![clue(7, 6, 64), clue(0, 0, 1)], ..Spec::default() };
        let problem = Problem::new(Size::new(8, 8).unwrap(), &spec).unwrap();
        assert_eq!((problem.start(), problem.end()), (Some(at(0, 0)), Some(at(7, 6))));
        assert!(!problem.has_inner_clues());
        assert!(problem.is_classic());
    }
}
