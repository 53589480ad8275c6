//! Boards whose squares are not all alike: given queens, blocked squares, regions, any kind of attack.
//!
//! Rows, columns and regions are *lines* that take exactly one queen each. The search keeps which lines are
//! filled and which diagonals are occupied; from these it works out, for each open row, the columns where a queen
//! may still stand, one bit a column. A line without such a square ends the branch; a line with one square gets
//! its queen there at once; and where every line has a choice, the search branches. It does so either on the top
//! row, and then solutions come in lexicographic order, or on the line with the fewest squares, which finds one
//! solution, or shows that there is none, much sooner (Haralick & Elliott 1980 call it *fail first*).
//!
//! All is recomputed at each step rather than kept up to date: there is nothing to undo but the queens
//! themselves, and a board of up to 64 columns is looked through in some hundred nanoseconds.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Attack, Problem};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted, Pacer};

/// How the search goes on where every line has a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// On the top open row, from the left: solutions come in lexicographic order.
    Lexicographic,
    /// As before, but from this solution on, which comes first.
    LexicographicFrom(Vec<u32>),
    /// On the line with the fewest squares.
    FewestFirst,
    /// On the line with the fewest squares, which are tried in an order drawn with this seed.
    Shuffled(u64),
}

/// A search that gives one solution after the other.
pub trait Solutions: Send {
    /// The next solution: the column of the queen in each row; `None` when there is no further one. The time
    /// from one to the next is exponential in the size at worst. Looks at the budget every few milliseconds.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first; the search is of no use then.
    fn next(&mut self, budget: &Budget) -> Result<Option<&[u32]>, Interrupted>;

    /// As [`next`](Self::next), to keep.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn next_owned(&mut self, budget: &Budget) -> Result<Option<Vec<u32>>, Interrupted> {
        Ok(self.next(budget)?.map(<[u32]>::to_vec))
    }
}

/// A [`Solutions`] of a constrained board that can be divided.
pub trait ConstraintSearch: Solutions {
    /// The number of all solutions from the next one on.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn count(&mut self, budget: &Budget) -> Result<u64, Interrupted> {
        let mut found = 0;
        while self.next(budget)?.is_some() {
            found += 1;
        }
        Ok(found)
    }

    /// Allows the search so many steps from here on. After that it gives no further solutions.
    fn limit_steps(&mut self, steps: u64);

    /// Whether the search has taken all the steps that it was allowed, so that it may have missed solutions.
    fn ran_out(&self) -> bool;

    /// The number of all solutions from the next one on, if counting them takes less than so many steps; `None` if it
    /// takes more. The search is used up then.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn count_within(&mut self, steps: u64, budget: &Budget) -> Result<Option<u64>, Interrupted> {
        self.limit_steps(steps);
        let found = self.count(budget)?;
        Ok((!self.ran_out()).then_some(found))
    }

    /// Whether there was ever a choice; without one, the queens that are forced settle the board.
    fn has_branched(&self) -> bool;

    /// Divides a search that has not begun into at least so many parts, as far as there are choices: the queens to
    /// give to each. Between them the parts have the solutions of the whole.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn split(&mut self, parts: usize, budget: &Budget) -> Result<Vec<Vec<Square>>, Interrupted>;
}

/// A search of the solutions of `problem`, whose given queens don't attack each other and don't share a region,
/// and whose number of regions, if it has any, is that of its rows. At most
/// [`Problem::MAX_CONSTRAINED_SIZE`] columns.
#[must_use]
pub fn search(problem: &Problem, order: Order) -> Box<dyn ConstraintSearch> {
    match problem.size() {
        0..=64 => Box::new(Search::<1>::new(problem, order)),
        65..=128 => Box::new(Search::<2>::new(problem, order)),
        129..=256 => Box::new(Search::<4>::new(problem, order)),
        257..=512 => Box::new(Search::<8>::new(problem, order)),
        513..=1024 => Box::new(Search::<16>::new(problem, order)),
        1025..=2048 => Box::new(Search::<32>::new(problem, order)),
        _ => Box::new(Search::<64>::new(problem, order)),
    }
}

/// What never changes in the course of a search.
#[derive(Debug)]
struct Board {
    size: usize,
    attack: Attack,
    /// The region of each square, row by row; empty when there are none.
    region_of: Vec<u32>,
    /// The free squares of each region.
    regions: Vec<Vec<RegionWord>>,
}

