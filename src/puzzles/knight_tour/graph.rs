//! The board as a graph: a vertex for each square, an edge for each move.

use crate::board::Size;

/// The knight's moves as (rows, columns).
pub(super) const KNIGHT: [(i32, i32); 8] =
    [(1, -2), (2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2)];

/// Which squares a move joins. Vertices are numbered from 0, row by row.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    neighbours: Vec<[u32; 8]>,
    degrees: Vec<u8>,
    /// Squared distance from the centre of the board, in half squares.
    eccentricity: Vec<u32>,
}

impl Graph {
    /// The graph of a whole board. O(squares), 37 bytes a square.
    pub(super) fn new(size: Size) -> Self {
        let mut graph = Self {
            neighbours: Vec::with_capacity(size.squares()),
            degrees: Vec::with_capacity(size.squares()),
            eccentricity: Vec::with_capacity(size.squares()),
        };
        let (rows, cols) = (size.rows() as i32, size.cols() as i32);
        for row in 0..rows {
            for col in 0..cols {
                let mut list = [0; 8];
                let mut degree = 0;
                for (down, right) in KNIGHT {
                    let (to_row, to_col) = (row + down, col + right);
                    if (0..rows).contains(&to_row) && (0..cols).contains(&to_col) {
                        list[degree] = (to_row * cols + to_col) as u32;
                        degree += 1;
                    }
                }
                graph.neighbours.push(list);
                graph.degrees.push(degree as u8);
                let (down, right) = (i64::from(2 * row - rows + 1), i64::from(2 * col - cols + 1));
                graph.eccentricity.push((down * down + right * right).min(i64::from(u32::MAX)) as u32);
            }
        }
        graph
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// The vertices that a move joins to `vertex`.
    #[inline]
    pub(super) fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[vertex as usize][..self.degree(vertex)]
    }

    /// How many there are.
    #[inline]
    pub(super) fn degree(&self, vertex: u32) -> usize {
        usize::from(self.degrees[vertex as usize])
    }

    /// Whether a move joins the two.
    pub(super) fn adjacent(&self, one: u32, other: u32) -> bool {
        self.neighbours(one).contains(&other)
    }

    /// How far the square of `vertex` lies from the centre: comparable, in no particular unit.
    #[inline]
    pub(super) fn eccentricity(&self, vertex: u32) -> u32 {
        self.eccentricity[vertex as usize]
    }
}
