//! What a request asks for, before anybody knows whether it makes sense.
//!
//! A GET's query string and a POST's JSON object are read into the same [`Params`]: names with the text that came
//! for each. An endpoint then takes its fields out one by one through [`Fields`], which collects every fault
//! instead of stopping at the first, so that a person mends a request once. (Deriving `Deserialize` would stop
//! at the first; this reader exists for that reason.)

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, Method, StatusCode, header};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::ready;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::App;
use super::problem::{Kind, Problem};
use crate::board::{Size, Square};
use crate::puzzles::Fault;

/// The most faults that one answer lists.
const MOST_FAULTS: usize = 20;

/// The largest body that is let in only to be thrown away, in bytes.
const MOST_DISCARDED: u64 = 16 * 1024 * 1024;

/// The most characters of a value that an answer repeats.
const MOST_QUOTED: usize = 48;

/// The fields of a request, in the order in which they came.
#[derive(Debug)]
pub struct Params {
    fields: Vec<(String, Raw)>,
    from_query: bool,
}

/// One value as it came.
#[derive(Debug)]
enum Raw {
    /// From a query string: already decoded.
    Text(String),
    /// From a JSON body: the text of the value.
    Json(Box<RawValue>),
}

impl FromRequest<App> for Params {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let query = request.uri().query().unwrap_or_default();
        if request.method() != Method::POST {
            return Self::from_query(query);
        }
        if !query.is_empty() {
            return Err(Problem::new(
                Kind::MalformedRequest,
                "A POST takes its fields from the JSON body, and this one has a query string too. Put all fields in \
                 one of the two.",
            ));
        }
        expect_json(request.headers())?;
        if let Some(announced) =
            announced(request.headers()).filter(|length| *length > super::BODY_LIMIT as u64)
        {
            // A client that asks first, or has very much to send, hears at once. Others don't listen before they have
            // sent all of it, so it is let in and thrown away.
            let asks = request.headers().contains_key(header::EXPECT);
            if !asks && announced <= MOST_DISCARDED {
                let body = request.into_body().into_data_stream();
                let _ = timeout(app.body_timeout, body.for_each(|_| ready(()))).await;
            }
            return Err(too_large());
        }
        let body = timeout(app.body_timeout, Bytes::from_request(request, app)).await;
        let body = body.map_err(|_| late(app.body_timeout))?.map_err(|rejection| body_problem(&rejection))?;
        Self::from_json(&body)
    }
}

impl Params {
    /// Reads a query string: `name=value` pairs joined by `&`, percent-encoded UTF-8, `+` for a space.
    ///
    /// # Errors
    /// A malformed-request problem when a part isn't so encoded.
    pub fn from_query(query: &str) -> Result<Self, Problem> {
        let fields = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Ok((decode(name)?, Raw::Text(decode(value)?)))
            })
            .collect::<Result<_, Problem>>()?;
        Ok(Self { fields, from_query: true })
    }

    /// Reads a JSON object. Its values stay text, so nothing is rounded and a key that comes twice is kept.
    ///
    /// # Errors
    /// A malformed-request problem when the body isn't one JSON object.
    pub fn from_json(body: &[u8]) -> Result<Self, Problem> {
        let Object(fields) = serde_json::from_slice(body).map_err(|error| {
            let what =
                if body.trim_ascii().is_empty() { "it is empty".to_owned() } else { error.to_string() };
            Problem::new(
                Kind::MalformedRequest,
                format!("The body must be a JSON object such as {{\"size\": 8}}, but {what}."),
            )
        })?;
        let fields = fields.into_iter().map(|(name, value)| (name, Raw::Json(value))).collect();
        Ok(Self { fields, from_query: false })
    }
}

/// The length that a body says it has, in bytes.
fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large() -> Problem {
    let limit = super::BODY_LIMIT / 1024 / 1024;
    Problem::new(Kind::BodyTooLarge, format!("The body may have at most {limit} MiB."))
}

fn late(limit: Duration) -> Problem {
    Problem::new(
        Kind::RequestTimeout,
        format!(
            "The body was not complete within {} ms, which is all the time there is for it.",
            limit.as_millis()
        ),
    )
}

