//! Small boards of all kinds against a brute force that knows nothing but the rules.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use chessboard_solver::board::{Size, Square};
use chessboard_solver::puzzles::knight_tour::{Clue, Leaper, Method, Options, Problem, Spec, solve, verify};
use chessboard_solver::puzzles::{Budget, CancelFlag, Outcome};
use num_bigint::BigUint;
use proptest::prelude::*;

/// All answers, as squares in order, found by trying every path.
fn all_tours(size: Size, spec: &Spec) -> Vec<Vec<Square>> {
    struct Search<'a> {
        spec: &'a Spec,
        open: Vec<Square>,
        path: Vec<Square>,
        found: Vec<Vec<Square>>,
    }

    impl Search<'_> {
        fn joins(&self, one: Square, other: Square) -> bool {
            let (a, b) = self.spec.leaper.distances();
            let apart = (one.row.abs_diff(other.row), one.col.abs_diff(other.col));
            apart == (a, b) || apart == (b, a)
        }

        fn fits(&self, square: Square) -> bool {
            let number = self.path.len() as u32 + 1;
            let last = self.open.len() as u32;
            self.spec.clues.iter().all(|clue| (clue.number == number) == (clue.square == square))
                && self.spec.start.is_none_or(|start| (number == 1) == (start == square))
                && self.spec.end.is_none_or(|end| (number == last) == (end == square))
                && self.path.last().is_none_or(|&previous| self.joins(previous, square))
        }

        fn go_on(&mut self) {
            if self.path.len() == self.open.len() {
                if !self.spec.closed || self.joins(self.path[0], self.path[self.path.len() - 1]) {
                    self.found.push(self.path.clone());
                }
                return;
            }
            for at in 0..self.open.len() {
                let square = self.open[at];
                if !self.path.contains(&square) && self.fits(square) {
                    self.path.push(square);
                    self.go_on();
                    self.path.pop();
                }
            }
        }
    }

    let open = size.iter().filter(|square| !spec.blocked.contains(square)).collect();
    let mut search = Search { spec, open, path: Vec::new(), found: Vec::new() };
    search.go_on();
    search.found
}

/// How many different tours these are: closed ones are the same whichever way round they are gone.
fn count(tours: &[Vec<Square>], closed: bool) -> usize {
    let moves = |tour: &Vec<Square>| {
        let mut moves: Vec<(Square, Square)> = tour
            .iter()
            .zip(tour.iter().cycle().skip(1))
            .map(|(&from, &to)| (from.min(to), from.max(to)))
            .collect();
        moves.sort_unstable();
        moves
    };
    if closed { tours.iter().map(moves).collect::<HashSet<_>>().len() } else { tours.len() }
}

fn check(size: Size, spec: &Spec) {
    let Ok(problem) = Problem::new(size, spec) else { return };
    let tours = all_tours(size, spec);
    let expected = count(&tours, spec.closed);
    let budget = Budget::new(Instant::now() + Duration::from_secs(30), CancelFlag::new());
    let plain = Options::default();
    for options in [
        plain.clone(),
        Options { unique: true, ..plain.clone() },
        Options { count: true, ..plain.clone() },
        Options { count: true, unique: true, memory: 1 << 10 },
    ] {
        match solve(&problem, &options, &budget).unwrap() {
            Outcome::Solved(tour) => {
                assert_eq!(verify(&problem, &tour), Ok(()), "{size} {spec:?}");
                assert!(tours.contains(&tour.squares().collect()), "{size} {spec:?}");
                assert_eq!(
                    tour.unique,
                    options.unique.then_some(expected == 1),
                    "{size} {spec:?}: {expected}"
                );
                assert_eq!(
                    tour.tour_count,
                    options.count.then(|| BigUint::from(expected)),
                    "{size} {spec:?}"
                );
            }
            Outcome::Impossible(impossible) => {
                assert_eq!(expected, 0, "{size} {spec:?}: {impossible:?}");
            }
            Outcome::Stuck(_) => panic!("auto is never stuck"),
        }
    }
    for method in [Method::Backtracking, Method::Warnsdorff] {
        let problem = Problem::new(size, &Spec { method, ..spec.clone() }).unwrap();
        match solve(&problem, &plain, &budget).unwrap() {
            Outcome::Solved(tour) => assert_eq!(verify(&problem, &tour), Ok(()), "{size} {spec:?}"),
            Outcome::Impossible(_) => assert_eq!(expected, 0, "{size} {spec:?}"),
            Outcome::Stuck(stuck) => {
                assert_eq!(method, Method::Warnsdorff);
                let squares: HashSet<u32> = stuck.path.iter().copied().collect();
                assert_eq!(squares.len(), stuck.path.len());
            }
        }
    }
}

