//! How many moves can be chosen such that no square has more than two: as a tour is such a choice, too few prove that
//! there is none.
//!
//! On a board whose squares have two colours this is a flow, so it can be told exactly and quickly: from a square that lacks
//! moves, look for an alternating path, of moves that are not chosen and moves that are, to a square of the other colour that
//! lacks some as well, and exchange the ones for the others (J. Edmonds, 1965; here without blossoms, as all cycles are even).

use std::collections::VecDeque;

use crate::puzzles::{Budget, Interrupted};

use super::graph::Graph;

/// The most moves that can be chosen such that each vertex has at most as many as its `room`, which is 2 or less. `colours` is
/// a [two-colouring](Graph::two_colouring) of the graph. O(edges) for the first choice and for each move that it misses.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn most_moves(
    graph: &Graph,
    colours: &[u8],
    mut room: Vec<u8>,
    budget: &Budget,
) -> Result<usize, Interrupted> {
    let mut pacer = budget.pacer(1 << 14);
    // For each vertex, the other ends of its moves.
    let mut chosen = vec![[NOBODY; 2]; graph.len()];
    let mut count = 0;
    let zeros: Vec<u32> = (0..graph.len() as u32).filter(|&vertex| colours[vertex as usize] == 0).collect();
    for &vertex in &zeros {
        pacer.tick()?;
        let mut neighbours = graph.neighbours(vertex).to_vec();
        neighbours.sort_by_key(|&other| (2 - room[other as usize], graph.degree(other)));
        for other in neighbours {
            if room[vertex as usize] > 0 && room[other as usize] > 0 {
                replace(&mut chosen, vertex, NOBODY, other);
                replace(&mut chosen, other, NOBODY, vertex);
                room[vertex as usize] -= 1;
                room[other as usize] -= 1;
                count += 1;
            }
        }
    }

    // By vertex, the one from which the present search came to it.
    let mut from = vec![NOBODY; graph.len()];
    let mut reached = Vec::new();
    for &lacking in &zeros {
        while room[lacking as usize] > 0 {
            let mut queue = VecDeque::from([lacking]);
            let mut last = None;
            'search: while let Some(vertex) = queue.pop_front() {
                for &other in graph.neighbours(vertex) {
                    pacer.tick()?;
                    if from[other as usize] != NOBODY || chosen[vertex as usize].contains(&other) {
                        continue;
                    }
                    from[other as usize] = vertex;
                    reached.push(other);
                    if room[other as usize] > 0 {
                        last = Some(other);
                        break 'search;
                    }
                    for back in chosen[other as usize] {
                        if back != NOBODY && back != lacking && from[back as usize] == NOBODY {
                            from[back as usize] = other;
                            reached.push(back);
                            queue.push_back(back);
                        }
                    }
                }
            }
            if let Some(last) = last {
                exchange(&mut chosen, &from, lacking, last);
                room[lacking as usize] -= 1;
                room[last as usize] -= 1;
                count += 1;
            }
            for vertex in reached.drain(..) {
                from[vertex as usize] = NOBODY;
            }
            if last.is_none() {
                break;
            }
        }
    }
    Ok(count)
}

/// Exchanges the moves that are chosen for those that are not on the alternating path between these two.
fn exchange(chosen: &mut [[u32; 2]], from: &[u32], lacking: u32, last: u32) {
    let (mut other, mut lost) = (last, NOBODY);
    loop {
        let vertex = from[other as usize];
        replace(chosen, other, lost, vertex);
        if vertex == lacking {
            replace(chosen, vertex, NOBODY, other);
            return;
        }
        let back = from[vertex as usize];
        replace(chosen, vertex, back, other);
        (other, lost) = (back, vertex);
    }
}

/// Stands for no vertex.
const NOBODY: u32 = u32::MAX;

/// One of the two moves of a vertex leads elsewhere.
fn replace(chosen: &mut [[u32; 2]], vertex: u32, old: u32, new: u32) {
    if let Some(place) = chosen[vertex as usize].iter_mut().find(|other| **other == old) {
        *place = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Size, Square};
    use crate::puzzles::knight_tour::{Problem, Spec};

    fn most(rows: u32, cols: u32, blocked: &[(u32, u32)]) -> usize {
        let blocked = blocked.iter().map(|&(row, col)| Square::new(row, col)).collect();
        let spec = Spec { blocked, ..Spec::default() };
        let problem = Problem::new(Size::new(rows, cols).unwrap(), &spec).unwrap();
        let graph = Graph::of(&problem, &Budget::unlimited()).unwrap();
        let colours = graph.two_colouring(&Budget::unlimited()).unwrap().unwrap();
        most_moves(&graph, &colours, vec![2; graph.len()], &Budget::unlimited()).unwrap()
    }

    #[test]
    fn boards_with_a_closed_tour_have_two_moves_for_each_square() {
        for (rows, cols) in [(3, 10), (5, 6), (6, 6), (8, 8), (9, 10), (30, 31)] {
            assert_eq!(most(rows, cols, &[]), (rows * cols) as usize, "{rows} × {cols}");
        }
    }

    #[test]
    fn an_odd_board_lacks_a_move_for_two_ends() {
        assert_eq!(most(5, 5, &[]), 24);
        assert_eq!(most(7, 9, &[]), 62);
    }

    #[test]
    fn squares_whose_neighbours_serve_others_lack_moves() {
        // Eight squares in a ring, and one that has no move.
        assert_eq!(most(3, 3, &[]), 8);
        // Both moves of the corner (0, 0) are gone.
        assert_eq!(most(6, 6, &[(1, 2), (2, 1)]), 32);
    }
}
