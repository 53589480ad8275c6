//! Large boards in linear time: cut into blocks, tour each block, join the tours.
//!
//! A board whose sides are both 5 or more is cut into blocks of about 6 × 6. Each block gets a closed tour; blocks of
//! the same shape share one. Two closed tours become one where a square `a` of one block and a square `b` of the
//! other are a move apart and both tours go on in the same direction `d`: then `a + d` and `b + d` are a move apart as
//! well, so the two parallel moves can be exchanged for the two that cross the seam (the idea is I. Parberry's, 1997).
//!
//! ```text
//! a ——— a+d          a     a+d
//!             gives  |      |
//! b ——— b+d          b     b+d
//! ```
//!
//! An exchange never needs to know which way round a tour goes, so the board is kept as a set of directions for each
//! square, a bit each, and the tour is read off in one walk in the end.
//!
//! Where the tour has to lead from one given square to another, the blocks on the way from the one to the other get
//! open tours that continue one another, and the closed tours of all other blocks are joined to them. A block with
//! an odd number of squares has no closed tour. There is at most one, as each side is cut into even pieces and at
//! most one odd piece; it is laid where the tour begins.

use std::collections::{HashMap, VecDeque};
use std::sync::OnceLock;

use crate::board::{Size, Square};
use crate::puzzles::{Budget, Interrupted};

use super::graph::Graph;
use super::rotations::Ends;
use super::{existence, general};

/// The knight's moves, such that the opposite of a direction is 4 further on.
const DIRECTIONS: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The shortest side of a block that has a closed tour.
const SHORTEST: usize = 5;

/// The longest side of a block: pieces of 8 to 14, or an odd one to 15, beside a side of 5.
const LONGEST: usize = 15;

/// A tour of a whole board with sides of 5 or more, on which [`existence::check`] has nothing against one, as indices
/// of squares in order; `None` when there is none, which can only be on 5 × 6 with both ends given. O(squares), about
/// 10 ns and 5 bytes each.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn tour(
    size: Size,
    start: Option<Square>,
    end: Option<Square>,
    closed: bool,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let request = match (start, end) {
        (Some(start), Some(end)) => Request::Between(start, end),
        // A closed tour is an open one from any of its squares, and an open one read backwards ends where it began.
        (Some(given), None) | (None, Some(given)) if size.squares().is_multiple_of(2) => {
            Request::Cycle(given)
        }
        (None, None) if closed || size.squares().is_multiple_of(2) => Request::Cycle(Square::new(0, 0)),
        (Some(given), None) | (None, Some(given)) => Request::From(given),
        (None, None) => Request::From(Square::new(0, 0)),
    };
    let Some(mut path) = find(size, request, budget)? else { return Ok(None) };
    if start.is_none() && end.is_some() {
        path.reverse();
    }
    Ok(Some(path))
}

/// What the blocks have to be put together to.
#[derive(Clone, Copy, Debug)]
enum Request {
    /// A closed tour, read from this square.
    Cycle(Square),
    /// An open tour from here: on odd boards, where the cycle doesn't do.
    From(Square),
    /// A tour from here to there.
    Between(Square, Square),
}

fn find(size: Size, request: Request, budget: &Budget) -> Result<Option<Vec<u32>>, Interrupted> {
    let (Request::Cycle(anchor) | Request::From(anchor) | Request::Between(anchor, _)) = request;
    for variant in 0..16 {
        let odd = size.squares() % 2 == 1;
        let rows = Cut::new(size.rows(), size.cols(), odd.then_some(anchor.row as usize), variant / 4);
        let cols = Cut::new(size.cols(), size.rows(), odd.then_some(anchor.col as usize), variant % 4);
        let (Some(rows), Some(cols)) = (rows, cols) else { continue };
        if rows.len() * cols.len() == 1 && !matches!(request, Request::Cycle(_)) {
            break;
        }
        let mut layout = Layout::new(size, rows, cols);
        if layout.lay(request, budget)? {
            return layout.read(request, budget).map(Some);
        }
    }
    // An open tour of a single block, or in theory one of those boards on which no way to cut worked.
    let index = |square| size.index(square) as u32;
    let ends = match request {
        Request::Cycle(square) => Ends::Closed(index(square)),
        Request::From(square) => Ends::From(index(square)),
        Request::Between(start, end) => Ends::FromTo(index(start), index(end)),
    };
    let found = general::find(&Graph::whole(size), ends, budget)?;
    Ok(found.ok().map(|found| found.path))
}

