//! How long a problem will take, judged before anything is begun; see the
//! [same](crate::puzzles::tromino::cost::predict) for tilings.

use std::time::Duration;

use super::{Attack, Problem};

/// The time that counting the plain board of 18 columns takes.
const COUNT_18: f64 = 7.3;

/// How much longer each further column takes.
const GROWTH: f64 = 8.2;

/// The time that `problem` will take, roughly.
#[must_use]
pub fn predict(problem: &Problem) -> Duration {
    let size = f64::from(problem.size());
    let open = size - problem.queens().len() as f64;
    let listed = problem.limit().saturating_add(problem.offset()) as f64;
    // Whole counts by the open rows.
    let count = |open: f64, factor: f64| factor * COUNT_18 * GROWTH.powf(open - 18.0);

    let mut seconds = if problem.is_plain() {
        match problem.attack() {
            // A search in order, up to three million steps; then an explicit construction.
            Attack::Queen if problem.size() <= 29 => 10e-9 * 1.7_f64.powf(size),
            _ => 30e-9 * size,
        }
    } else {
        // A search with lines, in time of about the squares for most boards.
        0.1e-6 * size * size + if problem.size() > 64 { 1.0 } else { 0.0 }
    };
    if listed > 1.0 {
        seconds += 0.1e-6 * size * listed.min(1e12);
    }
    if problem.count() || (problem.seed().is_some() && problem.size() <= 16) || problem.unique() {
        seconds += match problem.attack() {
            Attack::Queen if problem.regions().is_some() => 1e-4,
            // Drawing by number counts again for each of the first rows.
            Attack::Queen if problem.is_plain() => {
                count(open, if problem.seed().is_some() { 6.0 } else { 1.0 })
            }
            // Without the symmetry of the plain board.
            Attack::Queen => count(open, 4.0),
            Attack::Touch => 28e-3 * 2_f64.powf(open - 16.0),
            Attack::Torus => 10e-9 * 3_f64.powf(open),
        };
    }
    if problem.seed().is_some() {
        seconds += 0.4e-6 * size * listed.max(1.0);
    }
    Duration::from_secs_f64(seconds.min(1e6))
}
