//! Answers as bytes: JSON, text for a terminal, pictures.

pub mod json;
pub mod svg;
pub mod text;

use crate::board::{Grid, Size, Square};

/// What is drawn of an answer, as text or as a picture.
#[derive(Clone, Debug)]
pub enum Drawing {
    /// A tiling.
    Tiling {
        /// The number of its tile on each square, from 1; 0 for a hole.
        board: Grid<u32>,
        /// The colour of each tile, from 1.
        colors: Vec<u8>,
    },
    /// A tour, or a part of one.
    Tour {
        /// The board.
        size: Size,
        /// The indices of the squares in order.
        path: Vec<u32>,
        /// Whether the last leads back to the first.
        closed: bool,
        /// Squares that aren't part of the board.
        blocked: Vec<Square>,
    },
    /// Queens on a board.
    Queens {
        /// The board.
        size: Size,
        /// The column of the queen in each row.
        columns: Vec<u32>,
        /// Squares where none may stand.
        blocked: Vec<Square>,
    },
    /// The board of a problem without an answer.
    Empty {
        /// The board.
        size: Size,
        /// Squares that aren't part of it.
        holes: Vec<Square>,
    },
}

/// How text is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Style {
    /// As a drawing, with the characters that a terminal has today.
    #[default]
    Drawing,
    /// As the numbers of the board.
    Numbers,
    /// As a drawing in ASCII.
    Ascii,
}

impl Drawing {
    /// The board as text, a line feed behind each line; nothing for a board without an answer.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        match self {
            Self::Tiling { board, .. } if style == Style::Numbers => text::numbers(board),
            Self::Tiling { board, .. } => text::outlines(board),
            Self::Tour { size, path, .. } => text::numbers(&tour_board(*size, path)),
            Self::Queens { columns, .. } if style == Style::Ascii => text::pieces(columns, 'Q', '.'),
            Self::Queens { columns, .. } => text::pieces(columns, '♛', '·'),
            Self::Empty { .. } => String::new(),
        }
    }

    /// The board as a picture in SVG.
    #[must_use]
    pub fn svg(&self, caption: &svg::Caption) -> String {
        match self {
            Self::Tiling { board, colors } => svg::tiling(board, colors, caption),
            Self::Tour { size, path, closed, blocked } => svg::tour(*size, path, *closed, blocked, caption),
            Self::Queens { size, columns, blocked } => svg::queens(*size, columns, blocked, caption),
            Self::Empty { size, holes } => svg::empty(*size, holes, caption),
        }
    }
}

/// A tour as the number of each square in its order, from 1, and 0 where it doesn't come.
#[must_use]
pub fn tour_board(size: Size, path: &[u32]) -> Grid<u32> {
    let mut board = Grid::filled(size, 0);
    for (number, &index) in (1..).zip(path) {
        board.cells_mut()[index as usize] = number;
    }
    board
}
