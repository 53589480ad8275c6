//! The chessboard-solver program.
fn main() {}
