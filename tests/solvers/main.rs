//! The solvers, without HTTP: against published facts, reference values, and brute force.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod costs;
mod knight_tour;
mod knight_tour_brute_force;
mod queens;
mod queens_properties;
mod tromino;
