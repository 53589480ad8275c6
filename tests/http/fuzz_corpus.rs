//! What the fuzz targets begin with, and small changes of it, as ordinary tests: no request brings its reader down, and
//! whatever was understood once is so again. A find of the fuzzer becomes a file in `fuzz/corpus`, and stays.

#[path = "../../fuzz/read.rs"]
mod read;

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use read::{TARGETS, Target};

/// What a request is made of, and what is at the edge of what it may be.
const WORDS: &[&str] = &[
    "&",
    "=",
    ",",
    "0",
    "1",
    "8",
    "-1",
    "1e9",
    "0.5",
    "8.0",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "true",
    "false",
    "null",
    "size",
    "rows",
    "cols",
    "holes",
    "grid",
    "seed",
    "count",
    "board",
    "timeout_ms",
    "format",
    "style",
    "start",
    "end",
    "closed",
    "blocked",
    "method",
    "leaper",
    "clues",
    "unique",
    "path",
    "limit",
    "offset",
    "distinct",
    "queens",
    "regions",
    "attack",
    "svg",
    "text",
    "ndjson",
    "torus",
    "touch",
    "fundamental",
    "warnsdorff",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\\u0000",
    "\\ud800",
    "%2C",
    "%00",
    "%",
    "+",
    " ",
    "\n",
    ".",
    "#",
    "*/*",
    ";q=",
    "é",
    "\u{1F600}",
];

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Runs the target, and names the input when it fails.
fn run(name: &str, target: Target, from: &Path, input: &[u8]) {
    if catch_unwind(|| target(input)).is_err() {
        panic!("{name} fails for this, made from {}: {:?}", from.display(), String::from_utf8_lossy(input));
    }
}

/// The input with a small change.
fn changed(input: &[u8], others: &[(PathBuf, Vec<u8>)], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let from = random.random_range(0..=bytes.len());
    let to = random.random_range(from..=bytes.len().min(from + 8));
    match random.random_range(0..6) {
        // A piece goes,
        0 => drop(bytes.drain(from..to)),
        // or comes again,
        1 => {
            let piece = bytes[from..to].to_vec();
            bytes.splice(from..from, piece);
        }
        // or is something else,
        2 | 3 => {
            let word = WORDS[random.random_range(0..WORDS.len())];
            bytes.splice(from..to, word.bytes());
        }
        // or a byte is another,
        4 => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte ^= 1 << random.random_range(0..8);
            }
        }
        // or the rest is that of another input.
        _ => {
            let (_, other) = &others[random.random_range(0..others.len())];
            bytes.truncate(from);
            bytes.extend(&other[random.random_range(0..=other.len())..]);
        }
    }
    bytes
}

/// Runs every target with so many inputs that come from its corpus by one to eight changes each.
fn mutate(rounds: usize) {
    for (number, (name, target)) in TARGETS.into_iter().enumerate() {
        let corpus = corpus(name);
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        for round in 0..rounds {
            let (path, first) = &corpus[round % corpus.len()];
            let mut input = first.clone();
            for _ in 0..random.random_range(1..=8) {
                input = changed(&input, &corpus, &mut random);
            }
            run(name, target, path, &input);
        }
    }
}

#[test]
fn every_target_has_its_program_and_its_corpus() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(fuzz.join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let targets: BTreeSet<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("corpus"), targets);
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in targets {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is in no [[bin]]");
    }
}

#[test]
fn the_corpus_brings_no_reader_down() {
    for (name, target) in TARGETS {
        for (path, input) in corpus(name) {
            run(name, target, &path, &input);
        }
    }
}

#[test]
fn small_changes_of_the_corpus_bring_no_reader_down() {
    mutate(5_000);
}

#[test]
#[ignore = "takes a minute"]
fn many_small_changes_of_the_corpus_bring_no_reader_down() {
    mutate(400_000);
}
