//! The board as a graph: a vertex for each square that is not blocked, an edge for each move.

use std::cmp::Ordering;
use std::convert::Infallible;

use crate::board::{Size, Square};
use crate::puzzles::{Budget, Interrupted};

use super::Problem;
use super::leaper::Leaper;

/// An order of the knight's moves, for where any order will do.
const MOVES: [(i32, i32); 8] = [(1, -2), (2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2)];

/// Which squares a move joins. Vertices are numbered from 0, row by row, blocked squares left out.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    size: Size,
    neighbours: Vec<[u32; 8]>,
    degrees: Vec<u8>,
    /// The index of each vertex's square; empty when no square is blocked.
    squares: Vec<u32>,
}

impl Graph {
    /// The knight's graph of a whole board, a small one. O(squares), 33 bytes each.
    pub(super) fn whole(size: Size) -> Self {
        let Ok(graph) = Self::build::<Infallible>(size, Leaper::KNIGHT, &[], || Ok(()));
        graph
    }

    /// The graph of the problem's board. O(squares), at most 41 bytes each.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget runs out first.
    pub(super) fn of(problem: &Problem, budget: &Budget) -> Result<Self, Interrupted> {
        let mut pacer = budget.pacer(1 << 14);
        Self::build(problem.size(), problem.leaper(), problem.blocked(), || pacer.tick())
    }

    fn build<E>(
        size: Size,
        leaper: Leaper,
        blocked: &[Square],
        mut tick: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        const BLOCKED: u32 = u32::MAX;
        let mut squares = Vec::new();
        let mut vertices = Vec::new();
        if !blocked.is_empty() {
            vertices = vec![0; size.squares()];
            for &square in blocked {
                vertices[size.index(square)] = BLOCKED;
            }
            squares.reserve_exact(size.squares() - blocked.len());
            for (index, vertex) in vertices.iter_mut().enumerate() {
                if *vertex != BLOCKED {
                    *vertex = squares.len() as u32;
                    squares.push(index as u32);
                }
            }
        }
        let (rows, cols) = (size.rows() as i32, size.cols() as i32);
        let moves = leaper.moves(size, &MOVES);
        let mut neighbours = Vec::with_capacity(size.squares() - blocked.len());
        let mut degrees = Vec::with_capacity(size.squares() - blocked.len());
        for row in 0..rows {
            for col in 0..cols {
                tick()?;
                let index = (row * cols + col) as usize;
                if vertices.get(index) == Some(&BLOCKED) {
                    continue;
                }
                let mut list = [0; 8];
                let mut degree = 0;
                for &(down, right) in &moves {
                    let (to_row, to_col) = (row + down, col + right);
                    if (0..rows).contains(&to_row) && (0..cols).contains(&to_col) {
                        let to = (to_row * cols + to_col) as u32;
                        let to = vertices.get(to as usize).copied().unwrap_or(to);
                        if to != BLOCKED {
                            list[degree] = to;
                            degree += 1;
                        }
                    }
                }
                neighbours.push(list);
                degrees.push(degree as u8);
            }
        }
        Ok(Self { size, neighbours, degrees, squares })
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// The board.
    pub(super) fn size(&self) -> Size {
        self.size
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

    /// The index of the square of `vertex`.
    pub(super) fn index(&self, vertex: u32) -> u32 {
        self.squares.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// The square of `vertex`.
    pub(super) fn square(&self, vertex: u32) -> Square {
        self.size.square(self.index(vertex) as usize)
    }

    /// The vertex of a square that is not blocked. O(log squares).
    pub(super) fn vertex(&self, square: Square) -> u32 {
        let index = self.size.index(square) as u32;
        if self.squares.is_empty() {
            index
        } else {
            self.squares.binary_search(&index).expect("the square is not blocked") as u32
        }
    }

    /// How many rows and columns the squares of two vertices are apart, together.
    pub(super) fn distance(&self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.square(one), self.square(other));
        one.row.abs_diff(other.row) + one.col.abs_diff(other.col)
    }

    /// Two kinds of vertices, 0 and 1, such that every move leads from one kind to the other: the colours of a chessboard
    /// for the knight, something else for others. `None` when there is no such thing. For a connected graph there is only
    /// this one, but for the names. O(squares).
    ///
    /// # Errors
    /// [`Interrupted`] when the budget runs out first.
    pub(super) fn two_colouring(&self, budget: &Budget) -> Result<Option<Vec<u8>>, Interrupted> {
        let mut pacer = budget.pacer(1 << 15);
        const NONE: u8 = 2;
        let mut colours = vec![NONE; self.len()];
        let mut stack = Vec::new();
        for first in 0..self.len() as u32 {
            if colours[first as usize] != NONE {
                continue;
            }
            colours[first as usize] = 0;
            stack.push(first);
            while let Some(vertex) = stack.pop() {
                pacer.tick()?;
                let other = 1 - colours[vertex as usize];
                for &to in self.neighbours(vertex) {
                    if colours[to as usize] == NONE {
                        colours[to as usize] = other;
                        stack.push(to);
                    } else if colours[to as usize] != other {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(colours))
    }

    /// By vertex, whether an open tour of the connected graph can begin or end there as far as colours go: only on those
    /// of which there is one more, if there is. O(squares).
    ///
    /// # Errors
    /// [`Interrupted`] when the budget runs out first.
    pub(super) fn possible_ends(&self, budget: &Budget) -> Result<Vec<bool>, Interrupted> {
        let Some(colours) = self.two_colouring(budget)? else { return Ok(vec![true; self.len()]) };
        let ones = colours.iter().filter(|&&colour| colour == 1).count();
        let minority = match (2 * ones).cmp(&self.len()) {
            Ordering::Less => Some(1),
            Ordering::Greater => Some(0),
            Ordering::Equal => None,
        };
        Ok(colours.into_iter().map(|colour| Some(colour) != minority).collect())
    }
}
