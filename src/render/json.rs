//! JSON objects with large members.
//!
//! An answer is a few facts and a matrix that may have a thousand million numbers. Serde writes the facts. Numbers are
//! written straight into the text, without a value for each in between, and a large member isn't written at all until
//! somebody takes its bytes: then it comes in chunks, so that an answer needs no more memory than its board.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

/// A member with fewer numbers than this is written at once.
const SMALL: usize = 16_384;

/// Room for the answer to a small board, in bytes.
const USUAL: usize = 1024;

/// How many numbers are written between two looks at the size of a chunk.
const RUN: usize = 1024;

/// The size at which a chunk of a large member is handed out, in bytes.
const CHUNK: usize = 64 * 1024;

/// A JSON object under construction: its members stay in the order in which they were added.
#[derive(Default)]
pub struct Object {
    done: Vec<Segment>,
    text: Vec<u8>,
    /// How many numbers the large members have.
    numbers: usize,
}

enum Segment {
    Text(Bytes),
    /// A large member, whose bytes are made each time that they are asked for.
    Large(Box<dyn Fn() -> Chunks + Send + Sync>),
}

/// Bytes in order.
type Chunks = Box<dyn Iterator<Item = Bytes> + Send>;

impl Object {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self { text: Vec::with_capacity(USUAL), ..Self::default() }
    }

    /// Adds a member that serde can write.
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> &mut Self {
        self.name(name);
        serde_json::to_writer(&mut self.text, value)
            .expect("plain data is JSON, and a vector takes any bytes");
        self
    }

    /// Adds a list of `count` numbers. `fill` gets the place of the first number wanted, from 0, and room for that
    /// and those that follow it; it is called for one run after the other.
    pub fn numbers<N, F>(&mut self, name: &str, count: usize, fill: F) -> &mut Self
    where
        N: Copy + Default + Into<u32> + Send + 'static,
        F: Fn(usize, &mut [N]) + Send + Sync + 'static,
    {
        let fill = Arc::new(fill);
        self.large(name, count, move || {
            let fill = Arc::clone(&fill);
            let mut run = vec![N::default(); count.min(RUN)];
            Pieces::new(count.div_ceil(RUN), move |place, text| {
                let first = place * RUN;
                let run = &mut run[..RUN.min(count - first)];
                fill(first, run);
                if place > 0 {
                    text.push(b',');
                }
                join(text, run);
            })
        })
    }

    /// Adds a board of `rows` by `cols`, at least one of each, as a list of its rows, each a list of numbers. `fill`
    /// gets the number of a row, from 0, and room for its numbers; it is called for one row after the other.
    pub fn matrix<F>(&mut self, name: &str, rows: usize, cols: usize, fill: F) -> &mut Self
    where
        F: Fn(usize, &mut [u32]) + Send + Sync + 'static,
    {
        let fill = Arc::new(fill);
        self.large(name, rows * cols, move || {
            let fill = Arc::clone(&fill);
            let mut row = vec![0; cols];
            let runs = cols.div_ceil(RUN);
            Pieces::new(rows * runs, move |place, text| {
                let run = place % runs;
                if run == 0 {
                    fill(place / runs, &mut row);
                    text.extend_from_slice(if place == 0 { b"[" } else { b",[" });
                } else {
                    text.push(b',');
                }
                join(text, &row[run * RUN..cols.min((run + 1) * RUN)]);
                if run + 1 == runs {
                    text.push(b']');
                }
            })
        })
    }

    /// Ends the object, with a line feed behind it for those who read it in a terminal.
    #[must_use]
    pub fn finish(mut self) -> Json {
        self.open();
        self.text.extend_from_slice(b"}\n");
        self.done.push(Segment::Text(self.text.into()));
        Json { segments: self.done, numbers: self.numbers }
    }

    fn large<W, P>(&mut self, name: &str, numbers: usize, pieces: W) -> &mut Self
    where
        W: Fn() -> Pieces<P> + Send + Sync + 'static,
        P: FnMut(usize, &mut Vec<u8>) + Send + 'static,
    {
        self.name(name);
        if numbers < SMALL {
            pieces().append_to(&mut self.text);
        } else {
            self.numbers += numbers;
            self.done.push(Segment::Text(std::mem::take(&mut self.text).into()));
            self.done.push(Segment::Large(Box::new(move || Box::new(pieces()))));
        }
        self
    }

    fn name(&mut self, name: &str) {
        if !self.open() {
            self.text.push(b',');
        }
        serde_json::to_writer(&mut self.text, name).expect("a vector takes any bytes");
        self.text.push(b':');
    }

    /// Writes the opening brace, unless it is there. Whether it wasn't.
    fn open(&mut self) -> bool {
        let first = self.text.is_empty() && self.done.is_empty();
        if first {
            self.text.push(b'{');
        }
        first
    }
}

/// A JSON object whose text can be had in pieces, any number of times.
pub struct Json {
    segments: Vec<Segment>,
    numbers: usize,
}

