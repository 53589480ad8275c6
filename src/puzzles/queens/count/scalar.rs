//! Counts completions one state at a time: for any processor, and the measure that the batches are held to.

use crate::puzzles::{Budget, Interrupted, Pacer};

/// How many steps pass between two looks at the budget; one takes a few nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 16;

/// The number of ways to put a queen in each of these rows, which count from the top, such that none attacks
/// another; bit `c` of `allowed[i]` says whether one may stand in row `rows[i]`, column `c`. Takes a few
/// nanoseconds for each partial placement.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn completions(rows: &[u32], allowed: &[u32], budget: &Budget) -> Result<u64, Interrupted> {
    // Counts may be so small that none of them comes to the next look below.
    budget.check()?;
    let attacked = Attacked { columns: 0, falling_left: 0, falling_right: 0 };
    below(rows, allowed, attacked, &mut budget.pacer(STEPS_PER_CHECK))
}

/// The columns of the next open row that queens above attack.
#[derive(Clone, Copy)]
struct Attacked {
    columns: u64,
    falling_left: u64,
    falling_right: u64,
}

fn below(
    rows: &[u32],
    allowed: &[u32],
    attacked: Attacked,
    pacer: &mut Pacer<'_>,
) -> Result<u64, Interrupted> {
    let (Some((row, rows)), Some((allowed, rest))) = (rows.split_first(), allowed.split_first()) else {
        return Ok(1);
    };
    let mut untried =
        u64::from(*allowed) & !(attacked.columns | attacked.falling_left | attacked.falling_right);
    let Some(next) = rows.first() else { return Ok(u64::from(untried.count_ones())) };
    let gap = next - row;
    let mut total = 0;
    while untried != 0 {
        pacer.tick()?;
        let queen = untried & untried.wrapping_neg();
        untried ^= queen;
        let attacked = Attacked {
            columns: attacked.columns | queen,
            falling_left: (attacked.falling_left | queen) >> gap,
            falling_right: (attacked.falling_right | queen) << gap,
        };
        total += below(rows, rest, attacked, pacer)?;
    }
    Ok(total)
}
