//! `/knight-tour`: lead a knight over every square exactly once.

use super::App;
use super::params::{Field, Fields};
use super::puzzle::{self, Answer, PuzzleRequest, TIMEOUT_MS, Wrong};
use crate::board::{Grid, Square};
use crate::puzzles::knight_tour::{self, Method, Options, Spec, Stuck, Tour};
use crate::puzzles::{Budget, Interrupted, Outcome};
use crate::render::json::Object;

/// A checked request.
pub struct Request {
    problem: knight_tour::Problem,
    board: bool,
}

impl PuzzleRequest for Request {
    const PUZZLE: &'static str = "knight-tour";

    const FIELDS: &'static [Field] = &[
        Field::one("size"),
        Field::one("rows"),
        Field::one("cols"),
        Field::one("start"),
        Field::one("closed"),
        Field::one("method"),
        Field::one("board"),
        TIMEOUT_MS,
    ];

    fn read(fields: &mut Fields, app: &App) -> Option<Self> {
        let size = fields.board_size(app.max_squares);
        let start = fields.square("start");
        let closed = fields.boolean("closed").unwrap_or_default();
        let method =
            fields.word("method", &Method::ALL.map(|method| (method.word(), method))).unwrap_or_default();
        let board = fields.boolean("board").unwrap_or(true);
        let problem = fields.check(knight_tour::Problem::new(size?, &Spec { start, closed, method }))?;
        Some(Self { problem, board })
    }

    fn size(&self) -> String {
        self.problem.size().to_string()
    }

    fn solve(self, budget: &Budget) -> Result<Result<Answer, Wrong>, Interrupted> {
        Ok(match knight_tour::solve(&self.problem, &Options::default(), budget)? {
            Outcome::Impossible(impossible) => Ok(Answer::impossible(&impossible, |object| {
                self.asked(object);
                object.field("board", &());
            })),
            Outcome::Stuck(stuck) => Ok(Answer::stuck(|object| self.stuck(object, &stuck))),
            Outcome::Solved(tour) => match knight_tour::verify(&self.problem, &tour) {
                Ok(()) => Ok(Answer::solved(|object| self.solved(object, &tour))),
                Err(violation) => Err(Wrong(format!("{:?}: {violation}", self.problem))),
            },
        })
    }
}

impl Request {
    /// The fields that tell what was asked.
    fn asked(&self, object: &mut Object) {
        let size = self.problem.size();
        object
            .field("rows", &size.rows())
            .field("cols", &size.cols())
            .field("closed", &self.problem.closed());
    }

    fn solved(&self, object: &mut Object, tour: &Tour) {
        self.asked(object);
        self.path(object, &tour.path, tour.board(), tour.finder.word(), tour.backtracks);
    }

    fn stuck(&self, object: &mut Object, stuck: &Stuck) {
        self.asked(object);
        self.path(object, &stuck.path, stuck.board(), self.problem.method().word(), 0);
    }

    /// The fields that tell a path, whether it came to its end or not.
    fn path(&self, object: &mut Object, path: &[u32], board: Grid<u32>, method: &str, backtracks: u64) {
        let size = self.problem.size();
        let pair = |index: u32| {
            let Square { row, col } = size.square(index as usize);
            [row, col]
        };
        if let [first, .., last] | [first @ last] = path {
            object.field("start", &pair(*first)).field("end", &pair(*last));
        }
        object.field("square_count", &path.len()).field("method", method).field("backtracks", &backtracks);
        puzzle::board(object, self.board, size, move |row, out| out.copy_from_slice(board.row(row)));
    }
}
