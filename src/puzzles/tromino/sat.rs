//! The last resort: a tiling as a question of propositional logic, for a solver that learns from conflicts.
//!
//! One variable for each tile that fits; every square has at least one of the tiles that cover it, and of any
//! two of them at most one.

use std::cell::Cell;

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

use super::region::Region;
use super::tiles::{Corner, Tile};
use crate::puzzles::{Budget, Interrupted};

/// The largest number of squares: beyond, the clauses of a board would take more than some 300 MB.
pub(super) const MAX_AREA: usize = 50_000;

/// How many learnt clauses the solver keeps: enough to be quick, and some 100 MB at most however long it takes.
const MAX_LEARNT: i32 = 30_000;

/// Stops the search when the budget is used up.
struct Watch<'a> {
    budget: &'a Budget,
    calls: Cell<u32>,
    stopped: Cell<Option<Interrupted>>,
}

impl Callbacks for Watch<'_> {
    fn stop(&self) -> bool {
        // Called once for each decision, which takes about a microsecond.
        self.calls.set(self.calls.get().wrapping_add(1));
        if self.stopped.get().is_none() && self.calls.get().is_multiple_of(64) {
            self.stopped.set(self.budget.check().err());
        }
        self.stopped.get().is_some()
    }
}

/// A tiling of the region, or `None` if it has none. Takes time that can grow exponentially with the area.
pub(super) fn tile(region: &Region, budget: &Budget) -> Result<Option<Vec<Tile>>, Interrupted> {
    let watch = Watch { budget, calls: Cell::new(0), stopped: Cell::new(None) };
    let options = SolverOpts {
        min_learnts_lim: MAX_LEARNT,
        learntsize_factor: 0.0,
        learntsize_inc: 1.0,
        ..SolverOpts::default()
    };
    let mut solver = Solver::new(options, watch);
    let mut tiles: Vec<(Tile, Lit)> = Vec::new();
    let mut covering: Vec<Vec<Lit>> = vec![Vec::new(); region.bordered().len()];
    for tile in tiles_that_fit(region) {
        let fits = Lit::new(solver.new_var_default(), true);
        for square in tile.squares() {
            covering[region.index(square)].push(fits);
        }
        tiles.push((tile, fits));
    }
    let mut pacer = budget.pacer(1 << 8);
    for (at, mut tiles) in covering.into_iter().enumerate() {
        pacer.tick()?;
        if region.bordered()[at] == 0 {
            continue;
        }
        for (number, &one) in tiles.iter().enumerate() {
            for &other in &tiles[..number] {
                solver.add_clause_reuse(&mut vec![!one, !other]);
            }
        }
        solver.add_clause_reuse(&mut tiles);
    }
    let answer = solver.solve_limited(&[]);
    if let Some(interrupted) = solver.cb().stopped.get() {
        return Err(interrupted);
    }
    if answer != lbool::TRUE {
        return Ok(None);
    }
    let laid = |&(_, fits): &(Tile, Lit)| solver.value_lit(fits) == lbool::TRUE;
    Ok(Some(tiles.iter().filter(|tile| laid(tile)).map(|&(tile, _)| tile).collect()))
}

fn tiles_that_fit(region: &Region) -> impl Iterator<Item = Tile> {
    let size = region.size();
    let blocks = (1..size.rows() as u32)
        .flat_map(move |row| (1..size.cols() as u32).map(move |col| (row - 1, col - 1)));
    let corners = [Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight];
    blocks
        .flat_map(move |(row, col)| corners.map(|missing| Tile::new(row, col, missing)))
        .filter(|tile| tile.squares().iter().all(|&square| region.bordered()[region.index(square)] == 1))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;
    use crate::board::{Size, Square};
    use crate::puzzles::CancelFlag;
    use crate::puzzles::tromino::profile::{Strip, is_tileable};

    proptest! {
        #[test]
        fn a_region_is_satisfiable_exactly_if_it_has_a_tiling(
            rows in 1..=9_u32,
            cols in 1..=9_u32,
            closed in prop::collection::vec(prop::bool::weighted(0.15), 81),
        ) {
            let size = Size::new(rows, cols).unwrap();
            let holes: Vec<_> = size.iter().zip(closed).filter(|at| at.1).map(|at| at.0).collect();
            let region = Region::new(size, &holes);
            let budget = Budget::unlimited();
            let tiles = tile(&region, &budget).unwrap();
            prop_assert_eq!(tiles.is_some(), is_tileable(&Strip::of_rows(&region), &budget).unwrap());
            if let Some(tiles) = tiles {
                region.assert_covered_by(tiles);
            }
        }
    }

    #[test]
    fn the_search_stops_when_the_budget_is_used_up() {
        // An area that is no multiple of 3 is something that this solver can't see.
        let region = Region::new(Size::new(40, 40).unwrap(), &[]);
        let budget = Budget::new(Instant::now() + std::time::Duration::from_millis(100), CancelFlag::new());
        assert_eq!(tile(&region, &budget).map(|tiles| tiles.is_some()), Err(Interrupted::Deadline));
    }

    #[test]
    fn a_board_is_tiled_with_its_hole_left_out() {
        let hole = Square::new(7, 3);
        let region = Region::new(Size::new(13, 10).unwrap(), &[hole]);
        let tiles = tile(&region, &Budget::unlimited()).unwrap().unwrap();
        region.assert_covered_by(tiles);
    }
}
