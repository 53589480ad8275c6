//! The piece: a leaper, of which the knight is one.

use crate::board::{Size, Square};

/// An (a, b)-leaper: it goes `a` squares along one axis and `b` along the other, over whatever is between. The
/// knight is (1, 2), the camel (1, 3), the zebra (2, 3), the giraffe (1, 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leaper {
    short: u32,
    long: u32,
}

impl Leaper {
    /// The knight.
    pub const KNIGHT: Self = Self { short: 1, long: 2 };

    /// The leaper with these two distances, in either order.
    #[must_use]
    pub const fn new(a: u32, b: u32) -> Self {
        if a < b { Self { short: a, long: b } } else { Self { short: b, long: a } }
    }

    /// Its two distances, the shorter first.
    #[must_use]
    pub const fn distances(self) -> (u32, u32) {
        (self.short, self.long)
    }

    /// Whether a move joins the two squares.
    #[must_use]
    pub const fn joins(self, one: Square, other: Square) -> bool {
        let (rows, cols) = (one.row.abs_diff(other.row), one.col.abs_diff(other.col));
        (rows == self.short && cols == self.long) || (rows == self.long && cols == self.short)
    }

    /// Its moves as (rows, columns), in the order of the knight's moves `order` where 1 stands for the shorter
    /// distance and 2 for the longer. At most eight, each once; moves longer than the board are left out.
    pub(super) fn moves(self, size: Size, order: &[(i32, i32); 8]) -> Vec<(i32, i32)> {
        let distance = |part: i32| {
            let length = i64::from(if part.abs() == 1 { self.short } else { self.long });
            length * i64::from(part.signum())
        };
        let mut moves = Vec::with_capacity(8);
        for &(rows, cols) in order {
            let (rows, cols) = (distance(rows), distance(cols));
            if rows.unsigned_abs() < size.rows() as u64 && cols.unsigned_abs() < size.cols() as u64 {
                // A side is at most 2^30 long.
                let step = (rows as i32, cols as i32);
                if !moves.contains(&step) {
                    moves.push(step);
                }
            }
        }
        moves
    }
}

impl Default for Leaper {
    fn default() -> Self {
        Self::KNIGHT
    }
}
