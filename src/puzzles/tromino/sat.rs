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
    let mut solver = Solver::new(SolverOpts::default(), watch);
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
