//! Walking back through the layers of a dynamic program in bounded memory.

use std::ops::Range;

use crate::puzzles::Interrupted;

/// Calls `visit` for every row from the last to the first, with the layer that the row starts from.
///
/// `first` is the layer of the first row, and `step` makes the next row's layer from a row's. At most about
/// `capacity` layers are held at a time, however many rows there are: of a longer range only evenly spaced
/// layers are kept, and each part between them is computed again, in the same way, when the walk comes to it.
/// So no step is taken more than 1 + log(rows) / log(capacity / 2) times.
pub(super) fn walk_back<L: Clone>(
    rows: Range<usize>,
    first: L,
    capacity: usize,
    step: &mut impl FnMut(usize, &mut L) -> Result<(), Interrupted>,
    visit: &mut impl FnMut(usize, &L) -> Result<(), Interrupted>,
) -> Result<(), Interrupted> {
    let capacity = capacity.max(4);
    let fits = rows.len() <= capacity;
    // Half of the capacity is for the parts, however deep they go.
    let stride = if fits { 1 } else { rows.len().div_ceil(capacity / 2) };
    let mut kept = Vec::with_capacity(rows.len().div_ceil(stride));
    let mut layer = first;
    for row in rows.clone() {
        if (row - rows.start).is_multiple_of(stride) {
            kept.push(layer.clone());
        }
        if row + 1 < rows.end {
            step(row, &mut layer)?;
        }
    }
    drop(layer);
    while let Some(layer) = kept.pop() {
        let start = rows.start + kept.len() * stride;
        let part = start..(start + stride).min(rows.end);
        if part.len() == 1 {
            visit(start, &layer)?;
        } else {
            walk_back(part, layer, capacity / 2, step, visit)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_visited_backwards_each_with_its_own_layer() {
        for rows in [0, 1, 2, 3, 4, 5, 17, 100, 1000] {
            for capacity in [1, 4, 7, 16, 2000] {
                let mut visited = Vec::new();
                let mut step = |row: usize, layer: &mut usize| {
                    assert_eq!(*layer, row * 3);
                    *layer += 3;
                    Ok(())
                };
                let mut visit = |row: usize, layer: &usize| {
                    assert_eq!(*layer, row * 3);
                    visited.push(row);
                    Ok(())
                };
                walk_back(0..rows, 0, capacity, &mut step, &mut visit).unwrap();
                assert!(visited.iter().copied().eq((0..rows).rev()), "{rows} rows, capacity {capacity}");
            }
        }
    }
}
