"""What is asked, of every program the same, and what is known of the answer from elsewhere."""

import dataclasses
import json
import pathlib

import check

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"


@dataclasses.dataclass(frozen=True)
class Task:
    """`known` is the count, or whether there is a solution. Within a series boards grow, so that a program for which
    one was too much isn't asked for the next."""

    series: str
    title: str
    input: dict
    known: int | bool

    @property
    def puzzle(self):
        return {"tour": "knight-tour", "tiling": "tromino"}.get(self.input["kind"].split("-")[0], "queens")


def data(name):
    return json.loads((DATA / f"{name}.json").read_text())


def tours():
    # An open tour from a corner exists from 5 × 5 on (Cull and De Curtins 1978).
    for side in (8, 20, 50):
        yield Task("open tour", f"open tour from a corner, {side} × {side}",
                   {"kind": "tour", "rows": side, "cols": side, "closed": False, "start": [0, 0]}, True)
    # A closed one exists on these, and never with four rows (Schwenk 1991).
    for side in (8, 20):
        yield Task("closed tour", f"closed tour, {side} × {side}",
                   {"kind": "tour", "rows": side, "cols": side, "closed": True}, True)
    yield Task("no tour", "closed tour, 4 × 10, impossible",
               {"kind": "tour", "rows": 4, "cols": 10, "closed": True}, False)


def queens():
    for size in (8, 20, 100, 1000):
        yield Task("queens", f"a solution of n = {size}", {"kind": "queens", "size": size}, True)
    counts = data("queens")["total_solutions_A000170"]["values"]
    for size in (8, 10, 12, 14):
        yield Task("count of queens", f"all solutions of n = {size}, counted",
                   {"kind": "queens-count", "size": size}, counts[str(size)])


def completions():
    # Queens at column 2r mod n attack none other when n has no divisor in common with 6, so every third of them can
    # be completed.
    for size in (31, 101):
        placed = [[row, 2 * row % size] for row in range(0, size, 3)]
        yield Task("completion", f"n = {size} with {len(placed)} queens placed",
                   {"kind": "completion", "size": size, "queens": placed}, True)
    # Found among random boards, and gone through to the last square here.
    for size, placed in ((14, [[9, 2], [10, 7], [11, 11], [12, 1], [13, 3]]),
                         (22, [[0, 20], [1, 12], [3, 2], [5, 18], [12, 10], [13, 13], [14, 11], [16, 8]])):
        yield Task("no completion", f"n = {size} with {len(placed)} queens placed, impossible",
                   {"kind": "completion", "size": size, "queens": placed}, check.completable(size, placed))


def tilings():
    # Golomb 1954: a board of side 2^k that lacks a square, whichever it is, can be covered.
    for side in (8, 16, 32):
        yield Task("tiling", f"{side} × {side} without a square",
                   {"kind": "tiling", "rows": side, "cols": side, "holes": [[side // 4, side // 4 + 1]]}, True)
    # Cut into blocks of 2 × 3, each of them two tiles; where a tile is taken away, the other covers what is left.
    holes = [[2 * i + row, 3 * j + col]
             for i, j in ((0, 1), (1, 3), (2, 0), (4, 2), (5, 3))
             for row, col in ((0, 0), (0, 1), (1, 0))]
    yield Task("holes", f"12 × 12 without {len(holes)} squares",
               {"kind": "tiling", "rows": 12, "cols": 12, "holes": holes}, True)
    possible = {(board["rows"], board["cols"]): board
                for board in data("tromino_existence")["boards"] if board["holes"] == 1}
    for rows, cols, hole in ((5, 5, [0, 1]), (5, 11, [2, 1])):
        known = hole in possible[rows, cols]["tileable"]
        yield Task("no tiling", f"{rows} × {cols} without square {hole[0]},{hole[1]}, impossible",
                   {"kind": "tiling", "rows": rows, "cols": cols, "holes": [hole]}, known)
    counts = {(board["rows"], board["cols"]): int(board["count"]) for board in data("tromino_counts")["rectangles"]}
    for rows, cols in ((6, 6), (6, 9), (9, 9), (12, 12)):
        yield Task("count of tilings", f"all tilings of {rows} × {cols}, counted",
                   {"kind": "tiling-count", "rows": rows, "cols": cols, "holes": []}, counts[rows, cols])


TASKS = [*tours(), *queens(), *completions(), *tilings()]
