//! What can be wrong with a [`Spec`], told all at once.

use std::collections::HashMap;

use super::problem::{Attack, Distinct, Problem, Regions, Spec};
use crate::board::{Grid, Size, Square};
use crate::puzzles::Fault;

/// After so many faults of one list the others are only counted.
const MAX_FAULTS: usize = 100;

/// The parts of a problem that had to be looked at, in order.
pub(super) struct Valid {
    /// Sorted.
    pub(super) queens: Vec<Square>,
    /// Sorted.
    pub(super) blocked: Vec<Square>,
    pub(super) regions: Option<Regions>,
}

/// The parts of the problem of placing `size` queens as `spec` tells; or all its faults.
pub(super) fn validate(size: u32, spec: &Spec) -> Result<Valid, Vec<Fault>> {
    if size == 0 || size > Problem::MAX_SIZE {
        // The other fields only have a meaning on some board.
        let detail = format!("must be from 1 to {}, got {size}", Problem::MAX_SIZE);
        return Err(vec![Fault::new("size", detail)]);
    }
    let mut faults = Vec::new();
    let queens = squares("queens", size, &spec.queens, &mut faults);
    let blocked = squares("blocked", size, &spec.blocked, &mut faults);
    queen_faults(&queens, &blocked, &mut faults);
    let regions = spec.regions.as_deref().and_then(|matrix| regions(size, matrix, &mut faults));
    list_faults(size, spec, &mut faults);
    faults.extend(count_fault(size, spec));
    constraint_faults(size, spec, &mut faults);
    if faults.is_empty() { Ok(Valid { queens, blocked, regions }) } else { Err(faults) }
}

/// Whether all squares of the board are alike.
fn is_plain(spec: &Spec) -> bool {
    spec.queens.is_empty() && spec.blocked.is_empty() && spec.regions.is_none()
}

/// Adds what is wrong with the list of solutions asked for.
fn list_faults(size: u32, spec: &Spec, faults: &mut Vec<Fault>) {
    let most = Problem::MAX_LIMIT.min(Problem::MAX_LISTED / u64::from(size));
    let is_quick_in_order = !is_plain(spec) || spec.attack == Attack::Touch;
    let ordered = if is_quick_in_order { Problem::MAX_CONSTRAINED_SIZE } else { Problem::MAX_ORDERED_SIZE };
    let is_ordered = size <= ordered || spec.seed.is_some();
    let mut unordered = |field, allowed, got| {
        let detail = format!(
            "must be {allowed} on a board of more than {ordered} columns, whose solutions no search lists in \
             order; got {got} with size {size}"
        );
        faults.push(Fault::new(field, detail));
    };
    if spec.limit > 1 && !is_ordered {
        unordered("limit", "0 or 1", spec.limit);
    }
    if spec.offset > 0 && !is_ordered {
        unordered("offset", "0", spec.offset);
    }
    if spec.limit > most && is_ordered && !spec.streamed {
        let detail = format!("must be from 0 to {most} on a board of {size} columns, got {}", spec.limit);
        faults.push(Fault::new("limit", detail));
    }
    if spec.offset > 0 && spec.seed.is_some() {
        let detail = format!("must be 0 with a seed, which draws at random; got {}", spec.offset);
        faults.push(Fault::new("offset", detail));
    }
    if spec.distinct == Distinct::Fundamental && spec.seed.is_some() {
        let detail = "must be all with a seed, which draws at random; got fundamental";
        faults.push(Fault::new("distinct", detail));
    }
}

/// What is wrong with counting the solutions.
fn count_fault(size: u32, spec: &Spec) -> Option<Fault> {
    let too_many =
        "which has more than 2^53 - 1 solutions, the largest number that an answer can state exactly";
    let (most, why) = match spec.attack {
        Attack::Queen if is_plain(spec) => (Problem::MAX_COUNTED_SIZE, too_many),
        Attack::Touch if is_plain(spec) => (Problem::MAX_COUNTED_TOUCH_SIZE, too_many),
        _ => (Problem::MAX_CONSTRAINED_SIZE, "whose solutions no search counts"),
    };
    (spec.count == Some(true) && size > most).then(|| {
        let detail =
            format!("must be false on a board of more than {most} columns, {why}; got true with size {size}");
        Fault::new("count", detail)
    })
}

