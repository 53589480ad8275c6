//! The mathematics: what a puzzle is, and what a solver gets and gives.
//!
//! A solver is a plain function. It takes a *problem*, a type that can only be built from valid parts, and a
//! [`Budget`], and returns an [`Outcome`], or [`Interrupted`] when the budget ran out first. Nothing here knows
//! of HTTP, JSON or async, and nothing here reads a clock but the budget.

mod budget;
pub mod knight_tour;
mod parallel;
pub mod queens;
pub mod tromino;

use std::fmt;

pub use budget::{Budget, CancelFlag, Interrupted, Pacer, Progress};

/// How a solver's search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<S, P = std::convert::Infallible> {
    /// There is an answer, and this is one.
    Solved(S),
    /// There is none, and this is why.
    Impossible(Impossible),
    /// The caller's heuristic gave up with this much done. Solvers that can't get stuck have no value for it.
    Stuck(P),
}

/// A proof that a problem has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Impossible {
    /// The kind of argument.
    pub proof: Proof,
    /// The argument, as a sentence for people: with a capital at its start and a full stop at its end.
    pub reason: String,
}

impl Impossible {
    /// A proof of this kind, told in this sentence.
    pub fn new(proof: Proof, reason: impl Into<String>) -> Self {
        Self { proof, reason: reason.into() }
    }
}

/// The kinds of argument by which a problem is shown to have no answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proof {
    /// The number of squares doesn't fit: of the whole board, or of a part that nothing joins to the rest.
    Area,
    /// A chessboard colouring shows too many squares of one colour.
    Colour,
    /// A published theorem covers the board; the reason names it.
    Theorem,
    /// A square has too few neighbours, or none that are left to it.
    Degree,
    /// The board falls into parts that no move joins.
    Connectivity,
    /// Two given pieces attack each other, or given pieces leave a line, a region or a square without any.
    Attack,
    /// Moves that are forced, one after the other, end in a contradiction.
    Forced,
    /// Every possibility was tried.
    Search,
}

impl Proof {
    /// The word that stands for the kind in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Colour => "colour",
            Self::Theorem => "theorem",
            Self::Degree => "degree",
            Self::Connectivity => "connectivity",
            Self::Attack => "attack",
            Self::Forced => "forced",
            Self::Search => "search",
        }
    }
}

/// What is wrong with a part of a problem that somebody asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The field of the contract that is at fault.
    pub field: &'static str,
    /// What came and what is allowed, as a sentence without its subject: "must be …, got …".
    pub detail: String,
}

impl Fault {
    /// A fault of this field.
    pub fn new(field: &'static str, detail: impl Into<String>) -> Self {
        Self { field, detail: detail.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.detail)
    }
}