/// How one side of the board is cut.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cut {
    /// Where each piece begins, and where the last one ends.
    bounds: Vec<usize>,
}

impl Cut {
    /// One of the ways to cut a side: into pieces of 6 to 10, or of 8 to 14 where the other side is 5 long, and an odd one
    /// that contains `anchor`, if that is given, where the side is odd. `None` when there are not so many ways.
    fn new(side: usize, other_side: usize, anchor: Option<usize>, variant: usize) -> Option<Self> {
        let unit = if other_side == 5 { 8 } else { 6 };
        let even = |length: usize| length == 0 || length >= unit;
        if side < 2 * unit && (side.is_multiple_of(2) || side < unit + 7) {
            return (variant == 0).then(|| Self { bounds: vec![0, side] });
        }
        let mut bounds = vec![0];
        let append = |bounds: &mut Vec<usize>, length: usize, longest_first: bool| {
            let pieces = length / unit;
            for piece in 0..pieces {
                let longest = if longest_first { piece == 0 } else { piece + 1 == pieces };
                let last = bounds[bounds.len() - 1];
                bounds.push(last + unit + if longest { length % unit } else { 0 });
            }
        };
        if side.is_multiple_of(2) {
            if variant > 1 {
                return None;
            }
            append(&mut bounds, side, variant == 1);
        } else {
            let (length, left) = (7..2 * unit)
                .step_by(2)
                .flat_map(|length| {
                    (0..=side.saturating_sub(length)).step_by(2).map(move |left| (length, left))
                })
                .filter(|&(length, left)| left + length <= side && even(left) && even(side - left - length))
                .filter(|&(length, left)| anchor.is_none_or(|anchor| (left..left + length).contains(&anchor)))
                .nth(variant)?;
            append(&mut bounds, left, false);
            bounds.push(left + length);
            append(&mut bounds, side - left - length, false);
        }
        Some(Self { bounds })
    }

    fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Which piece holds this row or column. O(log pieces).
    fn piece(&self, at: u32) -> usize {
        self.bounds.partition_point(|&bound| bound <= at as usize) - 1
    }
}

/// The directions in which a tour leaves each square of a block or a board, row by row: a bit for each of
/// [`DIRECTIONS`].
type Links = Vec<u8>;

/// A block, by its row and column among the blocks.
type Block = (usize, usize);

/// The board cut into blocks, and the tours of the blocks so far.
struct Layout {
    size: Size,
    rows: Cut,
    cols: Cut,
    links: Links,
    /// By block, row by row: whether its tour has become part of the whole.
    joined: Vec<bool>,
    steps: [isize; 8],
}

impl Layout {
    fn new(size: Size, rows: Cut, cols: Cut) -> Self {
        Self {
            size,
            links: vec![0; size.squares()],
            joined: vec![false; rows.len() * cols.len()],
            steps: DIRECTIONS.map(|(down, right)| down as isize * size.cols() as isize + right as isize),
            rows,
            cols,
        }
    }

    /// Lays all tours and joins them; `false` when that doesn't work out with this cut.
    fn lay(&mut self, request: Request, budget: &Budget) -> Result<bool, Interrupted> {
        let open = match request {
            Request::Cycle(_) => Vec::new(),
            Request::From(start) => {
                let block = self.block(start);
                let graph = Graph::whole(self.shape(block));
                let ends = Ends::From(graph.vertex(self.inside(block, start)));
                let Ok(found) = general::find(&graph, ends, budget)? else { return Ok(false) };
                self.place(block, &links_of(self.shape(block), &found.path, false));
                vec![block]
            }
            Request::Between(start, end) => match self.lay_chain(start, end, budget)? {
                Some(chain) => chain,
                None => return Ok(false),
            },
        };
        for &block in &open {
            let at = self.number(block);
            self.joined[at] = true;
        }
        for row in 0..self.rows.len() {
            budget.check()?;
            for col in 0..self.cols.len() {
                if !self.joined[self.number((row, col))] {
                    let Some(links) = closed_links(self.shape((row, col))) else { return Ok(false) };
                    self.place((row, col), links);
                }
            }
        }
        let first = if open.is_empty() { vec![(0, 0)] } else { open };
        self.join_all(first, budget)
    }