/// Adds what can't be had on so wide a board with constraints.
fn constraint_faults(size: u32, spec: &Spec, faults: &mut Vec<Fault>) {
    let most = Problem::MAX_CONSTRAINED_SIZE;
    if size > most && !is_plain(spec) {
        let mut beyond = |field, allowed, got| {
            let detail = format!(
                "must be {allowed} on a board of more than {most} columns with given queens, blocked squares or \
                 regions, which no exact search settles; got {got} with size {size}"
            );
            faults.push(Fault::new(field, detail));
        };
        match spec.attack {
            Attack::Queen => {}
            Attack::Touch => beyond("attack", "queen", "touch"),
            Attack::Torus => beyond("attack", "queen", "torus"),
        }
        if spec.unique {
            beyond("unique", "false", "true");
        }
    }
    let most = Problem::MAX_REGION_SIZE;
    if size > most && spec.regions.is_some() {
        let detail = format!("must not be given on a board of more than {most} columns, got size {size}");
        faults.push(Fault::new("regions", detail));
    }
}

/// The squares of this field in order; adds a fault for each that is off the board or listed twice.
fn squares(field: &'static str, size: u32, listed: &[Square], faults: &mut Vec<Fault>) -> Vec<Square> {
    let (mut inside, outside): (Vec<Square>, Vec<Square>) =
        listed.iter().partition(|square| square.row < size && square.col < size);
    inside.sort_unstable();
    let off = outside.iter().map(|square| format!("must lie on the {size} × {size} board, got {square}"));
    let twice = inside.windows(2).filter(|pair| pair[0] == pair[1]);
    let twice = twice.map(|pair| format!("must be different squares, got {} twice", pair[0]));
    add(field, off.chain(twice).collect(), faults);
    inside.dedup();
    inside
}

/// Adds these faults of a field, or the first of them and how many more there are.
fn add(field: &'static str, mut wrong: Vec<String>, faults: &mut Vec<Fault>) {
    if wrong.len() > MAX_FAULTS {
        let more = wrong.len() - MAX_FAULTS;
        wrong.truncate(MAX_FAULTS);
        wrong.push(format!("has {more} more faults of this kind"));
    }
    faults.extend(wrong.into_iter().map(|detail| Fault::new(field, detail)));
}

/// Adds a fault for each two queens in one row and each queen on a blocked square; both lists are sorted.
fn queen_faults(queens: &[Square], blocked: &[Square], faults: &mut Vec<Fault>) {
    let in_one_row = queens.windows(2).filter(|pair| pair[0].row == pair[1].row);
    let in_one_row =
        in_one_row.map(|pair| format!("must be at most one in a row, got {} and {}", pair[0], pair[1]));
    let on_blocked = queens.iter().filter(|queen| blocked.binary_search(queen).is_ok());
    let on_blocked = on_blocked.map(|queen| format!("must not stand on a blocked square, got {queen}"));
    add("queens", in_one_row.chain(on_blocked).collect(), faults);
}

