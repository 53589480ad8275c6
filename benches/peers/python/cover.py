"""The puzzles as exact covers, in the terms that solvers share: places, and what each of them takes up."""

import itertools

LS = [[square for square in itertools.product((0, 1), (0, 1)) if square != gone]
      for gone in itertools.product((0, 1), (0, 1))]
KNIGHT_MOVES = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def tiling(task):
    """The squares to cover, and the tiles that fit: lists of three squares."""
    holes = {tuple(hole) for hole in task["holes"]}
    squares = [square for square in itertools.product(range(task["rows"]), range(task["cols"])) if square not in holes]
    free = set(squares)
    tiles = [tile
             for row, col in itertools.product(range(task["rows"] - 1), range(task["cols"] - 1))
             for shape in LS
             if free.issuperset(tile := [(row + r, col + c) for r, c in shape])]
    return squares, tiles


def queens(task):
    """The squares where a queen may stand beside those that do, the row, column, sum and difference of each as numbers,
    and how many lines there are of which each needs a queen, and of which none needs one."""
    size = task["size"]
    placed = task.get("queens", [])
    taken = {line for row, col in placed for line in lines(size, row, col)}
    squares, options = [[row, col] for row, col in placed], [list(lines(size, row, col)) for row, col in placed]
    for row, col in itertools.product(range(size), range(size)):
        if taken.isdisjoint(line := lines(size, row, col)):
            squares.append([row, col])
            options.append(list(line))
    return squares, options, 2 * size, 4 * size - 2


def lines(size, row, col):
    return row, size + col, 2 * size + row + col, 5 * size - 2 + row - col


def columns(size, squares):
    """The column of the queen in each row."""
    answer = [None] * size
    for row, col in squares:
        answer[row] = col
    return answer


def knight_moves(rows, cols):
    """The pairs of squares, numbered row by row, with a move from one to the other."""
    for row, col in itertools.product(range(rows), range(cols)):
        for r, c in KNIGHT_MOVES:
            if 0 <= row + r < rows and 0 <= col + c < cols:
                yield row * cols + col, (row + r) * cols + col + c