    /// Joins the tours of all blocks to those of the blocks `first`, which are one tour already; `false` when some can't be.
    fn join_all(&mut self, first: Vec<Block>, budget: &Budget) -> Result<bool, Interrupted> {
        for &block in &first {
            let at = self.number(block);
            self.joined[at] = true;
        }
        let mut queue = VecDeque::from(first);
        let mut left = self.joined.iter().filter(|&&joined| !joined).count();
        let mut pacer = budget.pacer(1 << 12);
        while let Some((row, col)) = queue.pop_front() {
            pacer.tick()?;
            let beside =
                [(row, col + 1), (row + 1, col), (row, col.wrapping_sub(1)), (row.wrapping_sub(1), col)];
            for next in beside {
                if next.0 < self.rows.len()
                    && next.1 < self.cols.len()
                    && !self.joined[self.number(next)]
                    && self.join((row, col), next)
                {
                    let at = self.number(next);
                    self.joined[at] = true;
                    left -= 1;
                    queue.push_back(next);
                }
            }
        }
        Ok(left == 0)
    }

    /// Joins the closed tour of `next` to the tour that passes through the neighbouring block `block`.
    fn join(&mut self, block: Block, next: Block) -> bool {
        let crossing = self.crossings(block, next).find_map(|(from, across)| {
            let to = from.wrapping_add_signed(self.steps[across]);
            let parallel = self.links[from] & self.links[to];
            (parallel != 0).then_some((from, to, across, parallel.trailing_zeros() as usize))
        });
        let Some((from, to, across, along)) = crossing else { return false };
        let (bit, opposite) =
            (|direction: usize| 1_u8 << direction, |direction: usize| 1_u8 << (direction ^ 4));
        for (at, crossing) in [(from, bit(across)), (to, opposite(across))] {
            self.links[at] ^= bit(along) | crossing;
            self.links[at.wrapping_add_signed(self.steps[along])] ^= opposite(along) | crossing;
        }
        true
    }

    /// The moves from one block to a neighbouring one: the index of the square, and the direction.
    fn crossings(&self, from: Block, to: Block) -> impl Iterator<Item = (usize, usize)> + use<> {
        let [(top, bottom), (left, right)] = self.bounds(from);
        let [(to_top, to_bottom), (to_left, to_right)] = self.bounds(to);
        let cols = self.size.cols();
        // Two rows or columns along the seam.
        let near = |low: usize, high: usize, to_low: usize, to_high: usize| {
            if to_low >= high {
                (high - 2, high)
            } else if to_high <= low {
                (low, low + 2)
            } else {
                (low, high)
            }
        };
        let (top, bottom) = near(top, bottom, to_top, to_bottom);
        let (left, right) = near(left, right, to_left, to_right);
        (top..bottom).flat_map(move |row| {
            (left..right).flat_map(move |col| {
                DIRECTIONS.iter().enumerate().filter_map(move |(direction, &(down, across))| {
                    let to_row = row.wrapping_add_signed(down as isize);
                    let to_col = col.wrapping_add_signed(across as isize);
                    let leads =
                        (to_top..to_bottom).contains(&to_row) && (to_left..to_right).contains(&to_col);
                    leads.then_some((row * cols + col, direction))
                })
            })
        })
    }