fn expect_json(headers: &HeaderMap) -> Result<(), Problem> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    if let Some(coding) = codings.filter_map(|value| value.to_str().ok()).find(|coding| *coding != "identity")
    {
        return Err(Problem::new(
            Kind::UnsupportedMediaType,
            format!("A POST takes a body as it is, got one with Content-Encoding: {}.", shortened(coding)),
        ));
    }
    let came = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let essence = came.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let got = came.map_or_else(|| "no Content-Type".to_owned(), |came| format!("{came:?}"));
    Err(Problem::new(
        Kind::UnsupportedMediaType,
        format!(
            "A POST takes Content-Type: application/json, got {got}. With curl, --json '{{\"size\": 8}}' sets it."
        ),
    ))
}

fn body_problem(rejection: &BytesRejection) -> Problem {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        too_large()
    } else {
        Problem::new(Kind::MalformedRequest, "The body ended before it was complete.")
    }
}

fn decode(part: &str) -> Result<String, Problem> {
    let malformed = |what| {
        Problem::new(Kind::MalformedRequest, format!("The query string has a part {}, {what}.", quote(part)))
    };
    let mut after_percent = part.split('%').skip(1);
    if !after_percent.all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
    {
        return Err(malformed("in which a % isn't followed by two hexadecimal digits"));
    }
    let spaced = part.replace('+', " ");
    match percent_decode_str(&spaced).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(malformed("which isn't UTF-8")),
    }
}

/// A JSON object with every key in its place, also one that comes twice.
struct Object(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// A field that an endpoint takes.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name, as the contract has it.
    pub name: &'static str,
    /// How often it may come.
    pub takes: Takes,
    /// Whether only a JSON body can hold it.
    pub post_only: bool,
}

/// How often a field may come, and from where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// One value.
    One,
    /// A list: one array in JSON, a key for each entry in a query.
    List,
}

impl Field {
    /// A field with one value.
    #[must_use]
    pub const fn one(name: &'static str) -> Self {
        Self { name, takes: Takes::One, post_only: false }
    }

    /// A field that is a list.
    #[must_use]
    pub const fn list(name: &'static str) -> Self {
        Self { name, takes: Takes::List, post_only: false }
    }

    /// The same field, but only a JSON body can hold it.
    #[must_use]
    pub const fn post_only(self) -> Self {
        Self { post_only: true, ..self }
    }
}

/// What people write for a field of another name, where the letters alone don't show it.
const ALIASES: &[(&str, &str)] = &[
    ("n", "size"),
    ("hole", "holes"),
    ("width", "cols"),
    ("height", "rows"),
    ("columns", "cols"),
    ("timeout", "timeout_ms"),
    ("from", "start"),
    ("begin", "start"),
    ("to", "end"),
    ("max", "limit"),
];

/// Takes the fields of a request out one by one and collects what is wrong with them.
#[derive(Debug)]
pub struct Fields {
    params: Params,
    faults: Faults,
}

impl Fields {
    /// Starts on a request to an endpoint that takes the `known` fields. Unknown fields and single fields that
    /// come twice are faults from the start.
    #[must_use]
    pub fn new(mut params: Params, known: &[Field]) -> Self {
        let mut faults = Faults::default();
        let mut times: HashMap<&str, u32> = HashMap::new();
        for (name, _) in &params.fields {
            let time = times.entry(name).or_default();
            *time += 1;
            match (known.iter().find(|field| field.name == name), *time) {
                (Some(field), 1) if field.post_only && params.from_query => {
                    faults.add(name, || "can only come in the JSON body of a POST".to_owned());
                }
                (None, 1) => faults.add(name, || unknown(name, known)),
                (Some(field), 2) if field.takes == Takes::One || !params.from_query => {
                    faults.add(name, || "must come once, but it came more than once".to_owned());
                }
                _ => {}
            }
        }
        if params.from_query {
            // They are at fault already, whatever they say.
            let misplaced = |name: &str| known.iter().any(|field| field.post_only && field.name == name);
            params.fields.retain(|(name, _)| !misplaced(name));
        }
        Self { params, faults }
    }

    /// Whether the field came at all.
    #[must_use]
    pub fn came(&self, name: &str) -> bool {
        self.params.fields.iter().any(|(came, _)| came == name)
    }

    /// An integer within `range`, if the field came. A number with an empty fraction, `8.0`, is an integer.
    pub fn integer(&mut self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let allowed = || format!("must be an integer from {} to {}", range.start(), grouped(*range.end()));
        self.one(name, allowed, |raw| integer(raw).filter(|value| range.contains(value)))
    }

