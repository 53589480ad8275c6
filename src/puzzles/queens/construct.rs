//! One solution without a search, for every board that has one.
//!
//! Pauls (1874) gave the first such rule; this is the form of Bernhardsson (1991). Knight's-move staircases fill
//! an even board: either rows 1, 3, 5, … of columns counted from 1 go below 2, 4, 6, …, which fails only when
//! the size leaves 2 on division by 6, or a staircase shifted by half the board and its image under a half turn
//! do, which fails only for multiples of 6. Both keep the main diagonal free, so an odd board is an even one
//! with a further queen in its bottom right corner.

/// The column of the queen in each row, of one solution on a board of `size` columns; `None` for 0, 2 and 3
/// columns, which have none. Takes time and memory linear in the size.
#[must_use]
pub fn construct(size: u32) -> Option<Vec<u32>> {
    if matches!(size, 0 | 2 | 3) {
        return None;
    }
    let even = size & !1;
    let half = even / 2;
    let mut columns: Vec<u32> = if even % 6 == 2 {
        let upper = (0..half).map(|row| (2 * row + half - 1) % even);
        let lower = (0..half).rev().map(|row| even - 1 - (2 * row + half - 1) % even);
        upper.chain(lower).collect()
    } else {
        let upper = (0..half).map(|row| 2 * row + 1);
        let lower = (0..half).map(|row| 2 * row);
        upper.chain(lower).collect()
    };
    if even < size {
        columns.push(even);
    }
    Some(columns)
}

/// The column of the queen in each row, of one solution on the torus of `size` columns: each a knight's move to
/// the right of the one above. `None` where there is [none](fits_torus). Takes time and memory linear in the size.
#[must_use]
pub fn construct_torus(size: u32) -> Option<Vec<u32>> {
    fits_torus(size).then(|| (0..size).map(|row| 2 * row % size).collect())
}

/// Whether the torus of `size` columns takes that many queens: if the size has no divisor of 2 or 3 (Pólya 1918).
#[must_use]
pub const fn fits_torus(size: u32) -> bool {
    !size.is_multiple_of(2) && !size.is_multiple_of(3)
}

#[cfg(test)]
mod tests {
    use super::super::verify::verify;
    use super::super::{Attack, Problem, Spec};
    use super::*;

    #[test]
    fn every_board_but_two_is_solved() {
        for size in (1..=1_200).chain([99_998, 99_999, 100_000, 999_996, 999_998, 999_999, 1_000_000]) {
            match construct(size) {
                Some(columns) => {
                    let problem = Problem::new(size, &Spec::default()).unwrap();
                    assert_eq!(verify(&problem, &columns), Ok(()), "size {size}");
                }
                None => assert!(size == 2 || size == 3, "size {size}"),
            }
        }
    }

    #[test]
    fn a_torus_is_solved_when_its_size_has_no_divisor_of_two_or_three() {
        for size in 1..=300 {
            match construct_torus(size) {
                Some(columns) => {
                    let torus = Spec { attack: Attack::Torus, count: Some(false), ..Spec::default() };
                    assert_eq!(verify(&Problem::new(size, &torus).unwrap(), &columns), Ok(()), "size {size}");
                }
                None => assert!(size % 2 == 0 || size % 3 == 0, "size {size}"),
            }
        }
    }
}