    /// Lays open tours that lead from `start` to `end` through a chain of blocks, which it returns; `None` when that
    /// doesn't work out.
    fn lay_chain(
        &mut self,
        start: Square,
        end: Square,
        budget: &Budget,
    ) -> Result<Option<Vec<Block>>, Interrupted> {
        let (first, last) = (self.block(start), self.block(end));
        let range = |from: usize, to: usize| -> Box<dyn Iterator<Item = usize>> {
            if from <= to { Box::new(from..to) } else { Box::new((to + 1..=from).rev()) }
        };
        let chain: Vec<Block> = range(first.0, last.0)
            .map(|row| (row, first.1))
            .chain(range(first.1, last.1).map(|col| (last.0, col)))
            .chain([last])
            .collect();

        let mut known: HashMap<(Size, Square, Square), Links> = HashMap::new();
        let mut entry = start;
        for (number, &block) in chain.iter().enumerate() {
            let (exit, next_entry) = match chain.get(number + 1) {
                None => (end, end),
                Some(&next) => match self.exit(block, entry, next, chain.get(number + 2).copied().ok_or(end))
                {
                    Some(exit) => exit,
                    None => return Ok(None),
                },
            };
            let shape = self.shape(block);
            let key = (shape, self.inside(block, entry), self.inside(block, exit));
            if let std::collections::hash_map::Entry::Vacant(e) = known.entry(key) {
                let ends = Ends::FromTo(shape.index(key.1) as u32, shape.index(key.2) as u32);
                let Ok(found) = general::find(&Graph::whole(shape), ends, budget)? else { return Ok(None) };
                e.insert(links_of(shape, &found.path, false));
            }
            self.place(block, &known[&key]);
            if number + 1 < chain.len() {
                let across = DIRECTIONS
                    .iter()
                    .position(|&(down, right)| self.size.offset(exit, down, right) == Some(next_entry))
                    .expect("an exit is a move away from the next entry");
                let (exit, next_entry) = (self.size.index(exit), self.size.index(next_entry));
                self.links[exit] |= 1 << across;
                self.links[next_entry] |= 1 << (across ^ 4);
            }
            entry = next_entry;
        }
        Ok(Some(chain))
    }

    /// A square to leave `block` by, having entered at `entry`, and the square of `next` where that leads: one from which
    /// the tour can go on to the block after it, or to its end.
    fn exit(
        &self,
        block: Block,
        entry: Square,
        next: Block,
        then: Result<Block, Square>,
    ) -> Option<(Square, Square)> {
        let passes = |block: Block, from: Square, to: Square| {
            from != to
                && existence::check(
                    self.shape(block),
                    Some(self.inside(block, from)),
                    Some(self.inside(block, to)),
                    false,
                )
                .is_ok()
        };
        self.crossings(block, next)
            .map(|(from, across)| {
                let to = from.wrapping_add_signed(self.steps[across]);
                (self.size.square(from), self.size.square(to))
            })
            .filter(|&(exit, _)| passes(block, entry, exit))
            .find(|&(_, next_entry)| match then {
                Err(end) => passes(next, next_entry, end),
                Ok(after) => self
                    .crossings(next, after)
                    .any(|(from, _)| passes(next, next_entry, self.size.square(from))),
            })
    }

    /// The block that holds this square.
    fn block(&self, square: Square) -> Block {
        (self.rows.piece(square.row), self.cols.piece(square.col))
    }

    fn number(&self, (row, col): Block) -> usize {
        row * self.cols.len() + col
    }

    /// The first row of a block and the one after its last, and its columns likewise.
    fn bounds(&self, (row, col): Block) -> [(usize, usize); 2] {
        [
            (self.rows.bounds[row], self.rows.bounds[row + 1]),
            (self.cols.bounds[col], self.cols.bounds[col + 1]),
        ]
    }

    fn shape(&self, block: Block) -> Size {
        let [(top, bottom), (left, right)] = self.bounds(block);
        Size::new((bottom - top) as u32, (right - left) as u32).expect("a block is a part of the board")
    }

    /// Where a square of the board is within its block.
    fn inside(&self, block: Block, square: Square) -> Square {
        let [(top, _), (left, _)] = self.bounds(block);
        Square::new(square.row - top as u32, square.col - left as u32)
    }