/// The squares of a region that share a row and a word of columns.
#[derive(Clone, Copy, Debug)]
struct RegionWord {
    row: usize,
    word: usize,
    mask: u64,
}

/// The queens so far, and the lines that they fill.
#[derive(Debug)]
struct Placement<const W: usize> {
    board: Board,
    /// The queens in the order in which they came.
    queens: Vec<Square>,
    /// The column of the queen in each row; [`NO_QUEEN`] in an open row.
    columns: Vec<u32>,
    filled_columns: [u64; W],
    filled_regions: Vec<bool>,
    /// The free squares outside of filled regions, by row.
    open: Vec<[u64; W]>,
    /// Occupied diagonals: rising ones by `row + col`, falling ones by `col - row + size - 1`. On the torus each
    /// number counts modulo the size and stands twice, `size` apart, so that a row always finds its columns side
    /// by side.
    rising: Vec<u64>,
    falling: Vec<u64>,
}

/// With fewer open rows, going on in order is as quick as asking first whether it leads to a solution.
const FORESIGHT_ROWS: usize = 12;

/// In the place of a column: the row is open.
const NO_QUEEN: u32 = u32::MAX;

/// What a look at all open lines showed.
enum Finding {
    /// Every line is filled.
    Full,
    /// A line has no square left.
    Dead,
    /// A line has only this square left.
    Forced(Square),
    /// Every open line has a choice; this is the line to branch on.
    Choice(Line),
}

/// Squares of which exactly one takes a queen.
#[derive(Clone, Copy, Debug)]
enum Line {
    Row(usize),
    Column(usize),
    Region(usize),
}

impl<const W: usize> Placement<W> {
    /// The board with its given queens.
    fn new(problem: &Problem) -> Self {
        let size = problem.size() as usize;
        let mut free = vec![first_bits::<W>(size); size];
        for square in problem.blocked() {
            toggle(&mut free[square.row as usize], square.col as usize);
        }
        let (mut region_of, mut regions) = (Vec::new(), Vec::new());
        if let Some(of) = problem.regions() {
            region_of = of.of().cells().to_vec();
            regions = vec![Vec::<RegionWord>::new(); of.count() as usize];
            for (row, free) in free.iter().enumerate() {
                for col in ones(free) {
                    let words = &mut regions[region_of[row * size + col] as usize];
                    let (word, mask) = (col / 64, 1 << (col % 64));
                    match words.last_mut() {
                        Some(last) if last.row == row && last.word == word => last.mask |= mask,
                        _ => words.push(RegionWord { row, word, mask }),
                    }
                }
            }
        }
        let mut placement = Self {
            queens: Vec::with_capacity(size),
            columns: vec![NO_QUEEN; size],
            filled_columns: [0; W],
            filled_regions: vec![false; regions.len()],
            open: free,
            rising: vec![0; 2 * W + 2],
            falling: vec![0; 2 * W + 2],
            board: Board { size, attack: problem.attack(), region_of, regions },
        };
        for &queen in problem.queens() {
            placement.place(queen);
        }
        placement
    }

    /// Puts a queen on a square that none attacks.
    fn place(&mut self, queen: Square) {
        self.queens.push(queen);
        self.columns[queen.row as usize] = queen.col;
        self.toggle_lines(queen);
        if let Some(region) = self.region_of(queen) {
            self.filled_regions[region] = true;
            for part in &self.board.regions[region] {
                self.open[part.row][part.word] &= !part.mask;
            }
        }
    }

    /// Takes the last queens away until there are `count`.
    fn unplace(&mut self, count: usize) {
        while self.queens.len() > count
            && let Some(queen) = self.queens.pop()
        {
            self.columns[queen.row as usize] = NO_QUEEN;
            self.toggle_lines(queen);
            if let Some(region) = self.region_of(queen) {
                self.filled_regions[region] = false;
                for part in &self.board.regions[region] {
                    self.open[part.row][part.word] |= part.mask;
                }
            }
        }
    }

    fn region_of(&self, square: Square) -> Option<usize> {
        let index = square.row as usize * self.board.size + square.col as usize;
        self.board.region_of.get(index).map(|&region| region as usize)
    }

