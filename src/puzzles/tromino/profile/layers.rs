//! Walking back through the layers of a dynamic program in bounded memory.

use std::ops::Range;

use crate::puzzles::Interrupted;

/// How much memory the layers of a tiling may take.
pub(super) const LAYER_BYTES: usize = 64 << 20;

/// A dynamic program that goes forward over rows, and back again.
pub(super) trait Walk {
    /// What a layer has for each profile.
    type Entry: Copy;

    /// Makes the layer that the next row starts from of the one that this row starts from.
    fn forward(&mut self, row: usize, layer: &mut Vec<Self::Entry>) -> Result<(), Interrupted>;

    /// Goes back over this row; `layer` is what it starts from.
    fn back(&mut self, row: usize, layer: &[Self::Entry]) -> Result<(), Interrupted>;
}

/// Layers that some rows start from.
///
/// At most about `capacity` of them are held at a time, however many rows there are: of a longer range only
/// evenly spaced ones are kept, and each part between them is computed again, in the same way, when the walk back
/// comes to it. So no row is passed more than 1 + log(rows) / log(capacity / 2) times.
pub(super) struct Layers<E> {
    rows: Range<usize>,
    /// How many rows lie between layers that are kept.
    stride: usize,
    capacity: usize,
    /// The layers one after the other, each with `profiles` entries.
    kept: Vec<E>,
    profiles: usize,
}

impl<E: Copy> Layers<E> {
    /// Goes forward over the rows from the first one's layer. Also gives the layer behind the last row.
    pub(super) fn forward(
        rows: Range<usize>,
        first: Vec<E>,
        capacity: usize,
        walk: &mut impl Walk<Entry = E>,
    ) -> Result<(Self, Vec<E>), Interrupted> {
        let capacity = capacity.max(4);
        // Half of the capacity is left to the parts between, however deep they go.
        let stride = if rows.len() <= capacity { 1 } else { rows.len().div_ceil(capacity / 2) };
        let (profiles, mut layer) = (first.len(), first);
        let mut kept = Vec::with_capacity(rows.len().div_ceil(stride) * profiles);
        for row in rows.clone() {
            if (row - rows.start).is_multiple_of(stride) {
                kept.extend_from_slice(&layer);
            }
            walk.forward(row, &mut layer)?;
        }
        Ok((Self { rows, stride, capacity, kept, profiles }, layer))
    }

    /// Goes back over the rows from the last to the first.
    pub(super) fn back(mut self, walk: &mut impl Walk<Entry = E>) -> Result<(), Interrupted> {
        let mut end = self.rows.end;
        for start in self.rows.step_by(self.stride).rev() {
            let at = self.kept.len() - self.profiles;
            if self.stride == 1 {
                walk.back(start, &self.kept[at..])?;
            } else {
                let first = self.kept[at..].to_vec();
                Self::forward(start..end, first, self.capacity / 2, walk)?.0.back(walk)?;
            }
            self.kept.truncate(at);
            end = start;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A layer tells which row starts from it.
    struct Rows(Vec<usize>);

    impl Walk for Rows {
        type Entry = usize;

        fn forward(&mut self, row: usize, layer: &mut Vec<usize>) -> Result<(), Interrupted> {
            assert_eq!(layer, &[row, row]);
            layer.fill(row + 1);
            Ok(())
        }

        fn back(&mut self, row: usize, layer: &[usize]) -> Result<(), Interrupted> {
            assert_eq!(layer, [row, row]);
            self.0.push(row);
            Ok(())
        }
    }

    #[test]
    fn rows_are_walked_back_each_from_its_own_layer() {
        for rows in [0, 1, 2, 3, 4, 5, 17, 100, 1000] {
            for capacity in [1, 4, 7, 16, 2000] {
                let mut walk = Rows(Vec::new());
                let (layers, last) = Layers::forward(0..rows, vec![0, 0], capacity, &mut walk).unwrap();
                assert_eq!(last, [rows, rows]);
                assert!(layers.kept.len() <= 2 * capacity.max(4));
                layers.back(&mut walk).unwrap();
                assert!(walk.0.iter().copied().eq((0..rows).rev()), "{rows} rows, capacity {capacity}");
            }
        }
    }
}