    /// Writes the tour of a block.
    fn place(&mut self, block: Block, links: &[u8]) {
        let [(top, _), (left, right)] = self.bounds(block);
        let width = right - left;
        for (row, links) in links.chunks_exact(width).enumerate() {
            let at = (top + row) * self.size.cols() + left;
            self.links[at..at + width].copy_from_slice(links);
        }
    }

    /// Reads the tour off.
    fn read(&self, request: Request, budget: &Budget) -> Result<Vec<u32>, Interrupted> {
        let (Request::Cycle(start) | Request::From(start) | Request::Between(start, _)) = request;
        let mut path = Vec::with_capacity(self.size.squares());
        let mut at = self.size.index(start);
        // Of the two ways round a closed tour, the first.
        let mut on = self.links[at] & self.links[at].wrapping_neg();
        path.push(at as u32);
        while path.len() < self.size.squares() {
            budget.check()?;
            for _ in path.len()..self.size.squares().min(path.len() + (1 << 18)) {
                let direction = on.trailing_zeros() as usize & 7;
                at = at.wrapping_add_signed(self.steps[direction]);
                on = self.links[at] & !(1 << (direction ^ 4));
                path.push(at as u32);
            }
        }
        Ok(path)
    }
}

/// The directions of a path on a board of this shape.
fn links_of(shape: Size, path: &[u32], closed: bool) -> Links {
    let mut links = vec![0; shape.squares()];
    let closing = if closed { path.first() } else { None };
    for (&from, &to) in path.iter().zip(path.iter().skip(1).chain(closing)) {
        let (square, next) = (shape.square(from as usize), shape.square(to as usize));
        let direction = DIRECTIONS
            .iter()
            .position(|&(down, right)| shape.offset(square, down, right) == Some(next))
            .expect("a path goes from move to move");
        links[from as usize] |= 1 << direction;
        links[to as usize] |= 1 << (direction ^ 4);
    }
    links
}

/// The closed tour of a block of this shape, where there is one. Found once in the life of the program.
fn closed_links(shape: Size) -> Option<&'static Links> {
    const SHAPES: usize = LONGEST + 1 - SHORTEST;
    static KNOWN: [[OnceLock<Option<Links>>; SHAPES]; SHAPES] =
        [const { [const { OnceLock::new() }; SHAPES] }; SHAPES];

    KNOWN[shape.rows() - SHORTEST][shape.cols() - SHORTEST]
        .get_or_init(|| {
            existence::check(shape, None, None, true).ok()?;
            let found = general::find(&Graph::whole(shape), Ends::Closed(0), &Budget::unlimited());
            Some(links_of(shape, &found.ok()?.ok()?.path, true))
        })
        .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_is_cut_into_pieces_that_have_tours() {
        for (other, least) in [(5, 8), (6, 6), (100, 6)] {
            for side in least..150 {
                for anchor in 0..side {
                    let cut =
                        Cut::new(side, other, Some(anchor), 0).expect("there is a way to cut each side");
                    assert_eq!((cut.bounds[0], cut.bounds[cut.len()]), (0, side));
                    let pieces: Vec<usize> = cut.bounds.windows(2).map(|ends| ends[1] - ends[0]).collect();
                    assert!(
                        pieces.iter().all(|piece| (least..=LONGEST).contains(piece) || *piece == 7),
                        "{pieces:?}"
                    );
                    let odd = pieces.iter().filter(|&piece| piece % 2 == 1).count();
                    assert_eq!(odd, side % 2, "{pieces:?}");
                    if side % 2 == 1 {
                        assert_eq!(pieces[cut.piece(anchor as u32)] % 2, 1, "{anchor} in {pieces:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_have_closed_tours_unless_their_squares_are_odd() {
        for rows in SHORTEST..=LONGEST {
            for cols in SHORTEST..=LONGEST {
                let shape = Size::new(rows as u32, cols as u32).unwrap();
                let links = closed_links(shape);
                assert_eq!(links.is_some(), rows * cols % 2 == 0, "{shape}");
                assert!(links.is_none_or(|links| links.iter().all(|links| links.count_ones() == 2)));
            }
        }
    }
}
