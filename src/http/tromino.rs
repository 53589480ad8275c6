//! `/tromino`: cover a board with L-shaped tiles of three squares.

use super::App;
use super::params::{Field, Fields};
use super::puzzle::{self, Answer, PuzzleRequest, TIMEOUT_MS, Wrong};
use crate::puzzles::tromino::{self, Options, Solution};
use crate::puzzles::{Budget, Interrupted, Outcome};
use crate::render::json::Object;

/// A checked request.
pub struct Request {
    problem: tromino::Problem,
    board: bool,
}

impl PuzzleRequest for Request {
    const PUZZLE: &'static str = "tromino";

    const FIELDS: &'static [Field] = &[
        Field::one("size"),
        Field::one("rows"),
        Field::one("cols"),
        Field::list("holes"),
        Field::one("board"),
        TIMEOUT_MS,
    ];

    fn read(fields: &mut Fields, app: &App) -> Option<Self> {
        let size = fields.board_size(app.max_squares);
        let holes = fields.squares("holes");
        let board = fields.boolean("board").unwrap_or(true);
        let problem = fields.check(tromino::Problem::new(size?, holes))?;
        if !problem.is_deficient_power_of_two() {
            fields.fault("holes", "must be one hole on a board of 2, 4, 8, 16, … squares a side: other boards aren't supported yet");
        }
        Some(Self { problem, board })
    }

    fn size(&self) -> String {
        self.problem.size().to_string()
    }

    fn solve(self, budget: &Budget) -> Result<Result<Answer, Wrong>, Interrupted> {
        Ok(match tromino::solve(&self.problem, &Options::default(), budget)? {
            Outcome::Impossible(impossible) => {
                Ok(Answer::impossible(&impossible, |object| self.asked(object)))
            }
            Outcome::Solved(solution) => match tromino::verify_within(&self.problem, &solution, budget)? {
                Ok(()) => Ok(Answer::solved(|object| self.solved(object, solution))),
                Err(violation) => Err(Wrong(format!("{:?}: {violation}", self.problem))),
            },
        })
    }
}

impl Request {
    /// The fields that tell what was asked.
    fn asked(&self, object: &mut Object) {
        let size = self.problem.size();
        object.field("rows", &size.rows()).field("cols", &size.cols());
        let holes: Vec<_> = self.problem.holes().iter().map(|hole| [hole.row, hole.col]).collect();
        object.field("holes", &holes);
    }

    fn solved(&self, object: &mut Object, solution: Solution) {
        self.asked(object);
        object.field("tile_count", &solution.tile_count()).field("method", solution.method().word());
        puzzle::board(object, self.board, solution.size(), move |row, out| solution.fill_row(row, out));
    }
}
