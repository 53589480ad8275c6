//! The three uses of the profiles, each against what is known and against the others.

use std::collections::HashMap;

use num_bigint::BigUint;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::board::{Size, Square};
use crate::puzzles::Budget;

fn whole(rows: u32, cols: u32) -> Region {
    Region::new(Size::new(rows, cols).unwrap(), &[])
}

fn count_of(region: &Region) -> BigUint {
    count::count(&Strip::of_rows(region), &Budget::unlimited()).unwrap()
}

fn draw(region: &Region, random: &mut ChaCha8Rng) -> Option<Vec<Tile>> {
    sample::tile(&Strip::of_rows(region), random, &Budget::unlimited()).unwrap()
}

/// Regions up to 8 wide and 12 long, with up to a quarter of the squares closed.
fn regions() -> impl Strategy<Value = Region> {
    (1..=12_u32, 1..=8_u32, 0..=25_u32).prop_flat_map(|(rows, cols, percent)| {
        let closed = prop::bool::weighted(f64::from(percent) / 100.0);
        prop::collection::vec(closed, (rows * cols) as usize).prop_map(move |closed| {
            let size = Size::new(rows, cols).unwrap();
            let holes: Vec<_> = size.iter().zip(closed).filter(|at| at.1).map(|at| at.0).collect();
            Region::new(size, &holes)
        })
    })
}

#[test]
fn rectangles_are_counted() {
    for ((rows, cols), tilings) in [
        ((2, 3), "2"),
        ((3, 2), "2"),
        ((3, 3), "0"),
        ((9, 4), "88"),
        ((12, 12), "2033502499954"),
        ((18, 18), "15105645789047859299613180380516"),
    ] {
        assert_eq!(count_of(&whole(rows, cols)).to_string(), tilings, "{rows} × {cols}");
    }
}

#[test]
fn counts_of_a_thousand_digits_are_exact() {
    // Every 2 × 3 block of a strip two wide has two tilings of its own.
    assert_eq!(count_of(&whole(3 * 4_000, 2)), BigUint::from(1_u8) << 4_000_u32);
}

proptest! {
    #[test]
    fn a_strip_is_tileable_exactly_if_it_has_tilings(region in regions(), seed: u64) {
        let strip = Strip::of_rows(&region);
        let budget = Budget::unlimited();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let tilings = count_of(&region);
        let some = tilings > BigUint::ZERO;
        prop_assert_eq!(is_tileable(&strip, &budget).unwrap(), some);
        prop_assert_eq!(count_of(&region.transposed()), tilings);
        for tiles in [
            tile(&strip, None, &budget).unwrap(),
            tile(&strip, Some(&mut random), &budget).unwrap(),
            draw(&region, &mut random),
        ] {
            prop_assert_eq!(tiles.is_some(), some);
            if let Some(tiles) = tiles {
                region.assert_covered_by(tiles.iter().copied());
            }
        }
    }

    #[test]
    fn an_optional_row_may_be_covered_in_any_way(region in regions()) {
        // The optional squares are those of the last row: try every set of them that stays uncovered.
        let size = region.size();
        prop_assume!(size.rows() >= 2);
        let last = size.rows() as u32 - 1;
        let optional = Strip::of_columns(&region, 0, size.rows(), 1 << last);
        let some = (0..1_u32 << size.cols()).any(|uncovered| {
            let mut region = region.clone();
            for col in (0..size.cols() as u32).filter(|col| uncovered >> col & 1 == 1) {
                region.close(Square::new(last, col));
            }
            is_tileable(&Strip::of_rows(&region), &Budget::unlimited()).unwrap()
        });
        prop_assert_eq!(is_tileable(&optional, &Budget::unlimited()).unwrap(), some);
    }
}

#[test]
fn a_tiling_does_not_depend_on_how_many_layers_are_kept() {
    let size = Size::new(150, 7).unwrap();
    let holes: Vec<_> = (0..30).map(|at| Square::new(at * 5, at * 3 % 7)).collect();
    let strip = Strip::of_rows(&Region::new(size, &holes));
    let budget = Budget::unlimited();
    let random = || ChaCha8Rng::seed_from_u64(3);
    let with_room_for = |layers: usize| {
        let plain = reach::tile_within(layers, &strip, None, &budget).unwrap().unwrap();
        let mixed = reach::tile_within(layers, &strip, Some(&mut random()), &budget).unwrap().unwrap();
        let drawn = sample::tile_within(layers, &strip, &mut random(), &budget).unwrap().unwrap();
        [plain, mixed, drawn]
    };
    for layers in [4, 13, 40] {
        assert_eq!(with_room_for(layers), with_room_for(150));
    }
}

#[test]
fn every_tiling_is_drawn_equally_often() {
    // Of a 4 × 9 board with 88 tilings: each of them a hundred times on average.
    let region = whole(9, 4);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut drawn: HashMap<Vec<Square>, i32> = HashMap::new();
    for _ in 0..8_800 {
        let mut tiles = draw(&region, &mut random).unwrap();
        tiles.sort_unstable_by_key(|tile| tile.block);
        let squares = tiles.iter().flat_map(|tile| tile.squares()).collect();
        *drawn.entry(squares).or_default() += 1;
    }
    assert_eq!(drawn.len(), 88);
    // Chi-square with 87 degrees of freedom: 138 is passed by one generator in 2,500, and this one is fixed.
    let chi_square: i32 = drawn.values().map(|times| (times - 100) * (times - 100)).sum::<i32>() / 100;
    assert!(chi_square < 138, "{chi_square}");
}

#[test]
fn weights_that_had_to_be_shortened_still_draw_fairly() {
    // 2^400 tilings: a fair coin for each 2 × 3 block.
    let region = whole(3 * 400, 2);
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut heads = 0;
    for _ in 0..20 {
        let tiles = draw(&region, &mut random).unwrap();
        region.assert_covered_by(tiles.iter().copied());
        heads += tiles.iter().filter(|tile| tile.missing == Corner::TopLeft).count();
    }
    // 8,000 coins: 4,000 heads with a deviation of 45.
    assert!((3_800..=4_200).contains(&heads), "{heads}");
}
