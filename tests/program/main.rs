//! The program as its operators meet it: processes that are started, told to stop, and killed.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

#[path = "../common/process.rs"]
mod process;

mod broker;
mod command_line;
mod faults;
mod overload;
mod restarts;
mod tracing;
