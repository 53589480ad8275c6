//! Answers as bytes.

pub mod json;
