"""polyomino: tilings, one at a time. It builds its problem when asked to solve it, so building isn't told apart."""

from polyomino.board import Rectangle
from polyomino.constant import RIGHT_TROMINO
from polyomino.error import CantPlaceSinglePiece, CoverWithWrongModulus

import line


def tiling(task, _clock):
    board = Rectangle(task["rows"], task["cols"])
    if task["holes"]:
        board = board.remove_all([tuple(hole) for hole in task["holes"]])
    try:
        solution = board.tile_with_many(RIGHT_TROMINO).solve()
    except (CantPlaceSinglePiece, CoverWithWrongModulus):
        return None
    return solution and solution.tiling


line.serve({"tiling": tiling})
