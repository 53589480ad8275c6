//! One step of the dynamic program on a table with one entry for each profile.
//!
//! The table of a step in the [module above](super) is linear: it adds entries, and what adding means depends on
//! what is kept. A step reads and writes groups of entries whose profiles differ in the columns l, c and r only,
//! in place.

use super::{Cell, Strip};
use crate::puzzles::{Interrupted, Pacer};

/// What entries are, and how they add up.
pub(super) trait Algebra {
    /// What is kept for a profile, or for several with neighbouring numbers.
    type Entry: Copy;
    /// Nothing: adding it changes nothing.
    const ZERO: Self::Entry;

    fn sum(&self, a: Self::Entry, b: Self::Entry) -> Self::Entry;

    /// Where an entry stands for several profiles, and the last column in which they differ is left of the first
    /// one that tells entries apart: those with that column free, with it covered.
    fn cover_left(&self, _entry: Self::Entry) -> Option<Self::Entry> {
        None
    }

    /// Takes a step on a whole table, in place.
    fn step(&self, table: &mut Table<Self::Entry>, cell: Cell)
    where
        Self: Sized,
    {
        step(self, &mut table.free, &mut table.covered, cell.col, cell);
    }
}

/// The entries of all profiles: those with x, the square below the current one, free, and covered.
#[derive(Clone, Debug)]
pub(super) struct Table<E> {
    pub(super) free: Vec<E>,
    pub(super) covered: Vec<E>,
}

impl<E: Copy> Table<E> {
    /// The same entry for all profiles, `len` with x free and as many with x covered.
    pub(super) fn filled(len: usize, entry: E) -> Self {
        Self { free: vec![entry; len], covered: vec![entry; len] }
    }

    /// Goes on from the layer between two rows, in which x is always free, to the first square of a row.
    pub(super) fn enter_row(&mut self, strip: &Strip, row: usize) {
        if strip.enters_covered(row) {
            std::mem::swap(&mut self.free, &mut self.covered);
        }
    }

    /// Takes the steps of a row, from the layer between two rows to the next one. Ticks once a step.
    pub(super) fn step_row<A: Algebra<Entry = E>>(
        &mut self,
        algebra: &A,
        strip: &Strip,
        row: usize,
        pacer: &mut Pacer<'_>,
    ) -> Result<(), Interrupted> {
        self.enter_row(strip, row);
        for cell in strip.cells(row) {
            pacer.tick()?;
            algebra.step(self, cell);
        }
        Ok(())
    }

    /// [`step_row`](Self::step_row) on a layer; the table's own entries are lost.
    pub(super) fn step_layer<A: Algebra<Entry = E>>(
        &mut self,
        algebra: &A,
        strip: &Strip,
        row: usize,
        layer: &mut Vec<E>,
        pacer: &mut Pacer<'_>,
    ) -> Result<(), Interrupted> {
        std::mem::swap(&mut self.free, layer);
        self.covered.clear();
        self.covered.resize(self.free.len(), A::ZERO);
        self.step_row(algebra, strip, row, pacer)?;
        std::mem::swap(&mut self.free, layer);
        Ok(())
    }
}

/// The entries of profiles that agree but in column c, free and covered, with x free (a) and covered (b).
#[derive(Clone, Copy)]
pub(super) struct Quad<E> {
    pub(super) a0: E,
    pub(super) a1: E,
    pub(super) b0: E,
    pub(super) b1: E,
}

/// The kind of a step, from its [`Cell`]: known at compile time within the loops.
pub(super) struct Kind<const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>;

