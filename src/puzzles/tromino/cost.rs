//! How long a problem will take, judged by its size alone: enough to tell what takes microseconds from what takes
//! seconds before anything is begun. The figures are measured, on one thread; `cargo bench --bench cost` shows them
//! beside the times that they predict.

use std::time::Duration;

use super::{Options, Problem};

/// The widest board that the broken profile sweeps; see [`solve`](super::solve).
const SWEPT: usize = 20;

/// The time that `problem` will take, roughly: within a factor of ten where its steps are known beforehand, and too much
/// rather than too little where they aren't.
#[must_use]
pub fn predict(problem: &Problem, options: &Options) -> Duration {
    let size = problem.size();
    let (short, long) = (size.rows().min(size.cols()), size.rows().max(size.cols()));
    // A sweep on 20 columns, scaled by its length; a column more or less is a factor.
    let sweep = |seconds: f64, factor: f64| {
        seconds * factor.powi(short as i32 - SWEPT as i32) * long as f64 / SWEPT as f64
    };
    let mut seconds = 15e-9 * size.squares() as f64;
    if options.count() || (options.seed().is_some() && short <= SWEPT) {
        seconds += sweep(3.5, 2.2);
    }
    if problem.holes().len() > 1 {
        seconds += if short <= SWEPT { sweep(0.1, 2.2) } else { 1e-6 * size.squares() as f64 };
    } else if options.seed().is_some() {
        seconds += 1e-6 * size.squares() as f64;
    } else if problem.is_deficient_power_of_two() && !options.count() {
        // It is written row by row while it is sent, and checked before.
        seconds = 2e-9 * size.squares() as f64;
    }
    Duration::from_secs_f64(seconds.min(1e6))
}