    /// An integer within `range`; a fault if the field didn't come.
    pub fn required_integer(&mut self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        if !self.came(name) {
            self.fault(name, "is missing");
        }
        self.integer(name, range)
    }

    /// `true` or `false`, if the field came.
    pub fn boolean(&mut self, name: &'static str) -> Option<bool> {
        self.one(
            name,
            || "must be true or false".to_owned(),
            |raw| match raw.text() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
        )
    }

    /// One of a few words, if the field came.
    pub fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let allowed = || {
            let list: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            format!("must be one of {}", list.join(", "))
        };
        self.one(name, allowed, |raw| {
            let text = match raw {
                Raw::Text(text) => text.clone(),
                Raw::Json(json) => serde_json::from_str::<String>(json.get()).ok()?,
            };
            words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
        })
    }

    /// A square, if the field came: `row,col` in a query, `[row, col]` in JSON.
    pub fn square(&mut self, name: &'static str) -> Option<Square> {
        let form = self.square_form();
        self.one(name, || format!("must be a square, {form}"), square)
    }

    /// A list of squares, empty if the field didn't come.
    pub fn squares(&mut self, name: &'static str) -> Vec<Square> {
        let allowed = if self.params.from_query {
            "must be a square, row,col, once for each square"
        } else {
            "must be a list of squares, [[row, col], …]"
        };
        let mut squares = Vec::new();
        let faults = &mut self.faults;
        let mut take = |squares: &mut Vec<Square>, entry: &Raw| match square(entry) {
            Some(square) => squares.push(square),
            None => faults.add(name, || format!("{allowed}, got {entry}")),
        };
        for (_, raw) in self.params.fields.iter().filter(|(came, _)| came == name) {
            // A hundred thousand squares at once, as long as nothing is wrong with any.
            if let Raw::Json(json) = raw
                && let Ok(pairs) = serde_json::from_str::<Vec<(u32, u32)>>(json.get())
            {
                squares.extend(pairs.into_iter().map(|(row, col)| Square::new(row, col)));
                continue;
            }
            match raw.entries() {
                Some(entries) => entries.iter().for_each(|entry| take(&mut squares, entry)),
                None => take(&mut squares, raw),
            }
        }
        squares
    }

    /// Two numbers, if the field came: `a,b` in a query, `[a, b]` in JSON.
    pub fn pair(&mut self, name: &'static str) -> Option<(u32, u32)> {
        let form = if self.params.from_query { "a,b" } else { "[a, b]" };
        let allowed = || format!("must be two integers from 0 to {}, {form}", grouped(u64::from(u32::MAX)));
        self.one(name, allowed, |raw| square(raw).map(|Square { row, col }| (row, col)))
    }

    /// A list, empty if the field didn't come, whose entries serde reads as `T`; `form` says how one of them looks.
    /// Entries that it can't read are faults, and left out.
    pub fn entries<T: DeserializeOwned>(&mut self, name: &'static str, form: &str) -> Vec<T> {
        let mut entries = Vec::new();
        for (_, raw) in self.params.fields.iter().filter(|(came, _)| came == name) {
            let Some(list) = raw.entries() else {
                self.faults.add(name, || format!("must be a list, [{form}, …], got {raw}"));
                continue;
            };
            for (place, entry) in list.iter().enumerate() {
                match serde_json::from_str(entry.text()) {
                    Ok(entry) => entries.push(entry),
                    Err(_) => {
                        self.faults.add(name, || {
                            format!("must be a list, [{form}, …], got {entry} at place {place}")
                        });
                    }
                }
            }
        }
        entries
    }

    /// The same list where it means nothing without each of its entries; `None` when one is at fault or the field
    /// didn't come.
    pub fn whole_list<T: DeserializeOwned>(&mut self, name: &'static str, form: &str) -> Option<Vec<T>> {
        let before = self.faults.count;
        let entries = self.entries(name, form);
        (self.came(name) && self.faults.count == before).then_some(entries)
    }

    /// The size of the board: `size`, or `rows` and `cols`, at most `max_squares` squares. `None` after a fault.
    pub fn board_size(&mut self, max_squares: u64) -> Option<Size> {
        let limit = || format!("the server takes boards of at most {} squares", grouped(max_squares));
        let (side, rows, cols) = (self.came("size"), self.came("rows"), self.came("cols"));
        if side && (rows || cols) {
            self.fault("size", "must not come together with rows and cols: give size, or rows and cols");
            // Whichever of them is meant, what is wrong with it is told as well.
            self.side("size", max_squares.isqrt(), limit);
            self.side("rows", max_squares, limit);
            self.side("cols", max_squares, limit);
            return None;
        }
        if side {
            let side = self.side("size", max_squares.isqrt(), limit)?;
            return Size::new(side, side);
        }
        if !rows && !cols {
            self.fault("size", "is missing: give size for a square board, or rows and cols");
            return None;
        }
        for (name, came) in [("rows", rows), ("cols", cols)] {
            if !came {
                self.fault(name, "is missing: rows and cols come together");
            }
        }
        let rows = self.side("rows", max_squares, limit);
        let cols = self.side("cols", max_squares, limit);
        let (rows, cols) = (rows?, cols?);
        let squares = u64::from(rows) * u64::from(cols);
        if squares > max_squares {
            let detail = format!("times cols makes {} squares, and {}", grouped(squares), limit());
            self.fault("rows", detail);
            return None;
        }
        Size::new(rows, cols)
    }

    /// The board as rows of text in the field `grid`, `.` a square and `#` a hole: its size, at most `max_squares`
    /// squares, and the holes. `None` after a fault, or when the field didn't come.
    pub fn grid(&mut self, max_squares: u64) -> Option<(Size, Vec<Square>)> {
        const GRID: &str = "grid";
        if !self.came(GRID) {
            return None;
        }
        for other in ["size", "rows", "cols", "holes"] {
            if self.came(other) {
                self.fault(other, "must not come together with grid, which tells the board and its holes");
            }
        }
        let lines: Vec<String> = self.whole_list(GRID, "\"..#.\"")?;
        let cols = lines.first().map_or(0, |line| line.chars().count());
        let mut holes = Vec::new();
        let mut whole = true;
        for (row, line) in lines.iter().enumerate() {
            let mut width = 0;
            for (col, character) in line.chars().enumerate() {
                width += 1;
                match character {
                    '.' => {}
                    '#' => holes.push(Square::new(row as u32, col as u32)),
                    other => {
                        whole = false;
                        self.faults.add(GRID, || {
                            format!("must have . for a square and # for a hole, got {other:?} in row {row}, column {col}")
                        });
                    }
                }
            }
            if width != cols {
                whole = false;
                self.faults.add(GRID, || {
                    format!("must have rows of one length, got {width} characters in row {row} and {cols} in row 0")
                });
            }
        }
        let squares = lines.len() as u64 * cols as u64;
        if squares == 0 || squares > max_squares {
            let most = grouped(max_squares);
            self.fault(GRID, format!("must have from 1 to {most} squares, got {}", grouped(squares)));
            return None;
        }
        // A body is so small that its rows and columns are counted in 32 bits.
        Size::new(lines.len() as u32, cols as u32).filter(|_| whole).map(|size| (size, holes))
    }

    fn side(&mut self, name: &'static str, most: u64, limit: impl FnOnce() -> String) -> Option<u32> {
        let allowed = || format!("must be an integer from 1 to {} ({})", grouped(most), limit());
        self.one(name, allowed, |raw| {
            integer(raw).filter(|side| (1..=most).contains(side)).and_then(|side| u32::try_from(side).ok())
        })
    }

    /// Adds a fault that somebody else found.
    pub fn fault(&mut self, field: &str, detail: impl Into<String>) {
        self.faults.add(field, || detail.into());
    }

    /// Passes a valid value on and collects the faults of one that isn't.
    pub fn check<T>(&mut self, checked: Result<T, Vec<Fault>>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(faults) => {
                for fault in faults {
                    self.faults.add(fault.field, || fault.detail);
                }
                None
            }
        }
    }

    /// The request, if it was whole and nothing was wrong with it.
    ///
    /// # Errors
    /// An invalid-request problem with all faults, in the order in which they were found.
    pub fn finish<T>(self, request: Option<T>) -> Result<T, Problem> {
        match request {
            Some(request) if self.faults.count == 0 => Ok(request),
            _ => Err(Problem::invalid(self.faults.listed, self.faults.count)),
        }
    }

    const fn square_form(&self) -> &'static str {
        if self.params.from_query { "row,col" } else { "[row, col]" }
    }

    /// Reads the first value of a field; a second one is a fault already. What is `allowed` is only worded for a fault.
    fn one<T>(
        &mut self,
        name: &'static str,
        allowed: impl FnOnce() -> String,
        read: impl FnOnce(&Raw) -> Option<T>,
    ) -> Option<T> {
        let (_, raw) = self.params.fields.iter().find(|(came, _)| came == name)?;
        let value = read(raw);
        if value.is_none() {
            self.faults.add(name, || format!("{}, got {raw}", allowed()));
        }
        value
    }
}