impl Json {
    /// How many numbers the large members have.
    #[must_use]
    pub const fn numbers(&self) -> usize {
        self.numbers
    }

    /// The whole text, if no member is so large that it comes in pieces.
    #[must_use]
    pub fn whole(&self) -> Option<Bytes> {
        match &self.segments[..] {
            [Segment::Text(text)] => Some(text.clone()),
            _ => None,
        }
    }

    /// The text in pieces of at most some 128 KiB, the large members made as they are taken.
    pub fn chunks(self: Arc<Self>) -> impl Iterator<Item = Bytes> + Send {
        (0..self.segments.len()).flat_map(move |place| match &self.segments[place] {
            Segment::Text(text) => Box::new(std::iter::once(text.clone())),
            Segment::Large(chunks) => chunks(),
        })
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Json").field("segments", &self.segments.len()).finish()
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").field("segments", &self.done.len()).field("text", &self.text.len()).finish()
    }
}

/// Writes a list in chunks, from pieces that are much smaller than a chunk.
struct Pieces<W> {
    next: usize,
    count: usize,
    closed: bool,
    write: W,
}

impl<W: FnMut(usize, &mut Vec<u8>)> Pieces<W> {
    /// A list of `count` pieces; `write` is called once for each in order, with its place, and writes the comma before
    /// it as well.
    const fn new(count: usize, write: W) -> Self {
        Self { next: 0, count, closed: false, write }
    }

    /// Writes the whole list at once.
    fn append_to(mut self, text: &mut Vec<u8>) {
        text.push(b'[');
        for place in 0..self.count {
            (self.write)(place, text);
        }
        text.push(b']');
    }
}

impl<W: FnMut(usize, &mut Vec<u8>)> Iterator for Pieces<W> {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.closed {
            return None;
        }
        let mut chunk = Vec::with_capacity(CHUNK + LONGEST * RUN + SPARE);
        if self.next == 0 {
            chunk.push(b'[');
        }
        while self.next < self.count && chunk.len() < CHUNK {
            (self.write)(self.next, &mut chunk);
            self.next += 1;
        }
        if self.next == self.count {
            self.closed = true;
            chunk.push(b']');
        }
        Some(chunk.into())
    }
}

/// Writes a list of numbers.
pub fn list<N: Copy + Into<u32>>(text: &mut Vec<u8>, numbers: &[N]) {
    text.push(b'[');
    join(text, numbers);
    text.push(b']');
}

/// Writes numbers with a comma between each two.
fn join<N: Copy + Into<u32>>(text: &mut Vec<u8>, numbers: &[N]) {
    for run in numbers.chunks(RUN) {
        // Room for the longest numbers, and for what is written too much of the last. The place stays in a register,
        // which a vector's length does not: that is half the time.
        let start = text.len();
        text.resize(start + LONGEST * run.len() + SPARE, 0);
        let room = &mut text[start..];
        let mut end = 0;
        if run.iter().all(|&number| number.into() < 10) {
            for (pair, &number) in room.chunks_exact_mut(2).zip(run) {
                pair.copy_from_slice(&[b'0' + number.into() as u8, b',']);
            }
            end = 2 * run.len();
        } else {
            for &number in run {
                end += put(&mut room[end..], number.into());
            }
        }
        text.truncate(start + end);
    }
    if !numbers.is_empty() {
        text.truncate(text.len() - 1);
    }
}

/// The bytes of the longest number and its comma.
const LONGEST: usize = 11;

/// How many bytes [`put`] may write beyond those that count.
const SPARE: usize = 16;

/// The digits of the numbers below 10,000, four for each, from the left in the lower bytes.
static FOUR_DIGITS: [u32; 10_000] = {
    let mut table = [0; 10_000];
    let mut number = 0;
    while number < 10_000 {
        let digits = [number / 1000, number / 100 % 10, number / 10 % 10, number % 10];
        let mut place = 0;
        while place < 4 {
            table[number] |= (digits[place] as u32 + b'0' as u32) << (8 * place);
            place += 1;
        }
        number += 1;
    }
    table
};

/// The digits of a number below 10,000.
fn four(number: u32) -> u32 {
    FOUR_DIGITS[number as usize]
}

/// Writes a number and a comma behind it, and returns how many bytes that is.
///
/// The digits are looked up four at a time and moved together in a register; then always as many bytes are written as
/// there may be, and those that are too many are overwritten by what follows. So there is no loop and no copy of unknown
/// length, which makes it twice as quick as writing digit by digit: a board is millions of numbers. Most of them have
/// seven digits, which fill a register with their comma.
#[inline]
fn put(room: &mut [u8], number: u32) -> usize {
    if (1_000_000..10_000_000).contains(&number) {
        let bytes = u64::from(four(number / 10_000) >> 8)
            | u64::from(four(number % 10_000)) << 24
            | u64::from(b',') << 56;
        room[..8].copy_from_slice(&bytes.to_le_bytes());
        8
    } else {
        put_any(room, number)
    }
}

