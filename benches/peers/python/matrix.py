"""exact-cover: a matrix with a row for each choice. It knows no lines that may stay empty, so a diagonal without a
queen gets a row of its own."""

import numpy
from exact_cover import get_exact_cover, get_solution_count
from exact_cover.error import NoSolution

import cover
import line


def matrix(options, width):
    rows = numpy.zeros((len(options), width), dtype=bool)
    for row, option in zip(rows, options):
        row[option] = True
    return rows


def chosen(rows, clock):
    clock.built()
    try:
        return [int(row) for row in get_exact_cover(rows)]
    except NoSolution:
        return None


def count(rows, clock):
    clock.built()
    return int(get_solution_count(rows))


def queens_matrix(task):
    squares, options, required, optional = cover.queens(task)
    empty = [[required + diagonal] for diagonal in range(optional)]
    return squares, matrix(options + empty, required + optional)


def queens(task, clock):
    squares, rows = queens_matrix(task)
    places = chosen(rows, clock)
    return places and cover.columns(task["size"], [squares[place] for place in places if place < len(squares)])


def tiling_matrix(task):
    squares, tiles = cover.tiling(task)
    number = {square: at for at, square in enumerate(squares)}
    return tiles, matrix([[number[square] for square in tile] for tile in tiles], len(squares))


def tiling(task, clock):
    tiles, rows = tiling_matrix(task)
    places = chosen(rows, clock)
    return places and [tiles[place] for place in places]


line.serve({
    "queens": queens,
    "completion": queens,
    "queens-count": lambda task, clock: count(queens_matrix(task)[1], clock),
    "tiling": tiling,
    "tiling-count": lambda task, clock: count(tiling_matrix(task)[1], clock),
})
