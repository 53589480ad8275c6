//! `/queens`: place n queens so that none attacks another.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};

use super::Bounds;
use super::accept::Format;
use super::form::{Form, Rendered};
use super::params::{Field, Fields, grouped};
use super::puzzle::{self, Puzzle, Wrong};
use crate::board::Size;
use crate::engine::Outlet;
use crate::puzzles::queens::verify::Verifier;
use crate::puzzles::queens::{self, Attack, Distinct, Plan, Problem, Spec};
use crate::puzzles::{Budget, Interrupted, Outcome};
use crate::render::json::{self, Object};
use crate::render::{Drawing, Style};

/// The words for which squares a queen attacks.
const ATTACKS: [(&str, Attack); 3] =
    [("queen", Attack::Queen), ("touch", Attack::Touch), ("torus", Attack::Torus)];

/// The words for which solutions count as different.
const DISTINCT: [(&str, Distinct); 2] = [("all", Distinct::All), ("fundamental", Distinct::Fundamental)];

/// The word that stands for a value in one of these lists, which have them all.
fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, other)| *other == value).map_or("", |(word, _)| *word)
}

/// A checked request.
pub struct Request {
    problem: Problem,
    /// The board to draw, if it is to be drawn.
    board: Option<Size>,
}

impl Puzzle for Request {
    const NAME: &'static str = "queens";

    const FIELDS: &'static [Field] = &[
        Field::one("size"),
        Field::one("limit"),
        Field::one("offset"),
        Field::one("count"),
        Field::one("distinct"),
        Field::list("queens"),
        Field::list("blocked"),
        Field::list("regions").post_only(),
        Field::one("unique"),
        Field::one("attack"),
        Field::one("seed"),
        Field::one("board"),
    ];

    const FORMATS: &'static [Format] = &[Format::Json, Format::Text, Format::Svg, Format::Ndjson];

    const STYLES: &'static [(&'static str, Style)] = &[("ascii", Style::Ascii)];

    fn read(fields: &mut Fields, bounds: &Bounds, format: Format) -> Option<Self> {
        let side = fields.required_integer("size", 1..=u64::from(Problem::MAX_SIZE));
        let streamed = format == Format::Ndjson;
        let most = if streamed { u64::MAX } else { Problem::MAX_LIMIT };
        // Lines go on until all are out, where a search in order can list them at all.
        let listable = side.is_some_and(|side| side <= u64::from(Problem::MAX_ORDERED_SIZE));
        let usual = if streamed && listable { u64::MAX } else { 1 };
        let spec = Spec {
            limit: fields.integer("limit", 0..=most).unwrap_or(usual),
            offset: fields.integer("offset", 0..=u64::MAX).unwrap_or_default(),
            count: fields.boolean("count"),
            distinct: fields.word("distinct", &DISTINCT).unwrap_or_default(),
            queens: fields.squares("queens"),
            blocked: fields.squares("blocked"),
            regions: fields.whole_list("regions", "[0, 0, 1, …]"),
            unique: fields.boolean("unique").unwrap_or_default(),
            attack: fields.word("attack", &ATTACKS).unwrap_or_default(),
            seed: fields.integer("seed", 0..=u64::MAX),
            streamed,
        };
        let board = fields.boolean("board").unwrap_or(true);
        // The range makes sure of it.
        let side = u32::try_from(side?).ok()?;
        if board && u64::from(side).pow(2) > bounds.max_squares {
            let detail = format!(
                "must be at most {} where the board is drawn (the server takes boards of at most {} squares), got \
                 {side}; board=false takes sizes to {}",
                bounds.max_squares.isqrt(),
                grouped(bounds.max_squares),
                grouped(u64::from(Problem::MAX_SIZE)),
            );
            fields.fault("size", detail);
        }
        let problem = fields.check(Problem::new(side, &spec))?;
        Some(Self { problem, board: Size::new(side, side).filter(|_| board) })
    }

    fn canonical(&self) -> Value {
        let problem = &self.problem;
        let size = problem.size();
        let mut request = json!({"size": size});
        if problem.limit() != 1 {
            request["limit"] = json!(problem.limit());
        }
        if problem.offset() != 0 {
            request["offset"] = json!(problem.offset());
        }
        if problem.count() != (size <= Problem::COUNTED_SIZE) {
            request["count"] = json!(problem.count());
        }
        if problem.distinct() != Distinct::default() {
            request["distinct"] = json!(word(&DISTINCT, problem.distinct()));
        }
        for (name, squares) in [("queens", problem.queens()), ("blocked", problem.blocked())] {
            if !squares.is_empty() {
                request[name] = puzzle::squares(squares);
            }
        }
        if let Some(regions) = problem.regions() {
            request["regions"] = regions.of().rows().map(|row| json!(row)).collect();
        }
        if problem.unique() {
            request["unique"] = json!(true);
        }
        if problem.attack() != Attack::default() {
            request["attack"] = json!(word(&ATTACKS, problem.attack()));
        }
        if let Some(seed) = problem.seed() {
            request["seed"] = json!(seed);
        }
        if !self.draws() {
            request["board"] = json!(false);
        }
        request
    }
    fn sides(&self) -> (usize, usize) {
        let side = self.problem.size() as usize;
        (side, side)
    }

    fn draws(&self) -> bool {
        self.board.is_some()
    }

    fn predict(&self) -> Duration {
        queens::cost::predict(&self.problem)
    }

    fn solve(&self, form: Form, budget: &Budget) -> Result<Result<Rendered, Wrong>, Interrupted> {
        self.conclude(queens::solve(&self.problem, budget)?, form, budget)
    }

    fn plan(&self, budget: &Budget) -> Result<Option<Plan>, Interrupted> {
        queens::plan(&self.problem, budget)
    }

    fn solve_counted(
        &self,
        total: u64,
        form: Form,
        budget: &Budget,
    ) -> Result<Result<Rendered, Wrong>, Interrupted> {
        self.conclude(queens::solve_counted(&self.problem, total, budget)?, form, budget)
    }

    fn write_lines(&self, budget: &Budget, outlet: &mut Outlet) {
        let mut lines = 0_u64;
        let mut wrong = None;
        let mut line = Vec::new();
        let mut verifier = Verifier::new(&self.problem);
        let outcome = queens::stream(&self.problem, budget, &mut |columns| {
            if let Err(violation) = verifier.verify(columns) {
                wrong = Some(violation);
                return ControlFlow::Break(());
            }
            lines += 1;
            line.clear();
            json::list(&mut line, columns);
            line.push(b'\n');
            outlet.write(&line)
        });
        let mut summary = Object::new();
        match (wrong, outcome) {
            (Some(violation), _) => {
                tracing::error!(what = %violation, "A SOLVER GAVE A WRONG ANSWER, which was not sent");
                summary.field("status", "failed");
            }
            (None, Ok(Outcome::Solved(_))) => {
                summary.field("status", "solved");
            }
            (None, Ok(Outcome::Impossible(why))) => {
                summary.field("status", "impossible");
                summary.field("reason", &why.reason).field("proof", why.proof.word());
            }
            // The client has gone, or its time is over.
            (None, Err(Interrupted::Cancelled)) => return,
            (None, Err(Interrupted::Deadline)) => {
                summary.field("status", "interrupted");
            }
        }
        summary.field("solution_count", &lines);
        if let Some(text) = summary.finish().whole() {
            // If it fails nobody reads any more.
            let _ = outlet.write(&text);
        }
    }
}

