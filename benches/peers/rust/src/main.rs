//! The same talk with `compare.py` as in `python/line.py`, for crates; the crate is named on the command line.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use dlx_rs::{Solver, queens::Queens};
use nqueens::board::NQueens;
use serde::Deserialize;
use serde_json::{Value, json};

type Square = [usize; 2];
type Solve = fn(&Task, &mut Clock) -> Value;

#[derive(Deserialize)]
struct Task {
    kind: String,
    #[serde(default)]
    size: usize,
    #[serde(default)]
    rows: usize,
    #[serde(default)]
    cols: usize,
    #[serde(default)]
    holes: Vec<Square>,
    #[serde(default)]
    queens: Vec<Square>,
}

/// Measures a task.
struct Clock {
    began: Instant,
    building: Option<Duration>,
}

impl Clock {
    fn built(&mut self) {
        self.building = Some(self.began.elapsed());
    }
}

fn main() -> io::Result<()> {
    let krate = std::env::args().nth(1).unwrap_or_default();
    let (kinds, solve): (&[&str], Solve) = match krate.as_str() {
        "dlx-rs" => (&["queens", "completion", "queens-count", "tiling", "tiling-count"], by_dlx),
        "nqueens" => (&["queens-count"], by_nqueens),
        _ => return Err(io::Error::other("which crate?")),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", json!({ "kinds": kinds }))?;
    for line in io::stdin().lock().lines() {
        let task: Task = serde_json::from_str(&line?)?;
        let mut clock = Clock { began: Instant::now(), building: None };
        let answer = solve(&task, &mut clock);
        let seconds = clock.began.elapsed().as_secs_f64();
        let building = clock.building.map(|time| time.as_secs_f64());
        writeln!(out, "{}", json!({ "seconds": seconds, "building": building, "answer": answer }))?;
    }
    Ok(())
}

fn by_dlx(task: &Task, clock: &mut Clock) -> Value {
    match task.kind.as_str() {
        // Without queens on the board the crate has the problem ready.
        "queens" | "queens-count" => {
            let mut queens = Queens::new(task.size);
            clock.built();
            if task.kind == "queens-count" {
                return json!(queens.count());
            }
            let squares =
                queens.next().map(|squares| squares.into_iter().map(|(r, c)| [r - 1, c - 1]).collect());
            json!(squares.map(columns))
        }
        "completion" => {
            let mut solver = completion(task);
            clock.built();
            json!(solver.next().map(columns))
        }
        "tiling" => {
            let mut solver = tiling(task);
            clock.built();
            json!(solver.next())
        }
        _ => {
            let solver = tiling(task);
            clock.built();
            json!(solver.count())
        }
    }
}

/// Squares that remain are items, tiles that fit are options, named by their squares.
fn tiling(task: &Task) -> Solver<[Square; 3]> {
    let mut items = vec![0; task.rows * task.cols];
    for [row, col] in &task.holes {
        items[row * task.cols + col] = usize::MAX;
    }
    let mut count = 0;
    for item in items.iter_mut().filter(|item| **item == 0) {
        count += 1;
        *item = count;
    }
    let mut solver = Solver::new(count);
    for row in 0..task.rows - 1 {
        for col in 0..task.cols - 1 {
            let (a, b, c, d) = ([row, col], [row, col + 1], [row + 1, col], [row + 1, col + 1]);
            for tile in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
                let covered = tile.map(|[row, col]| items[row * task.cols + col]);
                if !covered.contains(&usize::MAX) {
                    solver.add_option(tile, &covered);
                }
            }
        }
    }
    solver
}

/// Rows and columns are items, diagonals optional ones, and squares where a queen may stand beside the others options.
fn completion(task: &Task) -> Solver<Square> {
    let n = task.size;
    let lines = |[row, col]: Square| [row + 1, n + col + 1, 2 * n + row + col + 1, 5 * n - 1 + row - col];
    let taken: Vec<usize> = task.queens.iter().flat_map(|queen| lines(*queen)).collect();
    let mut solver = Solver::new_optional(2 * n, 4 * n - 2);
    for row in 0..n {
        for col in 0..n {
            let lines = lines([row, col]);
            if task.queens.contains(&[row, col]) || !lines.iter().any(|line| taken.contains(line)) {
                solver.add_option([row, col], &lines);
            }
        }
    }
    solver
}

/// The column of the queen in each row.
fn columns(mut squares: Vec<Square>) -> Vec<usize> {
    squares.sort_unstable();
    squares.into_iter().map(|[_, col]| col).collect()
}

fn by_nqueens(task: &Task, _: &mut Clock) -> Value {
    json!(NQueens::new(task.size).solve().data().len())
}
