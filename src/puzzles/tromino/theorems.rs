//! Which boards without a hole, or with one, have a tiling: a closed answer for every size.
//!
//! Let m ≤ n be the sides, and the number of squares to cover a multiple of 3.
//!
//! - **No hole** (Chu & Johnsonbaugh 1986): there is a tiling unless m = 1, or one side is 3 and the other odd.
//! - **One hole** (Chu & Johnsonbaugh 1986; Ash & Golomb 2004): there is one unless m = 1 (1 × 1, all hole, is
//!   fine); m = 2, n ≥ 5 and the hole is in a column ≡ 2 (mod 3) along the long side; the board is 5 × 5 and
//!   one of the hole's coordinates is odd; or m = 5, n ≥ 8 and the hole is (2, 1) or (2, n - 2).
//!
//! Coordinates count from 0, the first along the short side.

use crate::board::{Size, Square};
use crate::puzzles::{Impossible, Proof};

/// The two papers that settle boards with one hole.
const ONE_HOLE: &str = "Chu & Johnsonbaugh (1986) and Ash & Golomb (2004)";

/// Whether a board with no hole, or with this one, has a tiling, for a board where the number of squares to
/// cover is a multiple of 3. Takes O(1) time.
///
/// # Errors
/// The theorem that says no.
pub(super) fn tileable(size: Size, hole: Option<Square>) -> Result<(), Impossible> {
    let (short, long) = (size.short_side(), size.long_side());
    debug_assert_eq!((short * long - usize::from(hole.is_some())) % 3, 0);
    let theorem = |reason: String| Err(Impossible::new(Proof::Theorem, reason));

    if short == 1 {
        return match hole {
            Some(_) if long == 1 => Ok(()),
            _ => {
                let line = if size.rows() == 1 { "row" } else { "column" };
                let reason = format!("No L-shaped tile fits on a board with a single {line}.");
                Err(Impossible::new(Proof::Degree, reason))
            }
        };
    }
    let Some(hole) = hole else {
        if short == 3 && long % 2 == 1 {
            return theorem(format!(
                "A {size} board has no tiling: by a theorem of Chu & Johnsonbaugh (1986) a side of 3 needs \
                 an even one beside it."
            ));
        }
        return Ok(());
    };

    // The hole as (across, along), and what the caller calls a line across the board.
    let lies = size.rows() <= size.cols();
    let (across, along) = if lies { (hole.row, hole.col) } else { (hole.col, hole.row) };
    let (across, along) = (across as usize, along as usize);
    let line = if lies { "column" } else { "row" };
    if short == 2 && long >= 5 && along % 3 == 2 {
        return theorem(format!(
            "A {size} board has no tiling when its hole is in {line} {along}: by the theorem of {ONE_HOLE} \
             the {line}, counted from 0, must not leave the remainder 2 when divided by 3."
        ));
    }
    if short == 5 && long == 5 && (across % 2 == 1 || along % 2 == 1) {
        return theorem(format!(
            "A 5 × 5 board has no tiling when its hole is at {hole}: by the theorem of {ONE_HOLE} the \
             hole's row and column, counted from 0, must both be even."
        ));
    }
    if short == 5 && long >= 8 && across == 2 && (along == 1 || along == long - 2) {
        return theorem(format!(
            "A {size} board has no tiling when its hole is at {hole}: by the theorem of {ONE_HOLE} every \
             other hole leaves one, but not the middle square next to an end's."
        ));
    }
    Ok(())
}
