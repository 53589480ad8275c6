//! What is predicted of a request is what it takes, roughly: enough to tell light from heavy.

use std::time::Duration;

use chessboard_solver::engine::Weight;
use chessboard_solver::http::predict;
use serde::Deserialize;

/// A request and the time that its solver took, measured by `cargo bench --bench cost`.
#[derive(Deserialize)]
struct Measured {
    path: String,
    micros: f64,
}

fn measured() -> Vec<Measured> {
    serde_json::from_str(include_str!("../data/costs.json")).unwrap()
}

fn predicted(path: &str) -> Duration {
    let (path, query) = path.split_once('?').unwrap();
    predict(path, query).unwrap_or_else(|problem| panic!("{path}: {}", problem.detail()))
}

/// What takes less than this is quick, whatever is predicted of it.
const QUICK: f64 = 1_000.0;

#[test]
fn what_takes_a_millisecond_or_more_is_predicted_within_a_factor_of_ten() {
    let wrong: Vec<String> = measured()
        .iter()
        .filter(|measured| measured.micros >= QUICK)
        .map(|Measured { path, micros }| (path.clone(), *micros, predicted(path).as_secs_f64() * 1e6))
        .filter(|(_, micros, predicted)| !(0.1..10.0).contains(&(predicted / micros)))
        .map(|(path, micros, predicted)| {
            format!("{path} takes {micros} µs, and {predicted:.0} µs are predicted")
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_quick_is_light_and_what_takes_long_is_heavy() {
    let (mut light, mut heavy) = (0, 0);
    for Measured { path, micros } in measured() {
        let weight = Weight::of(predicted(&path));
        if micros < QUICK {
            assert_eq!(weight, Weight::Light, "{path} takes {micros} µs");
            light += 1;
        } else if micros > 200_000.0 {
            assert_eq!(weight, Weight::Heavy, "{path} takes {micros} µs");
            heavy += 1;
        }
    }
    assert!(light > 10 && heavy > 3, "{light}, {heavy}");
}

#[test]
fn a_search_whose_end_nobody_knows_is_taken_for_a_long_one() {
    for path in [
        "/knight-tour?size=8&method=backtracking&start=0,0",
        "/knight-tour?size=9&blocked=4,4",
        "/knight-tour?size=10&leaper=1,4",
        "/knight-tour?size=8&unique=true&start=0,0&end=7,6",
        "/queens?size=200&queens=0,0",
        "/queens?size=17&attack=torus&count=true",
        "/queens?size=25&count=true",
        "/queens?size=18&limit=5000&offset=100000000",
    ] {
        assert_eq!(Weight::of(predicted(path)), Weight::Heavy, "{path}");
    }
}