    /// Fills the column and the diagonals of a square, or empties them again.
    fn toggle_lines(&mut self, square: Square) {
        let (size, row, col) = (self.board.size, square.row as usize, square.col as usize);
        toggle(&mut self.filled_columns, col);
        match self.board.attack {
            Attack::Queen => {
                toggle(&mut self.rising, row + col);
                toggle(&mut self.falling, col + size - 1 - row);
            }
            Attack::Torus => {
                let (rising, falling) = ((row + col) % size, (col + size - row) % size);
                for turn in [0, size] {
                    toggle(&mut self.rising, rising + turn);
                    toggle(&mut self.falling, falling + turn);
                }
            }
            Attack::Touch => {}
        }
    }

    /// The columns of an open row where a queen may stand.
    fn candidates(&self, row: usize) -> [u64; W] {
        let size = self.board.size;
        let mut candidates = self.open[row];
        let mut without = |attacked: &[u64; W]| {
            for (word, attacked) in candidates.iter_mut().zip(attacked) {
                *word &= !attacked;
            }
        };
        without(&self.filled_columns);
        match self.board.attack {
            Attack::Queen => {
                without(&window(&self.rising, row));
                without(&window(&self.falling, size - 1 - row));
            }
            Attack::Torus => {
                without(&window(&self.rising, row));
                without(&window(&self.falling, size - row));
            }
            Attack::Touch => {
                for neighbour in [row.wrapping_sub(1), row + 1] {
                    if let Some(&col) = self.columns.get(neighbour)
                        && col != NO_QUEEN
                    {
                        let col = col as usize;
                        let mut touched = [0; W];
                        for beside in col.saturating_sub(1)..=(col + 1).min(size - 1) {
                            toggle(&mut touched, beside);
                        }
                        without(&touched);
                    }
                }
            }
        }
        candidates
    }

    /// Looks at all open lines; leaves the candidates of each row in `candidates`.
    fn survey(&self, by_row: bool, candidates: &mut [[u64; W]]) -> Finding {
        let size = self.board.size;
        if self.queens.len() == size {
            return Finding::Full;
        }
        let mut best = None;
        let mut fewest = u32::MAX;
        // Bit by bit: the columns with at least one, two and three squares.
        let (mut one, mut two, mut three) = ([0; W], [0; W], [0; W]);
        for (row, candidates) in candidates.iter_mut().enumerate() {
            if self.columns[row] != NO_QUEEN {
                *candidates = [0; W];
                continue;
            }
            let squares = self.candidates(row);
            *candidates = squares;
            let mut count = 0;
            for word in 0..W {
                let columns = squares[word];
                count += columns.count_ones();
                three[word] |= two[word] & columns;
                two[word] |= one[word] & columns;
                one[word] |= columns;
            }
            match count {
                0 => return Finding::Dead,
                1 => return Finding::Forced(Square::new(row as u32, first_one(&squares))),
                _ => {}
            }
            if count < fewest && !(by_row && best.is_some()) {
                fewest = count;
                best = Some(Line::Row(row));
            }
        }

        let open_columns = first_bits::<W>(size);
        for word in 0..W {
            if one[word] != open_columns[word] & !self.filled_columns[word] {
                return Finding::Dead;
            }
            let single = one[word] & !two[word];
            if single != 0 {
                let bit = single & single.wrapping_neg();
                let row = candidates.iter().position(|squares| squares[word] & bit != 0);
                let row = row.expect("a column counted as having a square has it in some row") as u32;
                return Finding::Forced(Square::new(row, word as u32 * 64 + bit.trailing_zeros()));
            }
            let double = two[word] & !three[word];
            if double != 0 && fewest > 2 && !by_row {
                fewest = 2;
                best = Some(Line::Column(word * 64 + double.trailing_zeros() as usize));
            }
        }

        for (region, parts) in self.board.regions.iter().enumerate() {
            if self.filled_regions[region] {
                continue;
            }
            let mut count = 0;
            let mut last = None;
            for part in parts {
                let squares = candidates[part.row][part.word] & part.mask;
                if squares != 0 {
                    count += squares.count_ones();
                    last =
                        Some(Square::new(part.row as u32, part.word as u32 * 64 + squares.trailing_zeros()));
                    if count >= fewest {
                        break;
                    }
                }
            }
            match (count, last) {
                (_, None) => return Finding::Dead,
                (1, Some(square)) => return Finding::Forced(square),
                _ if count < fewest && !by_row => {
                    fewest = count;
                    best = Some(Line::Region(region));
                }
                _ => {}
            }
        }
        best.map_or(Finding::Dead, Finding::Choice)
    }

