//! What is asked: a [`Spec`] as a client may state it, and the [`Problem`] that it becomes when nothing is
//! wrong with it.

use crate::puzzles::Fault;

/// What a client may ask for. Every field but the size has a default, and nothing here is checked yet:
/// [`Problem::new`] does that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// At most this many solutions in the answer; 1 unless told.
    pub limit: u64,
    /// Whether to count all solutions; unless told, on boards of at most [`Problem::COUNTED_SIZE`] columns.
    pub count: Option<bool>,
}

impl Default for Spec {
    /// One solution of the plain board.
    fn default() -> Self {
        Self { limit: 1, count: None }
    }
}

/// A placement of `n` queens to find, on an `n × n` board. It can only be built from valid parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    size: u32,
    limit: usize,
    count: bool,
}

impl Problem {
    /// The widest board there is: a million queens.
    pub const MAX_SIZE: u32 = 1_000_000;

    /// The most solutions that one answer lists.
    pub const MAX_LIMIT: u64 = 10_000;

    /// The most column numbers that one answer lists, all solutions together: 40 MB of them.
    pub const MAX_LISTED: u64 = 10_000_000;

    /// The widest board whose solutions are counted without being asked to.
    pub const COUNTED_SIZE: u32 = 14;

    /// The widest plain board with a number of solutions below 2^53. There are 2,207,893,435,808,352 of them
    /// on 25 columns, and 22,317,699,616,364,044 on 26 (OEIS A000170); with the width the number grows as
    /// (0.143 n)^n (Simkin 2021).
    pub const MAX_COUNTED_SIZE: u32 = 25;

    /// The widest board whose solutions are searched in order. The first in order is quick to find up to 29
    /// columns; far beyond that no search ends.
    pub const MAX_ORDERED_SIZE: u32 = 64;

    /// The problem of placing `size` queens as `spec` tells.
    ///
    /// # Errors
    /// All faults of the parts: a size of 0 or above [`Problem::MAX_SIZE`], more solutions than an answer can
    /// hold or than can be searched in order, a count beyond 2^53.
    pub fn new(size: u32, spec: &Spec) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        if size == 0 || size > Self::MAX_SIZE {
            faults.push(Fault::new("size", format!("must be from 1 to {}, got {size}", Self::MAX_SIZE)));
        } else {
            faults.extend(limit_fault(size, spec.limit));
            if spec.count == Some(true) && size > Self::MAX_COUNTED_SIZE {
                faults.push(Fault::new(
                    "count",
                    format!(
                        "must be false on a board of more than {} columns: it has more than 2^53 - 1 solutions, \
                         the largest number that an answer can state exactly; got true with size {size}",
                        Self::MAX_COUNTED_SIZE
                    ),
                ));
            }
        }
        match usize::try_from(spec.limit) {
            Ok(limit) if faults.is_empty() => {
                let count = spec.count.unwrap_or(size <= Self::COUNTED_SIZE);
                Ok(Self { size, limit, count })
            }
            _ => Err(faults),
        }
    }

    /// The number of queens, which is that of the rows and of the columns.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// How many solutions to list, at most.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Whether to count all solutions.
    #[must_use]
    pub const fn count(&self) -> bool {
        self.count
    }
}

/// What is wrong with this limit on a board of a valid size.
fn limit_fault(size: u32, limit: u64) -> Option<Fault> {
    let most = Problem::MAX_LIMIT.min(Problem::MAX_LISTED / u64::from(size));
    let detail = if limit > 1 && size > Problem::MAX_ORDERED_SIZE {
        format!(
            "must be 0 or 1 on a board of more than {} columns, whose solutions no search can list in order; \
             got {limit}",
            Problem::MAX_ORDERED_SIZE
        )
    } else if limit > most {
        format!("must be from 0 to {most} on {size} columns, got {limit}")
    } else {
        return None;
    };
    Some(Fault::new("limit", detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(size: u32, spec: &Spec) -> Vec<&'static str> {
        Problem::new(size, spec)
            .map_or_else(|faults| faults.iter().map(|fault| fault.field).collect(), |_| Vec::new())
    }

    #[test]
    fn a_size_has_bounds() {
        for (size, faults) in [(0, vec!["size"]), (1, vec![]), (1_000_000, vec![]), (1_000_001, vec!["size"])]
        {
            assert_eq!(fields(size, &Spec::default()), faults, "size {size}");
        }
    }

    #[test]
    fn all_faults_come_together() {
        assert_eq!(fields(26, &Spec { limit: 10_001, count: Some(true) }), ["limit", "count"]);
    }

    #[test]
    fn a_list_that_no_search_could_fill_in_order_is_refused() {
        assert!(fields(64, &Spec { limit: 10_000, count: None }).is_empty());
        assert_eq!(fields(65, &Spec { limit: 2, count: None }), ["limit"]);
        assert!(fields(65, &Spec { limit: 1, count: None }).is_empty());
    }

    #[test]
    fn small_boards_are_counted_unasked() {
        let counted = |size, count| Problem::new(size, &Spec { limit: 1, count }).unwrap().count();
        assert!(counted(14, None));
        assert!(!counted(15, None));
        assert!(counted(15, Some(true)));
        assert!(!counted(8, Some(false)));
    }
}