/// What is wrong with a request: all of it counted, the first [`MOST_FAULTS`] told.
#[derive(Default, Debug)]
struct Faults {
    listed: Vec<(String, String)>,
    count: usize,
}

impl Faults {
    /// Adds one. What it says is made only when it is among those that are told: a body may hold a million.
    fn add(&mut self, field: &str, detail: impl FnOnce() -> String) {
        self.count += 1;
        if self.listed.len() < MOST_FAULTS {
            self.listed.push((field.to_owned(), detail()));
        }
    }
}

fn unknown(name: &str, known: &[Field]) -> String {
    let takes = |candidate: &&str| known.iter().any(|field| field.name == *candidate);
    let alias = ALIASES
        .iter()
        .filter(|(alias, _)| *alias == name.to_lowercase())
        .map(|(_, meant)| *meant)
        .find(takes);
    let near = || {
        known
            .iter()
            .map(|field| (strsim::damerau_levenshtein(&name.to_lowercase(), field.name), field.name))
            .filter(|(distance, meant)| *distance <= meant.len() / 3)
            .min()
            .map(|(_, meant)| meant)
    };
    // A name that is long can't be near, and measuring the distance would cost its length.
    match alias.or_else(|| if name.len() <= MOST_QUOTED { near() } else { None }) {
        Some(meant) => format!("is not a field here; did you mean {meant}?"),
        None => {
            let names: Vec<_> = known.iter().map(|field| field.name).collect();
            format!("is not a field here; there are {}", names.join(", "))
        }
    }
}

