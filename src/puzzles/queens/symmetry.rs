//! The eight symmetries of the board, and what they make of a solution.

/// The eight images of a solution under turning and mirroring the board, itself the first. Each is the column
/// of the queen in each row. Takes time linear in the size.
#[must_use]
pub fn images(columns: &[u32]) -> [Vec<u32>; 8] {
    let inverse = transposed(columns);
    let both = |columns: &[u32]| {
        let upside_down: Vec<u32> = columns.iter().rev().copied().collect();
        [columns.to_vec(), mirrored(columns), mirrored(&upside_down), upside_down]
    };
    let ([a, b, c, d], [e, f, g, h]) = (both(columns), both(&inverse));
    [a, b, c, d, e, f, g, h]
}

/// The solution with left and right exchanged.
fn mirrored(columns: &[u32]) -> Vec<u32> {
    let last = columns.len() as u32 - 1;
    columns.iter().map(|col| last - col).collect()
}

/// The solution with rows and columns exchanged.
fn transposed(columns: &[u32]) -> Vec<u32> {
    let mut rows = vec![0; columns.len()];
    for (row, &col) in (0..).zip(columns) {
        rows[col as usize] = row;
    }
    rows
}

/// The lexicographically least image of a solution.
#[must_use]
pub fn least_image(columns: &[u32]) -> Vec<u32> {
    images(columns).into_iter().min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_solution_without_symmetry_has_eight_images() {
        let columns = [0, 4, 7, 5, 2, 6, 1, 3];
        let images = images(&columns);
        assert_eq!(images[0], columns);
        assert_eq!(HashSet::from(images).len(), 8);
    }

    #[test]
    fn all_images_share_their_least_image() {
        let columns = [3, 1, 6, 2, 5, 7, 4, 0];
        for image in images(&columns) {
            assert_eq!(least_image(&image), least_image(&columns));
        }
    }
}