    /// The squares of a line, in order, among these candidates.
    fn squares(&self, line: Line, candidates: &[[u64; W]]) -> Vec<Square> {
        let at = |row: usize, col: usize| Square::new(row as u32, col as u32);
        match line {
            Line::Row(row) => ones(&candidates[row]).map(|col| at(row, col)).collect(),
            Line::Column(col) => {
                let rows =
                    (0..self.board.size).filter(|&row| candidates[row][col / 64] >> (col % 64) & 1 == 1);
                rows.map(|row| at(row, col)).collect()
            }
            Line::Region(region) => {
                let parts = self.board.regions[region].iter();
                let squares = parts.flat_map(|part| {
                    let mask = [candidates[part.row][part.word] & part.mask];
                    ones(&mask).map(|bit| at(part.row, part.word * 64 + bit)).collect::<Vec<_>>()
                });
                squares.collect()
            }
        }
    }
}

/// A search with its place in the tree of choices.
#[derive(Debug)]
struct Search<const W: usize> {
    placement: Placement<W>,
    order: Order,
    rng: ChaCha8Rng,
    /// The choices that led here.
    choices: Vec<Choice>,
    /// The squares that the choices have still to try, the next one last.
    untried: Vec<Square>,
    candidates: Vec<[u64; W]>,
    /// Whether the placement is a solution that was given out, or a dead end: the search goes on elsewhere.
    spent: bool,
    /// How many steps may still be taken.
    steps_left: u64,
    branched: bool,
    /// In lexicographic order: some solution further on, which shows that what leads to it is no dead end.
    example: Option<Vec<u32>>,
}

/// A choice: how many queens stood and how many squares were untried before it.
#[derive(Clone, Copy, Debug)]
struct Choice {
    queens: usize,
    untried: usize,
}

impl<const W: usize> Search<W> {
    fn new(problem: &Problem, order: Order) -> Self {
        let placement = Placement::new(problem);
        let example = if let Order::LexicographicFrom(from) = &order { Some(from.clone()) } else { None };
        let seed = if let Order::Shuffled(seed) = order { seed } else { 0 };
        Self {
            candidates: vec![[0; W]; placement.board.size],
            placement,
            order,
            rng: ChaCha8Rng::seed_from_u64(seed),
            choices: Vec::new(),
            untried: Vec::new(),
            spent: false,
            steps_left: u64::MAX,
            branched: false,
            example,
        }
    }

    fn is_lexicographic(&self) -> bool {
        matches!(self.order, Order::Lexicographic | Order::LexicographicFrom(_))
    }

    /// Goes on to the next solution that has all the queens of the first `floor` choices; false when there is
    /// none. Takes the top row of several open lines, or the one with the fewest squares.
    fn find(&mut self, floor: usize, by_row: bool, pacer: &mut Pacer<'_>) -> Result<bool, Interrupted> {
        while self.steps_left > 0 {
            if self.spent {
                if !self.advance(floor) {
                    return Ok(false);
                }
                self.spent = by_row && !self.has_future(pacer)?;
                continue;
            }
            pacer.tick()?;
            self.steps_left -= 1;
            match self.placement.survey(by_row, &mut self.candidates) {
                Finding::Full => {
                    self.spent = true;
                    return Ok(true);
                }
                Finding::Dead => self.spent = true,
                Finding::Forced(square) => self.placement.place(square),
                Finding::Choice(line) => {
                    self.branch(line, by_row);
                    self.spent = true;
                }
            }
        }
        Ok(false)
    }

    /// Whether any solution has all the queens that stand; also true when few rows are open, as it isn't worth
    /// asking then.
    fn has_future(&mut self, pacer: &mut Pacer<'_>) -> Result<bool, Interrupted> {
        let queens = self.placement.queens.len();
        if self.placement.board.size - queens < FORESIGHT_ROWS {
            return Ok(true);
        }
        let has_all = |example: &Vec<u32>| {
            self.placement.queens.iter().all(|queen| example[queen.row as usize] == queen.col)
        };
        if self.example.as_ref().is_some_and(has_all) {
            return Ok(true);
        }
        let (choices, untried) = (self.choices.len(), self.untried.len());
        self.spent = false;
        let found = self.find(choices, false, pacer)?;
        if found {
            self.example = Some(self.placement.columns.clone());
        }
        self.choices.truncate(choices);
        self.untried.truncate(untried);
        self.placement.unplace(queens);
        Ok(found)
    }

