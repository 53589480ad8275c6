//! One step of the dynamic program on a table with one entry for each profile.
//!
//! The table of a step in the [module above](super) is linear: it adds entries, and what adding means depends on
//! what is kept. A step reads and writes groups of entries whose profiles differ in the columns l, c and r only,
//! in place.

use super::Cell;

/// What entries are, and how they add up.
pub(super) trait Algebra {
    /// What is kept for a profile, or for several with neighbouring numbers.
    type Entry: Copy;
    /// Nothing: adding it changes nothing.
    const ZERO: Self::Entry;

    fn sum(&self, a: Self::Entry, b: Self::Entry) -> Self::Entry;

    /// Where an entry is for several profiles that differ in the column left of the first one beyond: its free
    /// ones with that column covered. [`Algebra::ZERO`] where an entry is for a single profile.
    fn cover_left(&self, _entry: Self::Entry) -> Self::Entry {
        Self::ZERO
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
    /// The new entries of four profiles. `a_right`, `b_right` and `a_left` come from the profiles that differ
    /// from these in r or l being free: their a0 and b0, or zero where r or l is free here.
    #[inline(always)]
    pub(super) fn combine<A: Algebra>(
        algebra: &A,
        Quad { a0, a1, b0, b1 }: Quad<A::Entry>,
        a_right: A::Entry,
        b_right: A::Entry,
        a_left: A::Entry,
    ) -> Quad<A::Entry> {
        let sum = |a, b| algebra.sum(a, b);
        let plain0 = if OPTIONAL { sum(a1, a0) } else { a1 };
        let mut plain1 = sum(if OPTIONAL { sum(b1, b0) } else { b1 }, a_left);
        if RIGHT {
            plain1 = sum(plain1, a_right);
        }
        if CLOSED {
            Quad { a0: A::ZERO, a1: A::ZERO, b0: plain0, b1: plain1 }
        } else if RIGHT {
            Quad { a0: plain0, a1: plain1, b0: a_right, b1: sum(b_right, a0) }
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
    let combine = |quad: Quad<A::Entry>, a_right, b_right| {
        let a_left = algebra.cover_left(quad.a0);
        Kind::<RIGHT, CLOSED, OPTIONAL>::combine(algebra, quad, a_right, b_right, a_left)
    };
    if RIGHT {
        for (a, b) in a.as_chunks_mut::<4>().0.iter_mut().zip(b.as_chunks_mut::<4>().0) {
            let (a_right, b_right) = (a[0], b[0]);
            let free = combine(Quad { a0: a[0], a1: a[1], b0: b[0], b1: b[1] }, A::ZERO, A::ZERO);
            let covered = combine(Quad { a0: a[2], a1: a[3], b0: b[2], b1: b[3] }, a_right, b_right);
            *a = [free.a0, free.a1, covered.a0, covered.a1];
            *b = [free.b0, free.b1, covered.b0, covered.b1];
        }
    } else {
        for (a, b) in a.as_chunks_mut::<2>().0.iter_mut().zip(b.as_chunks_mut::<2>().0) {
            let new = combine(Quad { a0: a[0], a1: a[1], b0: b[0], b1: b[1] }, A::ZERO, A::ZERO);
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
    // How far apart entries are that differ in the column to the left.
    let run = 1 << (position - 1);
    if RIGHT {
        for (a, b) in a.chunks_exact_mut(8 * run).zip(b.chunks_exact_mut(8 * run)) {
            let (a_free, a_covered) = a.split_at_mut(4 * run);
            let (b_free, b_covered) = b.split_at_mut(4 * run);
            let (a_free, a_covered) = (quarters(a_free), quarters(a_covered));
            let (b_free, b_covered) = (quarters(b_free), quarters(b_covered));
            for at in 0..run {
                let pairs = [0, 1].map(|left| {
                    let a_right = a_free[left][at];
                    let b_right = b_free[left][at];
                    let a_left = |a: &[&mut [A::Entry]; 4]| if left == 1 { a[0][at] } else { A::ZERO };
                    let quad = |a: &[&mut [A::Entry]; 4], b: &[&mut [A::Entry]; 4]| Quad {
                        a0: a[left][at],
                        a1: a[left + 2][at],
                        b0: b[left][at],
                        b1: b[left + 2][at],
                    };
                    let combine = Kind::<RIGHT, CLOSED, OPTIONAL>::combine::<A>;
                    [
                        combine(algebra, quad(&a_free, &b_free), A::ZERO, A::ZERO, a_left(&a_free)),
                        combine(algebra, quad(&a_covered, &b_covered), a_right, b_right, a_left(&a_covered)),
                    ]
                });
                for (left, [free, covered]) in pairs.into_iter().enumerate() {
                    a_free[left][at] = free.a0;
                    a_free[left + 2][at] = free.a1;
                    b_free[left][at] = free.b0;
                    b_free[left + 2][at] = free.b1;
                    a_covered[left][at] = covered.a0;
                    a_covered[left + 2][at] = covered.a1;
                    b_covered[left][at] = covered.b0;
                    b_covered[left + 2][at] = covered.b1;
                }
            }
        }
    } else {
        for (a, b) in a.chunks_exact_mut(4 * run).zip(b.chunks_exact_mut(4 * run)) {
            let (a, b) = (quarters(a), quarters(b));
            for at in 0..run {
                let new = [0, 1].map(|left| {
                    let a_left = if left == 1 { a[0][at] } else { A::ZERO };
                    let quad =
                        Quad { a0: a[left][at], a1: a[left + 2][at], b0: b[left][at], b1: b[left + 2][at] };
                    Kind::<RIGHT, CLOSED, OPTIONAL>::combine(algebra, quad, A::ZERO, A::ZERO, a_left)
                });
                for (left, quad) in new.into_iter().enumerate() {
                    a[left][at] = quad.a0;
                    a[left + 2][at] = quad.a1;
                    b[left][at] = quad.b0;
                    b[left + 2][at] = quad.b1;
                }
            }
        }
    }
}

/// Four equal parts of a slice.
fn quarters<T>(slice: &mut [T]) -> [&mut [T]; 4] {
    let quarter = slice.len() / 4;
    let (lower, upper) = slice.split_at_mut(2 * quarter);
    let (first, second) = lower.split_at_mut(quarter);
    let (third, fourth) = upper.split_at_mut(quarter);
    [first, &mut second[..quarter], &mut third[..quarter], &mut fourth[..quarter]]
}