impl<const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool> Kind<RIGHT, CLOSED, OPTIONAL> {
    /// The new entries of four profiles. The others come from the profiles that differ from these in r or l being
    /// free: `right` has their a0 and b0 where r is covered here, `left` their a0 where l is.
    #[inline(always)]
    pub(super) fn combine<A: Algebra>(
        algebra: &A,
        Quad { a0, a1, b0, b1 }: Quad<A::Entry>,
        right: Option<(A::Entry, A::Entry)>,
        left: Option<A::Entry>,
    ) -> Quad<A::Entry> {
        let sum = |a, b: Option<A::Entry>| b.map_or(a, |b| algebra.sum(a, b));
        let right = if RIGHT { right } else { None };
        let a_right = right.map(|(a_right, _)| a_right);
        let plain0 = sum(a1, OPTIONAL.then_some(a0));
        let plain1 = sum(sum(sum(b1, OPTIONAL.then_some(b0)), a_right), left);
        if CLOSED {
            Quad { a0: A::ZERO, a1: A::ZERO, b0: plain0, b1: plain1 }
        } else if RIGHT {
            let diagonal1 = sum(a0, right.map(|(_, b_right)| b_right));
            Quad { a0: plain0, a1: plain1, b0: a_right.unwrap_or(A::ZERO), b1: diagonal1 }
        } else {
            Quad { a0: plain0, a1: plain1, b0: A::ZERO, b1: A::ZERO }
        }
    }
}

/// Calls a function with the constants of a cell's [`Kind`].
macro_rules! with_kind {
    ($cell:expr, $function:ident($($argument:expr),*)) => {{
        let cell: $crate::puzzles::tromino::profile::Cell = $cell;
        match (cell.right, cell.closed_below_right, cell.optional) {
            (true, false, false) => $function::<_, true, false, false>($($argument),*),
            (true, false, true) => $function::<_, true, false, true>($($argument),*),
            (true, true, false) => $function::<_, true, true, false>($($argument),*),
            (true, true, true) => $function::<_, true, true, true>($($argument),*),
            (false, _, false) => $function::<_, false, false, false>($($argument),*),
            (false, _, true) => $function::<_, false, false, true>($($argument),*),
        }
    }};
}
pub(super) use with_kind;

/// Takes a step at a cell whose column is the bit `position` of an entry's number, in place: `a` has the entries
/// with x free, `b` those with x covered.
pub(super) fn step<A: Algebra>(
    algebra: &A,
    a: &mut [A::Entry],
    b: &mut [A::Entry],
    position: u32,
    cell: Cell,
) {
    if position == 0 {
        with_kind!(cell, step_first(algebra, a, b));
    } else {
        with_kind!(cell, step_inner(algebra, a, b, position));
    }
}

/// [`step`] at the first column that tells entries apart: no other is to its left.
fn step_first<A: Algebra, const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>(
    algebra: &A,
    a: &mut [A::Entry],
    b: &mut [A::Entry],
) {
    let combine = |quad: Quad<A::Entry>, right| {
        Kind::<RIGHT, CLOSED, OPTIONAL>::combine(algebra, quad, right, algebra.cover_left(quad.a0))
    };
    if RIGHT {
        for (a, b) in a.as_chunks_mut::<4>().0.iter_mut().zip(b.as_chunks_mut::<4>().0) {
            let right = (a[0], b[0]);
            let free = combine(Quad { a0: a[0], a1: a[1], b0: b[0], b1: b[1] }, None);
            let covered = combine(Quad { a0: a[2], a1: a[3], b0: b[2], b1: b[3] }, Some(right));
            *a = [free.a0, free.a1, covered.a0, covered.a1];
            *b = [free.b0, free.b1, covered.b0, covered.b1];
        }
    } else {
        for (a, b) in a.as_chunks_mut::<2>().0.iter_mut().zip(b.as_chunks_mut::<2>().0) {
            let new = combine(Quad { a0: a[0], a1: a[1], b0: b[0], b1: b[1] }, None);
            (*a, *b) = ([new.a0, new.a1], [new.b0, new.b1]);
        }
    }
}

/// [`step`] at any other column.
fn step_inner<A: Algebra, const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>(
    algebra: &A,
    a: &mut [A::Entry],
    b: &mut [A::Entry],
    position: u32,
) {
    match (RIGHT, position) {
        // Where few entries lie side by side, the compiler has to know how many.
        (true, 1) => step_groups::<8, A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b),
        (true, 2) => step_groups::<16, A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b),
        (true, 3) => step_groups::<32, A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b),
        (false, 1) => step_groups::<4, A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b),
        (false, 2) => step_groups::<8, A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b),
        (false, 3) => step_groups::<16, A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b),
        _ => {
            let len = if RIGHT { 4 << position } else { 2 << position };
            for (a, b) in a.chunks_exact_mut(len).zip(b.chunks_exact_mut(len)) {
                step_group::<A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b);
            }
        }
    }
}

