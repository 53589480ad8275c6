//! Boards as pictures.
//!
//! The three puzzles share one look: a board of unit squares with a thin margin, ink and paper that follow the reader's
//! light or dark setting, and colours that colour-blind people can tell apart (after Okabe and Ito 2008). Each picture
//! has a title and a description for screen readers. Coordinates are whole numbers of squares, which keeps the text
//! short: 20 to 30 bytes a tile, some 8 a square of a tour. The cost is linear in the number of squares.

use std::fmt::Write;

use crate::board::{Grid, Size, Square};

/// The largest board that is drawn, in squares: more than a screen has room for.
pub const MAX_SQUARES: usize = 262_144;

/// The largest side of a board whose tour carries its numbers.
const MAX_NUMBERED: usize = 32;

/// What a picture says of itself to those who don't see it. Both are plain text.
#[derive(Clone, Debug)]
pub struct Caption {
    /// What it is, in a few words.
    pub title: String,
    /// What it shows, in a sentence.
    pub description: String,
}

/// The outline of a queen on a unit square: a crown on a base.
const QUEEN: &str = "m.2.36.14.2.16-.32.16.32.14-.2-.08.42H.28zM.28.8h.44v.06H.28z";

/// Draws a tiling: the number of its tile on each square, 0 for a hole, and the colour of each tile, from 1.
///
/// One path for each colour, in which every tile is one outline.
#[must_use]
pub fn tiling(board: &Grid<u32>, colors: &[u8], caption: &Caption) -> String {
    let size = board.size();
    let mut svg = open(size, caption);
    let shades = usize::from(colors.iter().copied().max().unwrap_or_default());
    let mut paths = vec![String::new(); shades];
    let mut drawn = vec![false; colors.len()];
    for square in size.iter() {
        let Some(tile) = (board[square] as usize).checked_sub(1) else { continue };
        if !std::mem::replace(&mut drawn[tile], true) {
            outline(&mut paths[usize::from(colors[tile]) - 1], board, square);
        }
    }
    for (shade, path) in paths.iter().enumerate() {
        write(&mut svg, format_args!("<path class=\"tile c{}\" d=\"{path}\"/>\n", shade + 1));
    }
    close(svg, size)
}

/// Adds the outline of the L-tromino whose first square, row by row, is `first`.
fn outline(path: &mut String, board: &Grid<u32>, first: Square) {
    let Square { row, col } = first;
    let same = |rows, cols| {
        board.size().offset(first, rows, cols).is_some_and(|square| board[square] == board[first])
    };
    // Clockwise from the top left corner of the first square.
    let steps = match (same(0, 1), same(1, -1), same(1, 0)) {
        (true, _, true) => "h2v1h-1v1h-1z",
        (true, _, false) => "h2v2h-1v-1h-1z",
        (false, true, _) => "h1v2h-2v-1h1z",
        (false, false, _) => "h1v1h1v1h-2z",
    };
    write(path, format_args!("M{col} {row}{steps}"));
}