/// The regions that a matrix tells; adds a fault when it isn't one number for each square.
fn regions(size: u32, matrix: &[Vec<i64>], faults: &mut Vec<Fault>) -> Option<Regions> {
    let side = size as usize;
    let must = format!("must be {size} rows of {size} numbers");
    if matrix.len() != side {
        faults.push(Fault::new("regions", format!("{must}, got {} rows", matrix.len())));
        return None;
    }
    if let Some((row, numbers)) = matrix.iter().enumerate().find(|(_, numbers)| numbers.len() != side) {
        faults.push(Fault::new("regions", format!("{must}, got {} in row {row}", numbers.len())));
        return None;
    }
    let mut numbers = HashMap::new();
    let of = matrix.iter().flatten().map(|&name| {
        let next = numbers.len() as u32;
        *numbers.entry(name).or_insert(next)
    });
    let of: Vec<u32> = of.collect();
    let count = numbers.len() as u32;
    Some(Regions::new(Grid::from_cells(Size::new(size, size)?, of)?, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(size: u32, spec: &Spec) -> Vec<String> {
        match Problem::new(size, spec) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        }
    }

    fn at(row: u32, col: u32) -> Square {
        Square::new(row, col)
    }

    fn plain() -> Spec {
        Spec::default()
    }

    #[test]
    fn a_size_has_bounds() {
        assert_eq!(faults(0, &plain()), ["size must be from 1 to 1000000, got 0"]);
        assert_eq!(faults(1_000_001, &plain()), ["size must be from 1 to 1000000, got 1000001"]);
        assert!(faults(1, &plain()).is_empty());
        assert!(faults(1_000_000, &plain()).is_empty());
    }

    #[test]
    fn squares_lie_on_the_board_and_come_once() {
        let spec = Spec {
            queens: vec![at(0, 1), at(0, 1), at(4, 0)],
            blocked: vec![at(2, u32::MAX), at(3, 3), at(3, 3)],
            ..plain()
        };
        assert_eq!(
            faults(4, &spec),
            [
                "queens must lie on the 4 × 4 board, got (4, 0)",
                "queens must be different squares, got (0, 1) twice",
                "blocked must lie on the 4 × 4 board, got (2, 4294967295)",
                "blocked must be different squares, got (3, 3) twice",
            ]
        );
    }

    #[test]
    fn queens_stand_alone_in_their_row_and_not_on_blocked_squares() {
        let spec = Spec { queens: vec![at(1, 3), at(1, 0), at(2, 2)], blocked: vec![at(2, 2)], ..plain() };
        assert_eq!(
            faults(4, &spec),
            [
                "queens must be at most one in a row, got (1, 0) and (1, 3)",
                "queens must not stand on a blocked square, got (2, 2)",
            ]
        );
    }

    #[test]
    fn a_long_list_of_faults_is_cut() {
        let blocked = (4..1_000).map(|row| at(row, 0)).collect();
        let faults = faults(4, &Spec { blocked, ..plain() });
        assert_eq!(faults.len(), 101);
        assert_eq!(faults[100], "blocked has 896 more faults of this kind");
    }

    #[test]
    fn regions_cover_the_board() {
        let of = |regions: Vec<Vec<i64>>| faults(3, &Spec { regions: Some(regions), ..plain() });
        assert_eq!(of(vec![vec![1; 3]; 2]), ["regions must be 3 rows of 3 numbers, got 2 rows"]);
        assert_eq!(of(Vec::new()), ["regions must be 3 rows of 3 numbers, got 0 rows"]);
        let ragged = vec![vec![1, 2, 3], vec![1, 2], vec![1, 2, 3]];
        assert_eq!(of(ragged), ["regions must be 3 rows of 3 numbers, got 2 in row 1"]);
        assert!(of(vec![vec![i64::MIN, 0, i64::MAX]; 3]).is_empty());
    }

    #[test]
    fn a_seed_goes_with_neither_an_offset_nor_classes() {
        let spec = Spec { seed: Some(1), offset: 2, distinct: Distinct::Fundamental, ..plain() };
        assert_eq!(
            faults(100, &spec),
            [
                "offset must be 0 with a seed, which draws at random; got 2",
                "distinct must be all with a seed, which draws at random; got fundamental",
            ]
        );
    }

    #[test]
    fn an_answer_lists_no_more_than_fits() {
        let fields = |size, limit| faults(size, &Spec { limit, ..plain() }).len();
        assert_eq!(
            faults(8, &Spec { limit: 10_001, ..plain() }),
            ["limit must be from 0 to 10000 on a board of 8 columns, got 10001"]
        );
        assert_eq!(fields(64, 10_000), 0);
        assert_eq!(fields(65, 1), 0);
        assert_eq!(fields(65, 2), 1);
        let drawn = |limit| faults(1_000_000, &Spec { limit, seed: Some(1), ..plain() }).len();
        assert_eq!((drawn(10), drawn(11)), (0, 1));
        assert!(faults(8, &Spec { limit: u64::MAX, streamed: true, ..plain() }).is_empty());
    }

    #[test]
    fn a_count_beyond_what_a_number_can_state_is_refused() {
        let counted = |size, attack| faults(size, &Spec { count: Some(true), attack, ..plain() });
        assert!(counted(25, Attack::Queen).is_empty());
        assert_eq!(
            counted(26, Attack::Queen),
            [
                "count must be false on a board of more than 25 columns, which has more than 2^53 - 1 solutions, the \
              largest number that an answer can state exactly; got true with size 26"
            ]
        );
        assert!(counted(18, Attack::Touch).is_empty());
        assert_eq!(counted(19, Attack::Touch).len(), 1);
        assert!(counted(26, Attack::Torus).is_empty());
    }

    #[test]
    fn small_boards_are_counted_unasked() {
        let counted = |size, count| Problem::new(size, &Spec { count, ..plain() }).unwrap().count();
        assert!(counted(14, None));
        assert!(!counted(15, None));
        assert!(counted(15, Some(true)));
        assert!(!counted(8, Some(false)));
    }

    #[test]
    fn what_no_exact_search_settles_is_refused_on_the_widest_boards() {
        let spec = |attack| Spec { queens: vec![at(0, 0)], unique: true, attack, ..plain() };
        assert!(faults(4_096, &spec(Attack::Touch)).is_empty());
        let fields: Vec<_> = Problem::new(4_097, &spec(Attack::Torus)).unwrap_err();
        assert_eq!(fields.iter().map(|fault| fault.field).collect::<Vec<_>>(), ["attack", "unique"]);
    }
}
