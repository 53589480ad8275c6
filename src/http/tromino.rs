//! `/tromino`: cover a board with L-shaped tiles of three squares.

use std::time::Duration;

use serde_json::{Value, json};

use super::Bounds;
use super::accept::Format;
use super::form::{Form, Rendered};
use super::params::{Field, Fields, grouped};
use super::puzzle::{self, Puzzle, Wrong};
use crate::board::Grid;
use crate::puzzles::tromino::{self, Options, Problem, Solution};
use crate::puzzles::{Budget, Interrupted, Outcome};
use crate::render::json::Object;
use crate::render::{Drawing, Style};

/// The largest board that is held in memory, in squares.
const MAX_HELD: usize = 1 << 24;

/// A checked request.
pub struct Request {
    problem: Problem,
    options: Options,
    board: bool,
}

impl Puzzle for Request {
    const NAME: &'static str = "tromino";

    const FIELDS: &'static [Field] = &[
        Field::one("size"),
        Field::one("rows"),
        Field::one("cols"),
        Field::list("holes"),
        Field::list("grid").post_only(),
        Field::one("seed"),
        Field::one("count"),
        Field::one("board"),
    ];

    const STYLES: &'static [(&'static str, Style)] = &[("numbers", Style::Numbers)];

    fn read(fields: &mut Fields, bounds: &Bounds, _: Format) -> Option<Self> {
        let board_and_holes = if fields.came("grid") {
            fields.grid(bounds.max_squares)
        } else {
            let size = fields.board_size(bounds.max_squares);
            let holes = fields.squares("holes");
            size.map(|size| (size, holes))
        };
        let seed = fields.integer("seed", 0..=u64::MAX);
        let count = fields.boolean("count").unwrap_or_default();
        let board = fields.boolean("board").unwrap_or(true);
        let (size, holes) = board_and_holes?;
        let problem = fields.check(Problem::new(size, holes));
        let options = fields.check(Options::new(size, seed, count));
        let problem = problem?;
        // A classic board is written row by row and never held, unless it is tiled at random.
        let held = seed.is_some() || !problem.is_deficient_power_of_two();
        if held && size.squares() > MAX_HELD {
            let detail = format!(
                "must make at most {} squares, unless it is a 2^k board with one hole and without a seed; got {}",
                grouped(MAX_HELD as u64),
                grouped(size.squares() as u64)
            );
            fields.fault(if fields.came("rows") { "rows" } else { "size" }, detail);
        }
        Some(Self { problem, options: options?, board })
    }

    fn canonical(&self) -> Value {
        let size = self.problem.size();
        let mut request = json!({"rows": size.rows(), "cols": size.cols()});
        if !self.problem.holes().is_empty() {
            request["holes"] = puzzle::squares(self.problem.holes());
        }
        if let Some(seed) = self.options.seed() {
            request["seed"] = json!(seed);
        }
        if self.options.count() {
            request["count"] = json!(true);
        }
        if !self.board {
            request["board"] = json!(false);
        }
        request
    }

    fn sides(&self) -> (usize, usize) {
        (self.problem.size().rows(), self.problem.size().cols())
    }

    fn draws(&self) -> bool {
        self.board
    }

    fn predict(&self) -> Duration {
        tromino::cost::predict(&self.problem, &self.options)
    }

    fn solve(&self, form: Form, budget: &Budget) -> Result<Result<Rendered, Wrong>, Interrupted> {
        Ok(match tromino::solve(&self.problem, &self.options, budget)? {
            Outcome::Impossible(why) => {
                let (size, holes) = (Some(self.problem.size()), self.problem.holes());
                Ok(form.impossible(&why, &self.name(), size, holes, |object| {
                    self.write_asked(object);
                    object.field("tile_count", &0).field("tiling_count", "0");
                }))
            }
            Outcome::Solved(solution) => match tromino::verify_within(&self.problem, &solution, budget)? {
                Ok(()) => Ok(self.answer(form, &solution)),
                Err(violation) => Err(Wrong(format!("{:?}: {violation}", self.problem))),
            },
        })
    }
}

impl Request {
    /// The board, in a few words.
    fn name(&self) -> String {
        let holes = match self.problem.holes().len() {
            0 => String::new(),
            1 => ", 1 hole".to_owned(),
            holes => format!(", {holes} holes"),
        };
        format!("L-trominoes on {}{holes}", self.problem.size())
    }

    fn answer(&self, form: Form, solution: &Solution) -> Rendered {
        let size = solution.size();
        let (tiles, method) = (solution.tile_count(), solution.method().word());
        let noun = if tiles == 1 { "tile" } else { "tiles" };
        let mut facts = format!("{}: {tiles} {noun}, by {method}", self.name());
        if let Some(count) = solution.tiling_count() {
            facts += &format!(", one of {count} tilings");
        }
        form.answer(
            "solved",
            method,
            &facts,
            |object| self.write(object, solution),
            || {
                self.board.then(|| {
                    let mut board = Grid::filled(size, 0);
                    for (row, cells) in board.cells_mut().chunks_exact_mut(size.cols()).enumerate() {
                        solution.fill_row(row, cells);
                    }
                    let mut colors = vec![0; solution.tile_count() as usize];
                    solution.fill_colors(1, &mut colors);
                    Drawing::Tiling { board, colors }
                })
            },
        )
    }

    /// The fields that tell what was asked.
    fn write_asked(&self, object: &mut Object) {
        let size = self.problem.size();
        object.field("rows", &size.rows()).field("cols", &size.cols());
        object.field("holes", &puzzle::squares(self.problem.holes()));
    }

    fn write(&self, object: &mut Object, solution: &Solution) {
        self.write_asked(object);
        object.field("tile_count", &solution.tile_count()).field("method", solution.method().word());
        object.field("tiling_count", &solution.tiling_count().map(ToString::to_string));
        if let Some(uniform) = solution.uniform() {
            object.field("uniform", &uniform);
        }
        let rows = solution.clone();
        puzzle::board(object, self.board, solution.size(), move |row, out| rows.fill_row(row, out));
        let tiles = solution.clone();
        // The first tile has the number 1.
        object.numbers("tile_colors", solution.tile_count() as usize, move |place, out: &mut [u8]| {
            tiles.fill_colors(place as u32 + 1, out);
        });
    }
}
