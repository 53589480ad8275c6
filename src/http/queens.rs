//! `/queens`: place n queens so that none attacks another.

use super::App;
use super::params::{Field, Fields, grouped};
use super::puzzle::{Answer, PuzzleRequest, TIMEOUT_MS, Wrong};
use crate::board::Size;
use crate::puzzles::queens::{self, Spec};
use crate::puzzles::{Budget, Interrupted, Outcome};
use crate::render::json::Object;

/// A checked request.
pub struct Request {
    problem: queens::Problem,
    /// The board to draw, if it is to be drawn.
    board: Option<Size>,
}

impl PuzzleRequest for Request {
    const PUZZLE: &'static str = "queens";

    const FIELDS: &'static [Field] =
        &[Field::one("size"), Field::one("limit"), Field::one("count"), Field::one("board"), TIMEOUT_MS];

    fn read(fields: &mut Fields, app: &App) -> Option<Self> {
        let size = fields.required_integer("size", 1..=u64::from(queens::Problem::MAX_SIZE));
        let limit = fields.integer("limit", 0..=queens::Problem::MAX_LIMIT).unwrap_or(1);
        let count = fields.boolean("count");
        let board = fields.boolean("board").unwrap_or(true);
        // The range makes sure of it.
        let size = u32::try_from(size?).ok()?;
        let squares = u64::from(size) * u64::from(size);
        if board && squares > app.max_squares {
            let detail = format!(
                "must be at most {} where the board is drawn (the server takes boards of at most {} squares), got {size}; \
                 board=false takes sizes to {}",
                app.max_squares.isqrt(),
                grouped(app.max_squares),
                grouped(u64::from(queens::Problem::MAX_SIZE)),
            );
            fields.fault("size", detail);
        }
        let problem = fields.check(queens::Problem::new(size, &Spec { limit, count }))?;
        Some(Self { problem, board: Size::new(size, size).filter(|_| board) })
    }

    fn size(&self) -> String {
        self.problem.size().to_string()
    }

    fn solve(self, budget: &Budget) -> Result<Result<Answer, Wrong>, Interrupted> {
        Ok(match queens::solve(&self.problem, budget)? {
            Outcome::Impossible(impossible) => Ok(Answer::impossible(&impossible, |object| {
                object.field("size", &self.problem.size());
                object.field("solution_count", &0).field("fundamental_count", &0);
                object.field("solutions", &[(); 0]).field("board", &());
            })),
            Outcome::Solved(found) => {
                let wrong = found
                    .solutions
                    .iter()
                    .chain([&found.board])
                    .find_map(|columns| queens::verify::verify(self.problem.size(), columns).err());
                match wrong {
                    None => Ok(Answer::solved(|object| self.solved(object, found))),
                    Some(violation) => Err(Wrong(format!("{:?}: {violation}", self.problem))),
                }
            }
        })
    }
}

impl Request {
    fn solved(&self, object: &mut Object, found: queens::Answer) {
        object.field("size", &self.problem.size()).field("method", found.method.word());
        object
            .field("solution_count", &found.solution_count)
            .field("fundamental_count", &found.fundamental_count);
        object.field("solutions", &found.solutions);
        match self.board {
            None => object.field("board", &()),
            Some(size) => object.matrix("board", size.rows(), size.cols(), move |row, out| {
                out.fill(0);
                out[found.board[row] as usize] = 1;
            }),
        };
    }
}
