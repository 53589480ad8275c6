//! chessboard-solver: an HTTP JSON service that solves the three classic chessboard puzzles.
//!
//! The house has three floors, and each looks only downward:
//!
//! - [`http`]: a request becomes a problem that can't be wrong, a result becomes bytes (with [`render`]);
//! - [`engine`]: runs a solver within limits: permits, threads, deadline, cancellation;
//! - [`puzzles`]: the mathematics: plain functions without async, HTTP or JSON.
//!
//! [`board`] has the words that all of them share, [`config`] every setting; [`telemetry`] tells the operator what happens.

pub mod board;
pub mod config;
pub mod engine;
pub mod http;
pub mod puzzles;
pub mod render;
pub mod telemetry;