    /// Opens a choice between the squares of a line.
    fn branch(&mut self, line: Line, by_row: bool) {
        self.branched = true;
        self.choices.push(Choice { queens: self.placement.queens.len(), untried: self.untried.len() });
        let mut squares = self.placement.squares(line, &self.candidates);
        match &self.order {
            Order::LexicographicFrom(from) if by_row => {
                squares.retain(|square| square.col >= from[square.row as usize]);
            }
            Order::Shuffled(_) => squares.shuffle(&mut self.rng),
            _ => {}
        }
        self.untried.extend(squares.into_iter().rev());
    }

    /// Takes the next square of the last choice that has one, beyond the first `floor` choices; false when none
    /// has.
    fn advance(&mut self, floor: usize) -> bool {
        while self.choices.len() > floor
            && let Some(choice) = self.choices.last()
        {
            self.placement.unplace(choice.queens);
            if self.untried.len() > choice.untried
                && let Some(square) = self.untried.pop()
            {
                self.placement.place(square);
                return true;
            }
            self.choices.pop();
        }
        false
    }
}

impl<const W: usize> Solutions for Search<W> {
    fn next(&mut self, budget: &Budget) -> Result<Option<&[u32]>, Interrupted> {
        budget.check()?;
        // A step takes a few nanoseconds for each word of each row and region.
        let words =
            W * self.placement.board.size + self.placement.board.regions.iter().map(Vec::len).sum::<usize>();
        let mut pacer = budget.pacer((500_000 / words).max(1) as u32);
        let found = self.find(0, self.is_lexicographic(), &mut pacer)?;
        if let Order::LexicographicFrom(_) = self.order {
            self.order = Order::Lexicographic;
        }
        Ok(found.then_some(&self.placement.columns))
    }
}

impl<const W: usize> ConstraintSearch for Search<W> {
    fn limit_steps(&mut self, steps: u64) {
        self.steps_left = steps;
    }

    fn ran_out(&self) -> bool {
        self.steps_left == 0
    }

    fn has_branched(&self) -> bool {
        self.branched
    }

    fn split(&mut self, parts: usize, budget: &Budget) -> Result<Vec<Vec<Square>>, Interrupted> {
        let given = self.placement.queens.len();
        let mut open = vec![Vec::new()];
        let mut full = Vec::new();
        while !open.is_empty() && open.len() + full.len() < parts {
            let mut deeper = Vec::new();
            for part in open {
                budget.check()?;
                self.placement.unplace(given);
                part.iter().for_each(|&queen| self.placement.place(queen));
                loop {
                    match self.placement.survey(false, &mut self.candidates) {
                        Finding::Dead => break,
                        Finding::Forced(square) => self.placement.place(square),
                        Finding::Full => {
                            full.push(self.placement.queens[given..].to_vec());
                            break;
                        }
                        Finding::Choice(line) => {
                            let queens = &self.placement.queens[given..];
                            let squares = self.placement.squares(line, &self.candidates);
                            deeper.extend(squares.into_iter().map(|square| [queens, &[square]].concat()));
                            break;
                        }
                    }
                }
            }
            open = deeper;
        }
        self.placement.unplace(given);
        open.append(&mut full);
        Ok(open)
    }
}

/// The lowest `count` bits.
fn first_bits<const W: usize>(count: usize) -> [u64; W] {
    std::array::from_fn(|word| match count.saturating_sub(word * 64) {
        0 => 0,
        left => u64::MAX >> (64 - left.min(64)),
    })
}

/// Changes one bit.
fn toggle(bits: &mut [u64], bit: usize) {
    bits[bit / 64] ^= 1 << (bit % 64);
}

/// The number of the lowest bit that is set; there is one.
fn first_one<const W: usize>(bits: &[u64; W]) -> u32 {
    let word = bits.iter().position(|&word| word != 0).unwrap_or_default();
    word as u32 * 64 + bits[word].trailing_zeros()
}

/// The numbers of all bits that are set, from the lowest.
fn ones<const W: usize>(bits: &[u64; W]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| word * 64 + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            bit
        })
    })
}

/// `W` words of bits from this bit on.
fn window<const W: usize>(bits: &[u64], start: usize) -> [u64; W] {
    let (word, shift) = (start / 64, start % 64);
    std::array::from_fn(|index| {
        let low = bits[word + index] >> shift;
        // Two steps: a shift by all 64 bits is none.
        let high = bits[word + index + 1] << 1 << (63 - shift);
        low | high
    })
}
