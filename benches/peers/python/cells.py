"""xcover: dancing cells, compiled by numba."""

from xcover import covers

import cover
import line


def queens_covers(task):
    squares, options, required, optional = cover.queens(task)
    return squares, covers(options, primary=range(required), secondary=range(required, required + optional))


def queens(task, clock):
    squares, solutions = queens_covers(task)
    clock.built()
    places = next(solutions, None)
    return places and cover.columns(task["size"], [squares[place] for place in places])


def tiling_covers(task):
    squares, tiles = cover.tiling(task)
    return tiles, covers(tiles, primary=squares)


def tiling(task, clock):
    tiles, solutions = tiling_covers(task)
    clock.built()
    places = next(solutions, None)
    return places and [tiles[place] for place in places]


def count(solutions, clock):
    clock.built()
    return sum(1 for _ in solutions)


# It is compiled when first called, or loaded from where numba keeps what it has compiled.
assert list(covers([[1], [2]])) == [[0, 1]]

line.serve({
    "queens": queens,
    "completion": queens,
    "queens-count": lambda task, clock: count(queens_covers(task)[1], clock),
    "tiling": tiling,
    "tiling-count": lambda task, clock: count(tiling_covers(task)[1], clock),
})