/// Does the same for a number of any length.
fn put_any(room: &mut [u8], number: u32) -> usize {
    let digits = number.checked_ilog10().unwrap_or_default() as usize + 1;
    if digits < 4 {
        let bytes = four(number) >> (8 * (4 - digits)) | u32::from(b',') << (8 * digits);
        room[..4].copy_from_slice(&bytes.to_le_bytes());
    } else if digits < 8 {
        let all = u64::from(four(number / 10_000)) | u64::from(four(number % 10_000)) << 32;
        let bytes = all >> (8 * (8 - digits)) | u64::from(b',') << (8 * digits);
        room[..8].copy_from_slice(&bytes.to_le_bytes());
    } else {
        let (high, low) = (number / 10_000, number % 10_000);
        let all = u128::from(four(high / 10_000))
            | u128::from(four(high % 10_000)) << 32
            | u128::from(four(low)) << 64;
        let bytes = all >> (8 * (12 - digits)) | u128::from(b',') << (8 * digits);
        room[..16].copy_from_slice(&bytes.to_le_bytes());
    }
    digits + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn text(object: Object) -> String {
        String::from_utf8(Arc::new(object.finish()).chunks().flatten().collect()).unwrap()
    }

    #[test]
    fn members_keep_their_order_and_numbers_their_digits() {
        let mut object = Object::new();
        let board = [[0, 1, 22], [333, u32::MAX, 5]];
        object.field("status", "solved").field("none", &None::<u8>);
        object.matrix("board", 2, 3, move |row, out| out.copy_from_slice(&board[row]));
        object.numbers("colors", 3, |first, out: &mut [u8]| out.copy_from_slice(&[1, 2, 3][first..]));
        object.numbers("nothing", 0, |_, _: &mut [u8]| {});
        assert_eq!(
            text(object),
            "{\"status\":\"solved\",\"none\":null,\"board\":[[0,1,22],[333,4294967295,5]],\"colors\":[1,2,3],\
             \"nothing\":[]}\n"
        );
    }

    #[test]
    fn every_number_of_digits_is_written_as_it_should_be() {
        let powers = (0..10).map(|power| 10_u32.pow(power));
        let numbers: Vec<u32> = powers
            .flat_map(|power| [power - 1, power, power + 1, power * 2 + 3])
            .chain([0, 1234, 10_203, 9_999_999, 12_345_678, u32::MAX, u32::MAX - 1])
            .collect();
        for number in numbers {
            let mut text = vec![b'x'];
            join(&mut text, &[number, number, 3]);
            assert_eq!(String::from_utf8(text).unwrap(), format!("x{number},{number},3"));
        }
    }

    #[test]
    fn small_numbers_are_written_as_large_ones_are() {
        for length in [1, 2, 9, RUN - 1, RUN, RUN + 1, 3 * RUN + 5] {
            let mut numbers: Vec<u32> = (0..length).map(|place| place as u32 % 10).collect();
            for last in [9, 10] {
                numbers[length - 1] = last;
                let mut text = Vec::new();
                list(&mut text, &numbers);
                assert_eq!(text, serde_json::to_vec(&numbers).unwrap());
            }
        }
    }

    #[test]
    fn an_empty_object_is_one_too() {
        assert_eq!(text(Object::new()), "{}\n");
    }

    #[test]
    fn large_members_come_in_chunks_that_make_up_the_same_text() {
        for (rows, cols) in [(1, 100_000), (100_000, 1), (RUN, RUN), (3, 2 * RUN), (3, 2 * RUN + 1), (63, 65)]
        {
            let mut object = Object::new();
            object.field("first", &1);
            object.matrix("board", rows, cols, move |row, out| {
                out.iter_mut().zip(0..).for_each(|(cell, col)| *cell = row as u32 * 7 + col);
            });
            object.numbers("list", rows * cols, |first, out: &mut [u32]| {
                out.iter_mut().zip(first as u32..).for_each(|(cell, number)| *cell = number);
            });
            object.field("last", &2);
            let json = Arc::new(object.finish());
            assert_eq!(json.whole().is_some(), rows * cols < SMALL);
            let chunks: Vec<_> = Arc::clone(&json).chunks().collect();
            assert_eq!(json.chunks().collect::<Vec<_>>(), chunks, "a second time the same");
            assert!(chunks.iter().all(|chunk| chunk.len() < 2 * CHUNK));

            let board: Vec<Vec<_>> =
                (0..rows as u32).map(|row| (0..cols as u32).map(|col| row * 7 + col).collect()).collect();
            let list: Vec<_> = (0..(rows * cols) as u32).collect();
            let value: Value = serde_json::from_slice(&chunks.concat()).unwrap();
            assert_eq!(value, json!({"first": 1, "board": board, "list": list, "last": 2}));
        }
    }
}
