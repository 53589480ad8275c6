//! The form of an answer: what the client asked for, and the answer made into it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;

use super::accept::Format;
use super::params::{Fields, grouped};
use crate::board::{Size, Square};
use crate::engine::jobs::Answer;
use crate::puzzles::Impossible;
use crate::render::json::{Json, Object};
use crate::render::svg::Caption;
use crate::render::{Drawing, Style, svg, text};

/// The form that a client asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// The format.
    pub format: Format,
    /// How text is written.
    pub style: Style,
}

/// An answer in the form that was asked for.
#[derive(Debug)]
pub struct Rendered {
    /// `solved`, `impossible` or `stuck`.
    pub status: &'static str,
    /// What found it, or the kind of proof that there is nothing.
    pub method: &'static str,
    /// The body.
    pub content: Content,
    /// How long the solver took, the check and the rendering included.
    pub took: Duration,
}

impl Rendered {
    /// The answer of a job, a JSON object.
    #[must_use]
    pub fn of_job(answer: &Answer) -> Self {
        // It begins with the status, as every answer does.
        let begins = |status: &&str| answer.starts_with(&format!("{{\"status\":\"{status}\""));
        Self {
            status: ["solved", "impossible", "stuck"].into_iter().find(begins).unwrap_or("answered"),
            method: "job",
            content: Content::Whole(Bytes::copy_from_slice(answer.as_bytes())),
            took: Duration::ZERO,
        }
    }
}

/// How many pieces of a large answer may be written before the first of them is sent.
const AHEAD: usize = 4;

/// The body of an answer.
#[derive(Debug)]
pub enum Content {
    /// All of it.
    Whole(Bytes),
    /// A JSON object of which the large members are written as the client takes them.
    Pieces(Arc<Json>),
}

impl Content {
    /// All of it as a text of at most so many bytes; `None` if it is longer.
    #[must_use]
    pub fn text(&self, most: usize) -> Option<String> {
        let mut bytes = Vec::new();
        match self {
            Self::Whole(whole) => bytes.extend_from_slice(whole),
            Self::Pieces(json) => {
                for chunk in Arc::clone(json).chunks() {
                    if bytes.len() + chunk.len() > most {
                        return None;
                    }
                    bytes.extend_from_slice(&chunk);
                }
            }
        }
        // What this program writes is UTF-8.
        String::from_utf8(bytes).ok().filter(|text| text.len() <= most)
    }

    /// The body of a response.
    pub fn body(&self) -> Body {
        match self {
            Self::Whole(bytes) => Body::from(bytes.clone()),
            Self::Pieces(json) => {
                let (send, mut chunks) = mpsc::channel(AHEAD);
                let json = Arc::clone(json);
                // Written by a task of its own, so that one processor writes what another one sends.
                let writer = tokio::spawn(async move {
                    for chunk in json.chunks() {
                        // Nobody takes them any more.
                        if send.send(chunk).await.is_err() {
                            break;
                        }
                    }
                });
                let chunks = stream::poll_fn(move |context| chunks.poll_recv(context)).map(Ok);
                // If it panicked, the answer mustn't look complete.
                let failure = stream::once(writer).filter_map(|end| ready(end.err().map(Err)));
                Body::from_stream(chunks.chain(failure))
            }
        }
    }
}

impl Form {
    /// Adds a fault for each thing that this form can't do: a text that is too wide, a picture that is too large, a
    /// picture without a board.
    pub fn check(self, fields: &mut Fields, (rows, cols): (usize, usize), board: bool) {
        let squares = rows.saturating_mul(cols);
        let side = if fields.came("cols") { "cols" } else { "size" };
        match self.format {
            Format::Text if board && cols > text::MAX_COLS => {
                fields.fault(
                    side,
                    format!(
                        "must be at most {} for text, got {cols}; JSON has no such limit",
                        text::MAX_COLS
                    ),
                );
            }
            Format::Svg if squares > svg::MAX_SQUARES => {
                let most = grouped(svg::MAX_SQUARES as u64);
                let got = grouped(squares as u64);
                fields.fault(
                    side,
                    format!(
                        "must make at most {most} squares for a picture, got {got}; JSON has no such limit"
                    ),
                );
            }
            Format::Svg if !board => fields.fault("board", "must be true for a picture, got false"),
            _ => {}
        }
    }

    /// An answer that this `method` found: `facts` is a line about it, `json` adds its members, `drawing` is what text and pictures show, if
    /// anything.
    pub fn answer(
        self,
        status: &'static str,
        method: &'static str,
        facts: &str,
        json: impl FnOnce(&mut Object),
        drawing: impl FnOnce() -> Option<Drawing>,
    ) -> Rendered {
        let content = match self.format {
            // A puzzle that gives its solutions line by line doesn't come here for them.
            Format::Json | Format::Ndjson => {
                let mut object = Object::new();
                object.field("status", status);
                json(&mut object);
                let json = object.finish();
                json.whole().map_or_else(|| Content::Pieces(Arc::new(json)), Content::Whole)
            }
            Format::Text => {
                let board = drawing().map(|drawing| drawing.text(self.style)).unwrap_or_default();
                Content::Whole(format!("{facts}\n{board}").into())
            }
            Format::Svg => {
                let (title, description) = facts.split_once(": ").unwrap_or((facts, facts));
                let caption = Caption { title: title.to_owned(), description: description.to_owned() };
                let picture = drawing().map(|drawing| drawing.svg(&caption)).unwrap_or_default();
                Content::Whole(picture.into())
            }
        };
        Rendered { status, method, content, took: Duration::ZERO }
    }

    /// The proof that there is no answer. `what` names the board in a line, `json` adds what was asked and what else
    /// stands in the place of an answer; the board of this size, if any, is drawn with the squares `holes` left out.
    pub fn impossible(
        self,
        why: &Impossible,
        what: &str,
        size: Option<Size>,
        holes: &[Square],
        json: impl FnOnce(&mut Object),
    ) -> Rendered {
        let facts = format!("{what}: impossible. {}", why.reason);
        let members = |object: &mut Object| {
            object.field("reason", &why.reason).field("proof", why.proof.word());
            json(object);
            object.field("board", &());
        };
        self.answer("impossible", why.proof.word(), &facts, members, || {
            Some(Drawing::Empty { size: size?, holes: holes.to_vec() })
        })
    }
}
