//! The service as its clients meet it: an app in this process, called through a real socket.
//!
//! One program for all of it, a module for each kind of behaviour: each further program would be linked and optimised
//! on its own.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

#[path = "../common/mod.rs"]
mod common;

mod contract;
mod deadlines;
mod errors;
mod formats;
mod fuzz_corpus;
mod hostile;
mod jobs;
mod metrics;
mod puzzles;
mod readme;