impl Raw {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Json(json) => json.get(),
        }
    }

    /// The entries of a JSON array.
    fn entries(&self) -> Option<Vec<Self>> {
        let Self::Json(json) = self else { return None };
        let entries: Vec<Box<RawValue>> = serde_json::from_str(json.get()).ok()?;
        Some(entries.into_iter().map(Self::Json).collect())
    }
}

impl fmt::Display for Raw {
    /// The value as an answer repeats it: short, and in quotes unless it is a number or a word of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) if text.is_empty() => f.write_str("nothing"),
            Self::Text(text) if text.trim() == text && serde_json::from_str::<f64>(text).is_ok() => {
                f.write_str(&shortened(text))
            }
            Self::Text(text) => f.write_str(&quote(text)),
            Self::Json(json) => f.write_str(&shortened(json.get())),
        }
    }
}

fn quote(text: &str) -> String {
    format!("{:?}", shortened(text))
}

/// The text itself, or its beginning with an ellipsis.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number with its digits in groups of three: 1,048,576.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The largest integer that every JSON number of its size stands for alone.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

fn integer(raw: &Raw) -> Option<u64> {
    let text = raw.text();
    // JSON lets white space stand around a number; a query has no use for it.
    let number: serde_json::Number = serde_json::from_str(text).ok().filter(|_| text.trim() == text)?;
    number.as_u64().or_else(|| {
        let value =
            number.as_f64().filter(|value| value.fract() == 0.0 && (0.0..=MAX_EXACT).contains(value))?;
        // It has no fraction and lies within the range of exact integers.
        Some(value as u64)
    })
}