impl Request {
    /// Checks what was found, and makes the answer of it.
    fn conclude(
        &self,
        outcome: Outcome<queens::Answer>,
        form: Form,
        budget: &Budget,
    ) -> Result<Result<Rendered, Wrong>, Interrupted> {
        Ok(match outcome {
            Outcome::Impossible(why) => {
                Ok(form.impossible(&why, &self.name(), self.board, self.problem.blocked(), |object| {
                    object.field("size", &self.problem.size());
                    object.field("solution_count", &0).field("fundamental_count", &0);
                    object.field("solutions", &[(); 0]).field("unique", &()).field("uniform", &());
                }))
            }
            Outcome::Solved(found) => {
                // The board is the first of the solutions, if any are listed.
                let unlisted = found.solutions.is_empty().then_some(&found.board);
                let mut verifier = Verifier::new(&self.problem);
                for columns in found.solutions.iter().chain(unlisted) {
                    budget.check()?;
                    if let Err(violation) = verifier.verify(columns) {
                        return Ok(Err(Wrong(format!("{:?}: {violation}", self.problem))));
                    }
                }
                Ok(self.answer(form, &found))
            }
        })
    }

    /// The board, in a few words.
    fn name(&self) -> String {
        format!("{} queens", self.problem.size())
    }

    fn answer(&self, form: Form, found: &queens::Answer) -> Rendered {
        let mut facts = format!("{}: a solution by {}", self.name(), found.method.word());
        if let Some(count) = found.solution_count {
            facts += &format!(", one of {}", grouped(count));
        }
        if let Some(count) = found.fundamental_count {
            facts += &format!(", of which {} are fundamental", grouped(count));
        }
        form.answer(
            "solved",
            found.method.word(),
            &facts,
            |object| self.write(object, found),
            || {
                let size = self.board?;
                Some(Drawing::Queens {
                    size,
                    columns: found.board.clone(),
                    blocked: self.problem.blocked().to_vec(),
                })
            },
        )
    }

    fn write(&self, object: &mut Object, found: &queens::Answer) {
        object.field("size", &self.problem.size()).field("method", found.method.word());
        object
            .field("solution_count", &found.solution_count)
            .field("fundamental_count", &found.fundamental_count);
        object.field("unique", &found.unique).field("uniform", &found.uniform);
        object.field("solutions", &found.solutions);
        match self.board {
            None => object.field("board", &()),
            Some(size) => {
                let columns = found.board.clone();
                object.matrix("board", size.rows(), size.cols(), move |row, out| {
                    out.fill(0);
                    out[columns[row] as usize] = 1;
                })
            }
        };
    }
}
