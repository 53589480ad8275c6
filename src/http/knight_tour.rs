//! `/knight-tour`: lead a knight over every square exactly once.

use std::time::Duration;

use serde_json::{Value, json};

use super::Bounds;
use super::accept::Format;
use super::form::{Form, Rendered};
use super::params::{Field, Fields, grouped};
use super::puzzle::{self, Puzzle, Wrong};
use crate::board::Square;
use crate::puzzles::knight_tour::{self, Clue, Leaper, Method, Options, Problem, Spec, Stuck, Tour};
use crate::puzzles::{Budget, Interrupted, Outcome};
use crate::render::json::Object;
use crate::render::{Drawing, Style, tour_board};

/// A checked request.
pub struct Request {
    problem: Problem,
    options: Options,
    path: bool,
    board: bool,
}

impl Puzzle for Request {
    const NAME: &'static str = "knight-tour";

    const FIELDS: &'static [Field] = &[
        Field::one("size"),
        Field::one("rows"),
        Field::one("cols"),
        Field::one("start"),
        Field::one("end"),
        Field::one("closed"),
        Field::list("blocked"),
        Field::one("method"),
        Field::one("leaper"),
        Field::list("clues").post_only(),
        Field::one("unique"),
        Field::one("count"),
        Field::one("path"),
        Field::one("board"),
    ];

    const STYLES: &'static [(&'static str, Style)] = &[("numbers", Style::Numbers)];

    fn read(fields: &mut Fields, bounds: &Bounds, _: Format) -> Option<Self> {
        let size = fields.board_size(bounds.max_squares);
        let spec = Spec {
            start: fields.square("start"),
            end: fields.square("end"),
            closed: fields.boolean("closed").unwrap_or_default(),
            blocked: fields.squares("blocked"),
            method: fields
                .word("method", &Method::ALL.map(|method| (method.word(), method)))
                .unwrap_or_default(),
            leaper: fields.pair("leaper").map_or(Leaper::KNIGHT, |(a, b)| Leaper::new(a, b)),
            clues: fields
                .entries("clues", "[row, col, number]")
                .into_iter()
                .map(|(row, col, number)| Clue { square: Square::new(row, col), number })
                .collect(),
        };
        let options = Options {
            unique: fields.boolean("unique").unwrap_or_default(),
            count: fields.boolean("count").unwrap_or_default(),
            memory: bounds.count_memory,
        };
        let path = fields.boolean("path").unwrap_or_default();
        let board = fields.boolean("board").unwrap_or(true);
        let problem = fields.check(Problem::new(size?, &spec))?;
        if options.count {
            let needed = knight_tour::counting_memory(&problem);
            if needed > options.memory as u64 {
                let detail = format!(
                    "must be false on this board: counting its tours takes about {} MiB of memory, and the server \
                     allows {}",
                    grouped(needed >> 20),
                    grouped(options.memory as u64 >> 20)
                );
                fields.fault("count", detail);
            }
        }
        Some(Self { problem, options, path, board })
    }

    fn canonical(&self) -> Value {
        let problem = &self.problem;
        let (size, squares) = (problem.size(), problem.square_count());
        let mut request = json!({"rows": size.rows(), "cols": size.cols()});
        if let Some(start) = problem.start() {
            request["start"] = puzzle::pair(start);
        }
        if let Some(end) = problem.end() {
            request["end"] = puzzle::pair(end);
        }
        // The first and the last square are told above.
        let inner = problem.clues().iter().filter(|clue| clue.number != 1 && clue.number as usize != squares);
        let clues: Vec<_> = inner.map(|clue| [clue.square.row, clue.square.col, clue.number]).collect();
        if !clues.is_empty() {
            request["clues"] = json!(clues);
        }
        if !problem.blocked().is_empty() {
            request["blocked"] = puzzle::squares(problem.blocked());
        }
        if problem.method() != Method::default() {
            request["method"] = json!(problem.method().word());
        }
        if problem.leaper() != Leaper::KNIGHT {
            request["leaper"] = json!(problem.leaper().distances());
        }
        for (name, set) in [
            ("closed", problem.closed()),
            ("unique", self.options.unique),
            ("count", self.options.count),
            ("path", self.path),
        ] {
            if set {
                request[name] = json!(true);
            }
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
        knight_tour::cost::predict(&self.problem, &self.options)
    }

    fn solve(&self, form: Form, budget: &Budget) -> Result<Result<Rendered, Wrong>, Interrupted> {
        Ok(match knight_tour::solve(&self.problem, &self.options, budget)? {
            Outcome::Impossible(why) => {
                let (size, blocked) = (Some(self.problem.size()), self.problem.blocked());
                Ok(form.impossible(&why, &self.name(), size, blocked, |object| {
                    self.write_asked(object);
                    object.field("square_count", &0).field("tour_count", "0");
                }))
            }
            Outcome::Stuck(stuck) => Ok(self.stuck(form, &stuck)),
            Outcome::Solved(tour) => match knight_tour::verify(&self.problem, &tour) {
                Ok(()) => Ok(self.solved(form, &tour)),
                Err(violation) => Err(Wrong(format!("{:?}: {violation}", self.problem))),
            },
        })
    }
}