/// Draws a tour, or as far as it came, as a line through the squares `path` in order. On a board that is small enough
/// each square carries its number. A closed tour has the line back to its start.
#[must_use]
pub fn tour(size: Size, path: &[u32], closed: bool, blocked: &[Square], caption: &Caption) -> String {
    let mut svg = open(size, caption);
    chequer(&mut svg, size);
    areas(&mut svg, "hole", blocked);
    let at = |index: u32| size.square(index as usize);
    svg.push_str("<g transform=\"translate(.5 .5)\">\n<path class=\"way\" d=\"M");
    for (place, &index) in path.iter().enumerate() {
        let Square { row, col } = at(index);
        let gap = if place == 0 { "" } else { " " };
        write(&mut svg, format_args!("{gap}{col} {row}"));
    }
    svg.push_str(if closed { "z\"/>\n" } else { "\"/>\n" });
    if let [first, .., last] | [first @ last] = path {
        for (class, index) in [("start", *first), ("end", *last)] {
            let Square { row, col } = at(index);
            write(&mut svg, format_args!("<circle class=\"{class}\" cx=\"{col}\" cy=\"{row}\" r=\".3\"/>\n"));
        }
    }
    if size.long_side() <= MAX_NUMBERED {
        svg.push_str("<g class=\"number\">\n");
        for (number, &index) in (1..).zip(path) {
            let Square { row, col } = at(index);
            write(&mut svg, format_args!("<text x=\"{col}\" y=\"{row}\" dy=\".12\">{number}</text>\n"));
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</g>\n");
    close(svg, size)
}

/// Draws queens on a chequered board of `size`, told as the column of the queen in each row.
#[must_use]
pub fn queens(size: Size, columns: &[u32], blocked: &[Square], caption: &Caption) -> String {
    let mut svg = open(size, caption);
    chequer(&mut svg, size);
    areas(&mut svg, "hole", blocked);
    write(&mut svg, format_args!("<defs><path id=\"queen\" class=\"queen\" d=\"{QUEEN}\"/></defs>\n"));
    for (row, col) in columns.iter().enumerate() {
        write(&mut svg, format_args!("<use href=\"#queen\" x=\"{col}\" y=\"{row}\"/>\n"));
    }
    close(svg, size)
}

/// Draws the empty board of a problem without an answer, which the caption tells.
#[must_use]
pub fn empty(size: Size, holes: &[Square], caption: &Caption) -> String {
    let mut svg = open(size, caption);
    chequer(&mut svg, size);
    areas(&mut svg, "hole", holes);
    close(svg, size)
}

fn open(size: Size, caption: &Caption) -> String {
    let (rows, cols) = (size.rows(), size.cols());
    let mut svg = String::new();
    // A margin of an eighth of a square leaves room for the outline of the board.
    write(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-.125 -.125 {cols}.25 {rows}.25\" role=\"img\" \
             aria-labelledby=\"title description\">\n<title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n\
             <style>{STYLE}</style>\n<rect class=\"paper\" width=\"{cols}\" height=\"{rows}\"/>\n",
            escape(&caption.title),
            escape(&caption.description),
        ),
    );
    svg
}

/// No custom properties, which some renderers don't know: the dark theme overrides each colour.
const STYLE: &str = "\
.paper{fill:#fff}.frame{fill:none;stroke:#222;stroke-width:.08}.shade{fill:#d9dee4}.hole,.queen{fill:#222}\
.tile{stroke:#fff;stroke-width:.08;stroke-linejoin:round}\
.c1{fill:#0072b2}.c2{fill:#e69f00}.c3{fill:#009e73}.c4{fill:#cc79a7}.c5{fill:#56b4e9}\
.way{fill:none;stroke:#56b4e9;stroke-width:.09;stroke-linejoin:round;stroke-linecap:round}\
.start{fill:#009e73}.end{fill:#d55e00}\
.number{font:.34px sans-serif;fill:#222;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:.06}\
@media(prefers-color-scheme:dark){.paper{fill:#24282d}.frame{stroke:#eee}.shade{fill:#3b424a}.hole,.queen{fill:#eee}\
.tile{stroke:#24282d}.number{fill:#eee;stroke:#24282d}}";

fn chequer(svg: &mut String, size: Size) {
    // Two dark squares in each pattern of two by two; the pattern repeats over the board.
    write(
        svg,
        format_args!(
            "<defs><pattern id=\"chequer\" width=\"2\" height=\"2\" patternUnits=\"userSpaceOnUse\">\
             <path class=\"shade\" d=\"M1 0h1v1h-2v1h1z\"/></pattern></defs>\n\
             <rect fill=\"url(#chequer)\" width=\"{}\" height=\"{}\"/>\n",
            size.cols(),
            size.rows()
        ),
    );
}

fn areas(svg: &mut String, class: &str, squares: &[Square]) {
    if squares.is_empty() {
        return;
    }
    write(svg, format_args!("<path class=\"{class}\" d=\""));
    for Square { row, col } in squares {
        write(svg, format_args!("M{col} {row}h1v1h-1z"));
    }
    svg.push_str("\"/>\n");
}

/// The outline of the board, over all else, and the end.
fn close(mut svg: String, size: Size) -> String {
    let (rows, cols) = (size.rows(), size.cols());
    write(&mut svg, format_args!("<rect class=\"frame\" width=\"{cols}\" height=\"{rows}\"/>\n</svg>\n"));
    svg
}

fn write(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text).expect("a string takes any text");
}

/// The text with what XML would read as markup replaced.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caption() -> Caption {
        Caption { title: "A < B & C".to_owned(), description: "What is shown.".to_owned() }
    }

    fn size(rows: u32, cols: u32) -> Size {
        Size::new(rows, cols).unwrap()
    }

    #[test]
    fn every_turn_of_a_tile_has_its_outline() {
        for (cells, outline) in [
            ([1, 1, 1, 0], "M0 0h2v1h-1v1h-1z"),
            ([1, 1, 0, 1], "M0 0h2v2h-1v-1h-1z"),
            ([0, 1, 1, 1], "M1 0h1v2h-2v-1h1z"),
            ([1, 0, 1, 1], "M0 0h1v1h1v1h-2z"),
        ] {
            let board = Grid::from_cells(size(2, 2), cells.to_vec()).unwrap();
            let svg = tiling(&board, &[1], &caption());
            assert!(svg.contains(&format!("<path class=\"tile c1\" d=\"{outline}\"/>")), "{svg}");
        }
    }

    #[test]
    fn captions_are_escaped() {
        let svg = empty(size(2, 3), &[Square::new(1, 2)], &caption());
        assert!(svg.contains("<title id=\"title\">A &lt; B &amp; C</title>"), "{svg}");
        assert!(svg.contains("<path class=\"hole\" d=\"M2 1h1v1h-1z\"/>"), "{svg}");
    }

    #[test]
    fn a_closed_tour_has_the_way_back() {
        let path = [0, 1, 2, 3];
        assert!(tour(size(2, 2), &path, true, &[], &caption()).contains("d=\"M0 0 1 0 0 1 1 1z\""));
        assert!(tour(size(2, 2), &path, false, &[], &caption()).contains("d=\"M0 0 1 0 0 1 1 1\""));
    }

    #[test]
    fn numbers_are_left_out_where_nobody_could_read_them() {
        let path: Vec<u32> = (0..100).collect();
        assert!(tour(size(10, 10), &path, false, &[], &caption()).contains(">100</text>"));
        assert!(!tour(size(1, 100), &path, false, &[], &caption()).contains("<text"));
    }
}
