//! How many solutions a board has, and how many of them are different.

pub mod symmetry;

use crate::puzzles::{Budget, Interrupted, Pacer};

/// How many steps of the search pass between two looks at the budget; one takes a few nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 16;

/// The number of solutions on a plain board of `size` columns, 1 to 32, searched for one by one in one half of
/// the board: the other half mirrors it. Grows as the number itself does.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solutions(size: u32, budget: &Budget) -> Result<u64, Interrupted> {
    let board = u32::MAX >> (32 - size);
    let mut pacer = budget.pacer(STEPS_PER_CHECK);
    let mut first_row = |columns: u32| -> Result<u64, Interrupted> {
        let mut total = 0;
        for queen in bits(columns) {
            total += completions(board, queen, queen >> 1, queen << 1, &mut pacer)?;
        }
        Ok(total)
    };
    let left = first_row(board & (1u32 << (size / 2)).wrapping_sub(1))?;
    let middle = if size % 2 == 1 { first_row(1 << (size / 2))? } else { 0 };
    Ok(2 * left + middle)
}

/// The ways to complete a board whose upper rows occupy these columns and diagonals.
fn completions(
    board: u32,
    columns: u32,
    falling_left: u32,
    falling_right: u32,
    pacer: &mut Pacer<'_>,
) -> Result<u64, Interrupted> {
    if columns == board {
        return Ok(1);
    }
    pacer.tick()?;
    let mut total = 0;
    for queen in bits(board & !(columns | falling_left | falling_right)) {
        let (left, right) = ((falling_left | queen) >> 1, (falling_right | queen) << 1);
        total += completions(board, columns | queen, left, right, pacer)?;
    }
    Ok(total)
}

/// The set bits of `mask`, from the lowest, each as a mask of its own.
fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = mask & mask.wrapping_neg();
        mask ^= bit;
        (bit != 0).then_some(bit)
    })
}
