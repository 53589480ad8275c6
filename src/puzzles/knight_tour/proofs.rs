//! Cheap proofs that a board has no tour, for any leaper and any blocked squares: all in O(squares).

use crate::board::Square;
use crate::puzzles::{Budget, Impossible, Interrupted, Proof};

use super::graph::Graph;
use super::{Problem, two_factor};

/// Looks for a reason why there can be no tour. `Ok` inside means that none was found, not that there is a tour.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first; inside, the proof.
pub(super) fn check(
    problem: &Problem,
    graph: &Graph,
    budget: &Budget,
) -> Result<Result<(), Impossible>, Interrupted> {
    if graph.len() == 1 {
        let single = Impossible::new(Proof::Degree, "A single square has no move to close a tour with.");
        return Ok(if problem.closed() { Err(single) } else { Ok(()) });
    }
    if let Err(apart) = connected(problem, graph, budget)? {
        return Ok(Err(apart));
    }
    budget.check()?;
    if let Err(poor) = degrees(problem, graph) {
        return Ok(Err(poor));
    }
    let Some(colours) = graph.two_colouring(budget)? else { return Ok(Ok(())) };
    if let Err(unbalanced) = balance(problem, graph, &colours) {
        return Ok(Err(unbalanced));
    }
    enough_moves(problem, graph, &colours, budget)
}

/// There are enough moves for all squares to be entered and left, whatever else a tour may need.
fn enough_moves(
    problem: &Problem,
    graph: &Graph,
    colours: &[u8],
    budget: &Budget,
) -> Result<Result<(), Impossible>, Interrupted> {
    // On large boards it would take longer than to find a tour, which nearly always there is.
    if graph.len() > 1 << 14 || graph.len() < 3 {
        return Ok(Ok(()));
    }
    let mut room = vec![2; graph.len()];
    let mut needed = graph.len();
    if !problem.closed() {
        needed -= 1;
        for end in [problem.start(), problem.end()].into_iter().flatten() {
            room[graph.vertex(end) as usize] = 1;
        }
    }
    let most = two_factor::most_moves(graph, colours, room, budget)?;
    Ok(if most < needed {
        Err(Impossible::new(
            Proof::Degree,
            format!(
                "Every square is entered by one move and left by another, which takes {needed} moves in all; but no choice of moves that leaves it at two for each square has more than {most}."
            ),
        ))
    } else {
        Ok(())
    })
}

/// Every square can be reached from every other.
fn connected(
    problem: &Problem,
    graph: &Graph,
    budget: &Budget,
) -> Result<Result<(), Impossible>, Interrupted> {
    let mut pacer = budget.pacer(1 << 15);
    let mut reached = vec![false; graph.len()];
    let mut stack = vec![0];
    reached[0] = true;
    while let Some(vertex) = stack.pop() {
        pacer.tick()?;
        for &to in graph.neighbours(vertex) {
            if !std::mem::replace(&mut reached[to as usize], true) {
                stack.push(to);
            }
        }
    }
    let Some(lost) = reached.iter().position(|&reached| !reached) else { return Ok(Ok(())) };
    let (one, other) = (graph.square(0), graph.square(lost as u32));
    let (a, b) = problem.leaper().distances();
    Ok(Err(if (a ^ b) & 1 == 0 && one.color() != other.color() {
        Impossible::new(
            Proof::Colour,
            format!(
                "A ({a}, {b}) leaper never leaves the colour that it stands on, and the board has squares of both, such as {one} and {other}."
            ),
        )
    } else {
        Impossible::new(
            Proof::Connectivity,
            format!("No sequence of ({a}, {b}) moves leads from {one} to {other}."),
        )
    }))
}

/// Every square but the ends is left by another move than it is entered by.
fn degrees(problem: &Problem, graph: &Graph) -> Result<(), Impossible> {
    if problem.closed() && graph.len() > 2 {
        let poor = (0..graph.len() as u32).find(|&vertex| graph.degree(vertex) < 2);
        return poor.map_or(Ok(()), |vertex| {
            Err(Impossible::new(
                Proof::Degree,
                format!(
                    "{} has a single move, but a closed tour enters and leaves every square.",
                    graph.square(vertex)
                ),
            ))
        });
    }
    let is_end = |square: Square| problem.start() == Some(square) || problem.end() == Some(square);
    let free_ends = usize::from(problem.start().is_none()) + usize::from(problem.end().is_none());
    let dead_ends: Vec<Square> = (0..graph.len() as u32)
        .filter(|&vertex| graph.degree(vertex) < 2)
        .map(|vertex| graph.square(vertex))
        .filter(|&square| !is_end(square))
        .take(free_ends + 1)
        .collect();
    if dead_ends.len() <= free_ends {
        return Ok(());
    }
    let list = dead_ends.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let reason = match free_ends {
        0 => format!("{list} has a single move, but is not an end of the tour."),
        1 => {
            format!("{list} have a single move each, but only one of them can be the other end of the tour.")
        }
        _ => format!("{list} have a single move each, but a tour has only two ends."),
    };
    Err(Impossible::new(Proof::Degree, reason))
}

/// The tour alternates between the two colours of the graph.
fn balance(problem: &Problem, graph: &Graph, colours: &[u8]) -> Result<(), Impossible> {
    let ones = colours.iter().filter(|&&colour| colour == 1).count();
    let zeros = colours.len() - ones;
    let alternates =
        "Every move changes between two kinds of squares, as between the colours of a chessboard";
    if zeros.abs_diff(ones) > usize::from(!problem.closed()) {
        let (more, less) = (zeros.max(ones), zeros.min(ones));
        let kind = if problem.closed() {
            "a closed tour has as many of one as of the other"
        } else {
            "an open tour has at most one more of one than of the other"
        };
        return Err(Impossible::new(
            Proof::Colour,
            format!("{alternates}, so {kind}; here there are {more} and {less}."),
        ));
    }
    // The kind of the squares with odd numbers, once it is known, and why.
    let mut odd = match zeros.cmp(&ones) {
        std::cmp::Ordering::Greater => Some((0, None)),
        std::cmp::Ordering::Less => Some((1, None)),
        std::cmp::Ordering::Equal => None,
    };
    for clue in problem.clues() {
        let colour = colours[graph.vertex(clue.square) as usize];
        let implied = if clue.number % 2 == 1 { colour } else { 1 - colour };
        match odd {
            None => odd = Some((implied, Some(clue))),
            Some((known, _)) if known == implied => {}
            Some((_, because)) => {
                let (square, number) = (clue.square, clue.number);
                let reason = match because {
                    None => format!(
                        "{alternates}, and as there is one more of one kind the tour begins and ends on that kind; {square} as number {number} would not fit in."
                    ),
                    Some(other) => format!(
                        "{alternates}, but {} as number {} and {square} as number {number} don't alternate.",
                        other.square, other.number
                    ),
                };
                return Err(Impossible::new(Proof::Colour, reason));
            }
        }
    }
    Ok(())
}