/// The step for a table of groups of the same length.
fn step_groups<const LEN: usize, A: Algebra, const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>(
    algebra: &A,
    a: &mut [A::Entry],
    b: &mut [A::Entry],
) {
    for (a, b) in a.as_chunks_mut::<LEN>().0.iter_mut().zip(b.as_chunks_mut::<LEN>().0) {
        step_group::<A, RIGHT, CLOSED, OPTIONAL>(algebra, a, b);
    }
}

/// The step for all profiles that agree in the columns after r: by r, c and l, eight parts of equal length, or
/// four when there is no column r.
#[inline(always)]
fn step_group<A: Algebra, const RIGHT: bool, const CLOSED: bool, const OPTIONAL: bool>(
    algebra: &A,
    a: &mut [A::Entry],
    b: &mut [A::Entry],
) {
    let combine = Kind::<RIGHT, CLOSED, OPTIONAL>::combine::<A>;
    let covered_at = if RIGHT { a.len() / 2 } else { a.len() };
    let (a, a_covered) = a.split_at_mut(covered_at);
    let (b, b_covered) = b.split_at_mut(covered_at);
    let run = covered_at / 4;
    let (mut a, mut b) = (Half::new(a, run), Half::new(b, run));
    if RIGHT {
        let (mut a_covered, mut b_covered) = (Half::new(a_covered, run), Half::new(b_covered, run));
        for at in 0..run {
            let [free, free_left] = quads(&a, &b, at);
            let [covered, covered_left] = quads(&a_covered, &b_covered, at);
            let new = [combine(algebra, free, None, None), combine(algebra, free_left, None, Some(free.a0))];
            put(&mut a, &mut b, at, new);
            let right = [Some((free.a0, free.b0)), Some((free_left.a0, free_left.b0))];
            let new = [
                combine(algebra, covered, right[0], None),
                combine(algebra, covered_left, right[1], Some(covered.a0)),
            ];
            put(&mut a_covered, &mut b_covered, at, new);
        }
    } else {
        for at in 0..run {
            let [free, covered] = quads(&a, &b, at);
            let new = [combine(algebra, free, None, None), combine(algebra, covered, None, Some(free.a0))];
            put(&mut a, &mut b, at, new);
        }
    }
}

/// The entries of a group with r free, or covered, by c and l: four slices of equal length.
struct Half<'a, E>([&'a mut [E]; 4]);

impl<'a, E> Half<'a, E> {
    #[inline(always)]
    fn new(entries: &'a mut [E], run: usize) -> Self {
        let (free, covered) = entries.split_at_mut(2 * run);
        let (free, free_left) = free.split_at_mut(run);
        let (covered, covered_left) = covered.split_at_mut(run);
        Self([&mut free[..run], &mut free_left[..run], &mut covered[..run], &mut covered_left[..run]])
    }
}

/// The entries at one place of the slices, with l free and covered.
#[inline(always)]
fn quads<E: Copy>(Half(a): &Half<'_, E>, Half(b): &Half<'_, E>, at: usize) -> [Quad<E>; 2] {
    [
        Quad { a0: a[0][at], a1: a[2][at], b0: b[0][at], b1: b[2][at] },
        Quad { a0: a[1][at], a1: a[3][at], b0: b[1][at], b1: b[3][at] },
    ]
}

/// Puts new entries where [`quads`] has taken the old ones.
#[inline(always)]
fn put<E: Copy>(Half(a): &mut Half<'_, E>, Half(b): &mut Half<'_, E>, at: usize, new: [Quad<E>; 2]) {
    for (left, quad) in new.into_iter().enumerate() {
        a[left][at] = quad.a0;
        a[left + 2][at] = quad.a1;
        b[left][at] = quad.b0;
        b[left + 2][at] = quad.b1;
    }
}
