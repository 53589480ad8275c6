//! Boards as text for a terminal.
//!
//! Each function writes the rows of a board, top to bottom, with a line feed behind each. The cost is linear in the
//! number of squares.

use std::fmt::Write;

use crate::board::{Grid, Square};

/// The widest board that is drawn as text, in columns: what a wide terminal holds.
pub const MAX_COLS: usize = 128;

/// Draws the outlines of areas: of all squares that share a number and an edge. Squares with the number 0 are filled.
///
/// A square is three characters wide and one line high, with lines between, so that it looks like a square.
#[must_use]
pub fn outlines(board: &Grid<u32>) -> String {
    let size = board.size();
    let (rows, cols) = (size.rows() as u32, size.cols() as u32);
    // What is beside the board belongs to no area; 0 is a hole, and two holes side by side are one area.
    let at = |row: u32, col: u32| {
        let square = Square::new(row.checked_sub(1)?, col.checked_sub(1)?);
        size.contains(square).then(|| board[square])
    };
    let mut text = String::with_capacity((rows as usize * 2 + 1) * (cols as usize * 4 + 2) * 3);
    for row in 0..=rows {
        // The line of corners above the row; squares are counted from 1 here, so that 0 is beside the board.
        for col in 0..=cols {
            let (up_left, up_right) = (at(row, col), at(row, col + 1));
            let (left, right) = (at(row + 1, col), at(row + 1, col + 1));
            text.push(corner(up_left != up_right, left != right, up_left != left, up_right != right));
            if col < cols {
                text.push_str(if up_right == right {
                    if right == Some(0) { "███" } else { "   " }
                } else {
                    "───"
                });
            }
        }
        end_line(&mut text);
        if row < rows {
            for col in 0..=cols {
                let (left, right) = (at(row + 1, col), at(row + 1, col + 1));
                let wall = if left == right { if left == Some(0) { '█' } else { ' ' } } else { '│' };
                text.push(wall);
                if col < cols {
                    text.push_str(if right == Some(0) { "███" } else { "   " });
                }
            }
            end_line(&mut text);
        }
    }
    text
}

/// The character that joins lines which go up, down, left and right of it.
const fn corner(up: bool, down: bool, left: bool, right: bool) -> char {
    match (up, down, left, right) {
        (false, false, false, false) => ' ',
        (true, true, true, true) => '┼',
        (true, true, true, false) => '┤',
        (true, true, false, true) => '├',
        (true, false, true, true) => '┴',
        (false, true, true, true) => '┬',
        (false, true, false, true) => '┌',
        (false, true, true, false) => '┐',
        (true, false, false, true) => '└',
        (true, false, true, false) => '┘',
        (true, true, false, false) => '│',
        (false, false, true, true) => '─',
        // A line that ends in the open has no place in outlines of areas.
        (true, false, false, false) => '╵',
        (false, true, false, false) => '╷',
        (false, false, true, false) => '╴',
        (false, false, false, true) => '╶',
    }
}

/// Writes the numbers of a board in columns, aligned to the right, with a dot for 0.
#[must_use]
pub fn numbers(board: &Grid<u32>) -> String {
    let largest = board.cells().iter().copied().max().unwrap_or_default();
    let width = largest.checked_ilog10().unwrap_or_default() as usize + 1;
    let mut text = String::with_capacity(board.size().squares() * (width + 1));
    for row in board.rows() {
        for (col, &number) in row.iter().enumerate() {
            let gap = if col == 0 { "" } else { " " };
            let written = if number == 0 {
                write!(text, "{gap}{:>width$}", '·')
            } else {
                write!(text, "{gap}{number:>width$}")
            };
            written.expect("a string takes any text");
        }
        end_line(&mut text);
    }
    text
}

/// Draws a board of squares on which `pieces` stand, told as the column of the piece in each row.
#[must_use]
pub fn pieces(columns: &[u32], piece: char, empty: char) -> String {
    let side = columns.len();
    let mut text = String::with_capacity(side * side * 4);
    for &column in columns {
        for col in 0..side {
            if col > 0 {
                text.push(' ');
            }
            text.push(if col == column as usize { piece } else { empty });
        }
        end_line(&mut text);
    }
    text
}

/// Ends a line without white space at its end.
fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;

    fn grid<const R: usize, const C: usize>(rows: [[u32; C]; R]) -> Grid<u32> {
        Grid::from_cells(Size::new(R as u32, C as u32).unwrap(), rows.concat()).unwrap()
    }

    #[test]
    fn a_tiling_is_drawn_as_the_outlines_of_its_tiles() {
        let board = grid([[2, 2, 3, 3], [2, 1, 1, 3], [4, 1, 0, 5], [4, 4, 5, 5]]);
        let expected = "\
┌───────┬───────┐
│       │       │
│   ┌───┴───┐   │
│   │       │   │
├───┤   ┌───┼───┤
│   │   │███│   │
│   └───┼───┘   │
│       │       │
└───────┴───────┘
";
        assert_eq!(outlines(&board), expected);
    }

    #[test]
    fn holes_side_by_side_are_one_area() {
        let board = grid([[0, 0], [1, 1], [1, 0]]);
        let expected = "\
┌───────┐
│███████│
├───────┤
│       │
│   ┌───┤
│   │███│
└───┴───┘
";
        assert_eq!(outlines(&board), expected);
    }

    #[test]
    fn numbers_are_aligned_and_nothing_is_a_dot() {
        assert_eq!(numbers(&grid([[1, 0, 3], [12, 5, 100]])), "  1   ·   3\n 12   5 100\n");
        assert_eq!(numbers(&grid([[0]])), "·\n");
        assert_eq!(numbers(&grid([[10, 9]])), "10  9\n");
    }

    #[test]
    fn pieces_stand_in_their_columns() {
        assert_eq!(pieces(&[1, 3, 0, 2], '♛', '·'), "· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·\n");
        assert_eq!(pieces(&[0], 'Q', '.'), "Q\n");
    }
}
