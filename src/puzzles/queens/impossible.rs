//! Boards that have no solution for a reason that shows without a search.

use std::collections::HashMap;

use super::constraint::ConstraintSearch;
use super::construct::fits_torus;
use super::{Attack, Problem};
use crate::board::Square;
use crate::puzzles::{Impossible, Proof};

/// Why `problem` has no solution, if that shows at once. If not, its given queens attack nobody, stand in
/// different regions, and there are as many regions as rows. Takes time linear in the size and in the lists of
/// the problem.
#[must_use]
pub fn at_once(problem: &Problem) -> Option<Impossible> {
    given_queens(problem).or_else(|| region_count(problem)).or_else(|| size(problem))
}

/// Why `problem` has no solution, after a search that came to its end without one.
#[must_use]
pub fn by(search: &dyn ConstraintSearch, problem: &Problem) -> Impossible {
    if search.has_branched() {
        return by_search(problem);
    }
    let reason = "Rows, columns or regions that have one square left force their queens, and these leave another \
                  one without a square.";
    Impossible::new(Proof::Forced, reason)
}

/// That all possibilities were tried.
#[must_use]
pub fn by_search(problem: &Problem) -> Impossible {
    let n = problem.size();
    Impossible::new(
        Proof::Search,
        format!("Every way to place {n} queens as asked was tried, and none works."),
    )
}

/// The boards whose size alone rules solutions out.
fn size(problem: &Problem) -> Option<Impossible> {
    let n = problem.size();
    if problem.attack() == Attack::Torus && !fits_torus(n) {
        let reason = format!(
            "On a torus, n queens fit if and only if n has no divisor of 2 or 3 (Pólya 1918), and {n} has one."
        );
        return Some(Impossible::new(Proof::Theorem, reason));
    }
    let reason = match (n, problem.attack()) {
        (2 | 3, Attack::Touch) => {
            "In any two neighbouring rows the queens would have to stand two columns apart, and then every other \
             queen of a board of 2 or 3 columns shares a column with one of them."
        }
        (2 | 3, _) => {
            "A board of n columns takes n queens that don't attack each other for every n but 2 and 3 (Pauls 1874)."
        }
        _ => return None,
    };
    Some(Impossible::new(Proof::Theorem, reason))
}

/// That the queens can't be one in each region, because there are too many or too few.
fn region_count(problem: &Problem) -> Option<Impossible> {
    let (n, regions) = (problem.size(), problem.regions()?.count());
    let are = if regions == 1 { "is 1 region" } else { &format!("are {regions} regions") };
    (regions != n).then(|| {
        let reason = format!("There {are} and {n} rows, and each takes exactly one queen.");
        Impossible::new(Proof::Area, reason)
    })
}

/// Two given queens that attack each other or share a region.
fn given_queens(problem: &Problem) -> Option<Impossible> {
    let n = problem.size();
    // The lines that queens share when they attack each other, by kind and number.
    let mut lines: HashMap<(u8, u32), Square> = HashMap::new();
    for &queen in problem.queens() {
        let Square { row, col } = queen;
        let (falling, rising) = (n + row - col, row + col);
        let diagonals = match problem.attack() {
            Attack::Queen => [Some((1, falling)), Some((2, rising))],
            Attack::Torus => [Some((1, falling % n)), Some((2, rising % n))],
            Attack::Touch => [None, None],
        };
        let [falling, rising] = diagonals;
        for line in [Some((0, col)), falling, rising].into_iter().flatten() {
            if let Some(other) = lines.insert(line, queen) {
                return Some(pair(other, queen, "attack each other"));
            }
        }
        if let Some(regions) = problem.regions()
            && let Some(other) = lines.insert((3, regions.of()[queen]), queen)
        {
            return Some(pair(other, queen, "stand in one region"));
        }
    }
    if problem.attack() == Attack::Touch {
        let touching = problem
            .queens()
            .windows(2)
            .find(|pair| pair[1].row - pair[0].row == 1 && pair[1].col.abs_diff(pair[0].col) == 1);
        return touching.map(|touching| pair(touching[0], touching[1], "touch each other"));
    }
    None
}

/// That these two given queens do what they mustn't.
fn pair(one: Square, other: Square, clash: &str) -> Impossible {
    Impossible::new(Proof::Attack, format!("The given queens on {one} and {other} {clash}."))
}