fn square(raw: &Raw) -> Option<Square> {
    let (row, col) = match raw {
        Raw::Text(text) => {
            let (row, col) = text.split_once(',')?;
            (integer(&Raw::Text(row.to_owned()))?, integer(&Raw::Text(col.to_owned()))?)
        }
        Raw::Json(json) => {
            // Into an array of two, not a list: a long list is refused without being read.
            let [row, col]: [Box<RawValue>; 2] = serde_json::from_str(json.get()).ok()?;
            (integer(&Raw::Json(row))?, integer(&Raw::Json(col))?)
        }
    };
    Some(Square::new(u32::try_from(row).ok()?, u32::try_from(col).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Field] = &[
        Field::one("size"),
        Field::one("rows"),
        Field::one("cols"),
        Field::list("holes"),
        Field::one("timeout_ms"),
        Field::one("count"),
    ];

    fn query(query: &str) -> Fields {
        Fields::new(Params::from_query(query).unwrap(), KNOWN)
    }

    fn json(json: &str) -> Fields {
        Fields::new(Params::from_json(json.as_bytes()).unwrap(), KNOWN)
    }

    fn faults(fields: Fields) -> Vec<String> {
        fields.faults.listed.into_iter().map(|(field, detail)| format!("{field} {detail}")).collect()
    }

    #[test]
    fn an_integer_may_be_written_as_any_json_number_without_a_fraction() {
        for text in ["8", "8.0", "8e0", "0.8e1", "80e-1"] {
            assert_eq!(query(&format!("size={text}")).integer("size", 1..=10), Some(8), "{text}");
            assert_eq!(json(&format!("{{\"size\": {text}}}")).integer("size", 1..=10), Some(8), "{text}");
        }
    }

    #[test]
    fn an_integer_outside_its_range_or_of_another_type_is_a_fault_that_says_what_came() {
        for (text, got) in [
            ("0", "0"),
            ("-1", "-1"),
            ("8.5", "8.5"),
            ("1e9", "1e9"),
            ("99999999999999999999", "99999999999999999999"),
            ("NaN", "\"NaN\""),
            ("", "nothing"),
            ("08", "\"08\""),
            ("+8", "\" 8\""),
            ("8%20", "\"8 \""),
            ("true", "\"true\""),
        ] {
            let mut fields = query(&format!("size={text}"));
            assert_eq!(fields.integer("size", 1..=1000), None);
            assert_eq!(faults(fields), [format!("size must be an integer from 1 to 1,000, got {got}")]);
        }
        for text in ["\"8\"", "null", "[8]", "true", "{}"] {
            let mut fields = json(&format!("{{\"size\": {text}}}"));
            assert_eq!(fields.integer("size", 1..=1000), None);
            assert_eq!(faults(fields), [format!("size must be an integer from 1 to 1,000, got {text}")]);
        }
    }

    #[test]
    fn a_seed_keeps_all_its_64_bits() {
        let text = u64::MAX.to_string();
        assert_eq!(query(&format!("size={text}")).integer("size", 0..=u64::MAX), Some(u64::MAX));
        assert_eq!(query("size=18446744073709551616").integer("size", 0..=u64::MAX), None);
    }

    #[test]
    fn squares_come_as_pairs_from_zero() {
        let expected = [Square::new(0, 1), Square::new(3, 4)];
        assert_eq!(query("holes=0,1&holes=3%2C4").squares("holes"), expected);
        assert_eq!(json("{\"holes\": [[0, 1], [3, 4.0]]}").squares("holes"), expected);
    }

    #[test]
    fn what_is_not_a_square_is_named() {
        for text in ["1", "1,2,3", "1,", ",1", "a,b", "-1,0", "1.5,0", "4294967296,0"] {
            let mut fields = query(&format!("holes={text}&holes=0,0"));
            assert_eq!(fields.squares("holes"), [Square::new(0, 0)]);
            assert_eq!(faults(fields).len(), 1, "{text}");
        }
        for text in ["1", "[1,2]", "[[1,2,3]]", "[[1]]", "[\"1,2\"]", "[[\"1\",2]]", "{}", "null", "[[-1,0]]"]
        {
            let mut fields = json(&format!("{{\"holes\": {text}}}"));
            fields.squares("holes");
            assert!(!faults(fields).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_unknown_field_gets_a_suggestion_when_one_is_near() {
        for (name, meant) in [
            ("n", "size"),
            ("N", "size"),
            ("Size", "size"),
            ("sise", "size"),
            ("hole", "holes"),
            ("width", "cols"),
            ("row", "rows"),
            ("timeout", "timeout_ms"),
            ("timeoutms", "timeout_ms"),
        ] {
            let expected = format!("{name} is not a field here; did you mean {meant}?");
            assert_eq!(faults(query(&format!("{name}=1"))), [expected]);
        }
        assert_eq!(
            faults(query("zebra=1")),
            ["zebra is not a field here; there are size, rows, cols, holes, timeout_ms, count"]
        );
    }

    #[test]
    fn a_single_field_that_comes_twice_is_one_fault_however_often_it_came() {
        assert_eq!(
            faults(query("size=1&size=2&size=3")),
            ["size must come once, but it came more than once"]
        );
        assert_eq!(
            faults(json("{\"size\": 1, \"holes\": [], \"size\": 1, \"holes\": []}")),
            [
                "size must come once, but it came more than once",
                "holes must come once, but it came more than once"
            ]
        );
        assert!(faults(query("holes=0,0&holes=0,1")).is_empty());
        assert_eq!(faults(query("zebra=1&zebra=2")).len(), 1);
    }

    #[test]
    fn a_size_is_one_side_or_both() {
        assert_eq!(query("size=8").board_size(100), Size::new(8, 8));
        assert_eq!(query("rows=2&cols=50").board_size(100), Size::new(2, 50));
        for (text, fault) in [
            ("", "size is missing: give size for a square board, or rows and cols"),
            ("rows=3", "cols is missing: rows and cols come together"),
            ("cols=3", "rows is missing: rows and cols come together"),
            ("size=3&rows=3", "size must not come together with rows and cols: give size, or rows and cols"),
            (
                "size=11",
                "size must be an integer from 1 to 10 (the server takes boards of at most 100 squares), got 11",
            ),
            (
                "rows=20&cols=6",
                "rows times cols makes 120 squares, and the server takes boards of at most 100 squares",
            ),
        ] {
            let mut fields = query(text);
            assert_eq!(fields.board_size(100), None, "{text}");
            assert_eq!(faults(fields), [fault]);
        }
    }

    #[test]
    fn a_query_that_is_not_percent_encoded_utf_8_is_malformed() {
        for text in ["size=%", "size=%4", "size=%zz", "%ff=1", "size=%C3%28"] {
            assert!(Params::from_query(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_body_that_is_not_one_object_is_malformed() {
        for text in ["", "[]", "8", "null", "{", "{\"size\": 8} x", "{\"size\": NaN}", "{size: 8}", "\u{1}"] {
            assert!(Params::from_json(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Params::from_json(b"{\"size\": \"\xff\"}").is_err());
    }

    #[test]
    fn a_grid_tells_the_board_and_its_holes() {
        let known = &[Field::one("size"), Field::list("grid").post_only()];
        let grid = |text: &str| {
            let mut fields = Fields::new(Params::from_json(text.as_bytes()).unwrap(), known);
            let grid = fields.grid(20);
            (grid, faults(fields))
        };
        let holes = vec![Square::new(0, 2), Square::new(1, 0)];
        assert_eq!(grid("{\"grid\": [\"..#\", \"#..\"]}"), (Some((Size::new(2, 3).unwrap(), holes)), vec![]));
        for (text, fault) in [
            ("[]", "grid must have from 1 to 20 squares, got 0"),
            ("[\"\"]", "grid must have from 1 to 20 squares, got 0"),
            (
                "[\"...........\", \"..........\"]",
                "grid must have rows of one length, got 10 characters in row 1 and 11 in row 0",
            ),
            (
                "[\"..\", \".x\"]",
                "grid must have . for a square and # for a hole, got 'x' in row 1, column 1",
            ),
            ("[\"..\", 7]", "grid must be a list, [\"..#.\", …], got 7 at place 1"),
            ("\"..\"", "grid must be a list, [\"..#.\", …], got \"..\""),
        ] {
            let (grid, faults) = grid(&format!("{{\"grid\": {text}}}"));
            assert!(faults.contains(&fault.to_owned()), "{faults:?}");
            assert!(grid.is_none(), "{text}");
        }
        let (_, faults) = grid("{\"grid\": [\".\"], \"size\": 1}");
        assert_eq!(faults, ["size must not come together with grid, which tells the board and its holes"]);
        let query = Fields::new(Params::from_query("grid=..").unwrap(), known);
        assert_eq!(query.faults.listed[0].1, "can only come in the JSON body of a POST");
    }

    #[test]
    fn deep_nesting_is_a_fault_of_its_field_and_nothing_worse() {
        let deep = format!("{{\"holes\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let mut fields = json(&deep);
        fields.squares("holes");
        assert_eq!(faults(fields).len(), 1);
    }

    #[test]
    fn a_long_value_is_repeated_only_in_part() {
        let long = "x".repeat(10_000);
        let mut fields = query(&format!("size={long}&{long}=1"));
        fields.integer("size", 1..=9);
        assert!(fields.faults.listed.iter().all(|(_, detail)| detail.len() < 200));
    }

    #[test]
    fn digits_come_in_groups_of_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_048_576, "1,048,576")] {
            assert_eq!(grouped(number), text);
        }
    }
}