/// A board whose squares are blocked but those that a leaper came by on a random walk, which is to say that it has a tour
/// more often than not, and a few more.
fn board() -> impl Strategy<Value = (Size, Vec<Square>, Leaper)> {
    let steps = proptest::collection::vec(any::<u8>(), 3..20);
    let more = proptest::collection::vec(any::<prop::sample::Index>(), 0..3);
    (2_u32..7, 3_u32..7, leaper(), any::<prop::sample::Index>(), steps, more).prop_map(
        |(rows, cols, leaper, first, steps, more)| {
            let size = Size::new(rows, cols).unwrap();
            let mut left: Vec<Square> = size.iter().collect();
            let mut at = left.swap_remove(first.index(left.len()));
            for step in steps {
                let onward: Vec<usize> =
                    (0..left.len()).filter(|&next| leaper.joins(at, left[next])).collect();
                if !onward.is_empty() {
                    at = left.swap_remove(onward[usize::from(step) % onward.len()]);
                }
            }
            for pick in more {
                if !left.is_empty() && size.squares() - left.len() < 15 {
                    left.swap_remove(pick.index(left.len()));
                }
            }
            while left.len() + 16 < size.squares() {
                left.push(size.iter().find(|square| !left.contains(square)).unwrap());
            }
            (size, left, leaper)
        },
    )
}

fn leaper() -> impl Strategy<Value = Leaper> {
    prop_oneof![
        6 => Just(Leaper::KNIGHT),
        2 => (0_u32..4, 0_u32..4).prop_map(|(a, b)| Leaper::new(a, b)),
        4 => Just(Leaper::new(0, 1)),
        1 => Just(Leaper::new(1, 1)),
    ]
}

/// A request, and which of its squares to name.
fn request() -> impl Strategy<Value = (Size, Spec)> {
    (board(), any::<bool>(), any::<[Option<prop::sample::Index>; 2]>(), clue_picks()).prop_map(
        |((size, blocked, leaper), closed, [start, end], picks)| {
            let open: Vec<Square> = size.iter().filter(|square| !blocked.contains(square)).collect();
            let pick = |index: prop::sample::Index| open[index.index(open.len())];
            let clues = picks
                .into_iter()
                .map(|(square, number)| Clue {
                    square: pick(square),
                    number: number.index(open.len()) as u32 + 1,
                })
                .collect();
            let spec = Spec {
                start: start.map(pick),
                end: end.map(pick),
                closed,
                blocked,
                leaper,
                clues,
                method: Method::Auto,
            };
            (size, spec)
        },
    )
}

fn clue_picks() -> impl Strategy<Value = Vec<(prop::sample::Index, prop::sample::Index)>> {
    prop_oneof![3 => Just(Vec::new()), 2 => proptest::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..4)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn any_request_on_a_small_board_gets_the_answer_of_the_brute_force((size, spec) in request()) {
        check(size, &spec);
    }

    #[test]
    fn clues_taken_from_a_tour_lead_back_to_a_tour(
        (size, blocked, leaper) in board(), closed: bool, which: prop::sample::Index,
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let spec = Spec { blocked, leaper, closed, ..Spec::default() };
        let tours = if Problem::new(size, &spec).is_ok() { all_tours(size, &spec) } else { Vec::new() };
        if !tours.is_empty() {
            let tour = &tours[which.index(tours.len())];
            let places: HashSet<usize> = picks.iter().map(|pick| pick.index(tour.len())).collect();
            let clues = places.iter().map(|&at| Clue { square: tour[at], number: at as u32 + 1 }).collect();
            check(size, &Spec { clues, ..spec });
        }
    }
}
