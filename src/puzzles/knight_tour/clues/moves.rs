//! What follows from the moves of a puzzle rather than its numbers.
//!
//! Each vertex is entered and left. So if it has just two moves left the tour makes both, and if the tour makes two moves
//! there it makes no others. The moves that are left join all vertices, and those that are made form no cycle but a
//! whole tour.

use super::super::graph::Graph;
use super::Stop;

/// For each vertex, by their places in its list of neighbours, which moves are left to it, and which of these every tour
/// makes.
pub(super) struct Moves {
    pub(super) left: Vec<u8>,
    pub(super) made: Vec<u8>,
}

impl Moves {
    /// What follows when these moves are left; `bounds` has how many moves the tour makes at each vertex, at least and at
    /// most. O(vertices).
    ///
    /// # Errors
    /// [`Stop::Contradiction`] when no tour can be made of them.
    pub(super) fn settled(graph: &Graph, left: Vec<u8>, bounds: &[(u32, u32)]) -> Result<Self, Stop> {
        let mut moves = Self { made: vec![0; left.len()], left };
        let mut stack: Vec<u32> = (0..graph.len() as u32).collect();
        while let Some(vertex) = stack.pop() {
            let (least, most) = bounds[vertex as usize];
            let (left, made) = (moves.left[vertex as usize], moves.made[vertex as usize]);
            if left.count_ones() < least || made.count_ones() > most {
                return Err(Stop::Contradiction);
            }
            if made.count_ones() == most && left != made {
                moves.change(graph, vertex, left & !made, false, &mut stack);
            } else if left.count_ones() == least && left != made {
                moves.change(graph, vertex, left & !made, true, &mut stack);
            }
        }
        moves.check(graph)?;
        Ok(moves)
    }

    /// Decides on these moves of a vertex, on both sides; the vertices on the other side go on the stack.
    fn change(&mut self, graph: &Graph, vertex: u32, moves: u8, make: bool, stack: &mut Vec<u32>) {
        stack.push(vertex);
        for (place, &other) in graph.neighbours(vertex).iter().enumerate() {
            if moves >> place & 1 == 0 {
                continue;
            }
            let back =
                graph.neighbours(other).iter().position(|&back| back == vertex).map_or(0, |place| 1 << place);
            if make {
                self.made[vertex as usize] |= 1 << place;
                self.made[other as usize] |= back;
            } else {
                self.left[vertex as usize] &= !(1 << place);
                self.left[other as usize] &= !back;
            }
            stack.push(other);
        }
    }

    /// Whether the moves left join all vertices, and those made form no cycle but a whole tour.
    fn check(&self, graph: &Graph) -> Result<(), Stop> {
        let count = graph.len();
        let mut reached = vec![false; count];
        let mut stack = vec![0_u32];
        reached[0] = true;
        let mut joined = 1;
        while let Some(vertex) = stack.pop() {
            for (place, &other) in graph.neighbours(vertex).iter().enumerate() {
                if self.left[vertex as usize] >> place & 1 == 1 && !reached[other as usize] {
                    reached[other as usize] = true;
                    joined += 1;
                    stack.push(other);
                }
            }
        }
        if joined < count {
            return Err(Stop::Contradiction);
        }

        // Pieces of made moves, each by the vertex that stands for it.
        let mut piece: Vec<u32> = (0..count as u32).collect();
        let mut made = 0;
        for vertex in 0..count as u32 {
            for (place, &other) in graph.neighbours(vertex).iter().enumerate() {
                if other < vertex || self.made[vertex as usize] >> place & 1 == 0 {
                    continue;
                }
                made += 1;
                let (one, other) = (find(&mut piece, vertex), find(&mut piece, other));
                if one == other && made < count {
                    return Err(Stop::Contradiction);
                }
                piece[one as usize] = other;
            }
        }
        Ok(())
    }
}

/// The vertex that stands for the piece of this one.
fn find(piece: &mut [u32], vertex: u32) -> u32 {
    let mut at = vertex;
    while piece[at as usize] != at {
        piece[at as usize] = piece[piece[at as usize] as usize];
        at = piece[at as usize];
    }
    at
}