impl Request {
    /// The board, in a few words.
    fn name(&self) -> String {
        let kind = if self.problem.closed() { "Closed" } else { "Open" };
        let piece = match self.problem.leaper().distances() {
            (1, 2) => "knight's tour".to_owned(),
            (a, b) => format!("({a}, {b}) leaper's tour"),
        };
        format!("{kind} {piece} on {}", self.problem.size())
    }

    fn solved(&self, form: Form, tour: &Tour) -> Rendered {
        let method = tour.finder.word();
        let mut facts = format!("{}: {}, by {method}", self.name(), self.way(&tour.path));
        if let Some(count) = &tour.tour_count {
            facts += &format!(", one of {count} tours");
        }
        if let Some(unique) = tour.unique {
            facts += if unique { ", the only one" } else { ", not the only one" };
        }
        let write = |object: &mut Object| {
            self.write_asked(object);
            self.write_path(object, &tour.path, method, tour.backtracks);
            object.field("tour_count", &tour.tour_count.as_ref().map(ToString::to_string));
            object.field("unique", &tour.unique);
            let (size, path) = (self.problem.size(), tour.path.clone());
            if self.path {
                let pairs = move |place, out: &mut [u32]| {
                    let Square { row, col } = size.square(path[place] as usize);
                    out.copy_from_slice(&[row, col]);
                };
                object.matrix("path", tour.path.len(), 2, pairs);
            } else {
                object.field("path", &());
            }
            self.write_board(object, &tour.path);
        };
        form.answer("solved", method, &facts, write, || self.drawing(&tour.path, self.problem.closed()))
    }

    fn stuck(&self, form: Form, stuck: &Stuck) -> Rendered {
        let method = self.problem.method().word();
        let facts = format!("{}: stuck after {}", self.name(), self.way(&stuck.path));
        let write = |object: &mut Object| {
            self.write_asked(object);
            self.write_path(object, &stuck.path, method, 0);
            self.write_board(object, &stuck.path);
        };
        form.answer("stuck", method, &facts, write, || self.drawing(&stuck.path, false))
    }

    /// The first and the last square of a path, which has at least one.
    fn ends(&self, path: &[u32]) -> (Square, Square) {
        let size = self.problem.size();
        let (first, last) = path.first().zip(path.last()).expect("a path has its first square");
        (size.square(*first as usize), size.square(*last as usize))
    }

    /// A path in a few words.
    fn way(&self, path: &[u32]) -> String {
        let (start, end) = self.ends(path);
        format!("{} squares, from {start} to {end}", path.len())
    }

    fn drawing(&self, path: &[u32], closed: bool) -> Option<Drawing> {
        let (size, blocked) = (self.problem.size(), self.problem.blocked().to_vec());
        self.board.then(|| Drawing::Tour { size, path: path.to_vec(), closed, blocked })
    }

    /// The fields that tell what was asked.
    fn write_asked(&self, object: &mut Object) {
        let size = self.problem.size();
        object
            .field("rows", &size.rows())
            .field("cols", &size.cols())
            .field("closed", &self.problem.closed());
    }

    fn write_path(&self, object: &mut Object, path: &[u32], method: &str, backtracks: u64) {
        let (start, end) = self.ends(path);
        object.field("start", &puzzle::pair(start)).field("end", &puzzle::pair(end));
        object.field("square_count", &path.len()).field("method", method).field("backtracks", &backtracks);
    }

    fn write_board(&self, object: &mut Object, path: &[u32]) {
        let size = self.problem.size();
        let board = tour_board(size, path);
        puzzle::board(object, self.board, size, move |row, out| out.copy_from_slice(board.row(row)));
    }
}
