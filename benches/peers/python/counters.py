"""Packages that list all solutions of n queens, each by a function of its own. Which one, the command line says."""

import sys
import types

import line


def nqueens():
    from nqueens import Queen

    return lambda size: Queen(size, "backtrack").count


def nqueens_solver():
    from nqueens_solver.solver import solve_n_queens

    # It also prints them all, to nowhere here.
    return lambda size: len(solve_n_queens(size))


def wolfsoftware_nqueens():
    from wolfsoftware.nqueens.nqueens import Board

    def count(size):
        board = Board(types.SimpleNamespace(board_size=size, verbose=False))
        board.solve()
        return board.solutions

    return count


counter = globals()[sys.argv[1].replace("-", "_")]()
line.serve({"queens-count": lambda task, _clock: counter(task["size"])})
