"""Makes most of the requests that schemathesis takes for valid really ask for something.

A schema can't say that a square must lie on the board, that a query has either `size` or `rows` and `cols`, or how many
squares this server takes. Left alone, nineteen in twenty of the requests that fit it are refused, and hardly an answer
is looked at. So boards are brought down to sides that a solver is quick with, and squares onto them. Requests that are
meant to be wrong stay as they are, and so does one valid request in four, with all its huge numbers. And one in three
prefers a job, so that there are jobs to ask for, to follow and to cancel.
"""

import zlib

import schemathesis

PUZZLES = ("/tromino", "/knight-tour", "/queens")
MAX_SIDE = 9


def fold(value, most):
    """An integer from 1 to `most`; anything else as it is."""
    is_whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    return (int(value) - 1) % most + 1 if is_whole else value


def fold_square(square, rows, cols):
    """A square, `row,col` or `[row, col]`, that lies on the board."""
    sides = (rows, cols)
    if isinstance(square, str):
        parts = square.split(",")
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):
            return square
        return ",".join(str(int(part) % side) for part, side in zip(parts, sides))
    if not isinstance(square, list) or len(square) < 2:
        return square
    # What follows the two is a clue's number.
    rest = [fold(number, rows * cols) for number in square[2:]]
    return [fold(part, side) - 1 for part, side in zip(square, sides)] + rest


def fold_fields(fields):
    """Brings the board down, and all that should lie on it onto it."""
    if "grid" in fields:
        return
    if "size" in fields:
        # In a query all of them may come, as no schema tells one parameter of another.
        fields.pop("rows", None)
        fields.pop("cols", None)
    elif "rows" not in fields or "cols" not in fields:
        fields.pop("rows", None)
        fields.pop("cols", None)
        fields["size"] = 6
    for name in ("size", "rows", "cols"):
        if name in fields:
            fields[name] = fold(fields[name], MAX_SIDE)
    rows, cols = fields.get("rows", fields.get("size")), fields.get("cols", fields.get("size"))
    if not isinstance(rows, int) or not isinstance(cols, int):
        return
    for name in ("start", "end"):
        if name in fields:
            fields[name] = fold_square(fields[name], rows, cols)
    for name in ("holes", "blocked", "queens", "clues"):
        if isinstance(fields.get(name), list):
            fields[name] = [fold_square(square, rows, cols) for square in fields[name]]
    if "regions" in fields:
        fields["regions"] = [[(row + col) % rows for col in range(cols)] for row in range(rows)]
    if fields.get("format") != "text":
        fields.pop("style", None)


@schemathesis.hook
def map_case(context, case):
    fields = case.body if case.method.upper() == "POST" else case.query
    is_wrong = case.meta is not None and case.meta.generation.mode.is_negative
    if is_wrong or case.path not in PUZZLES or not isinstance(fields, dict):
        return case
    # By what came, so that equal runs stay equal.
    number = zlib.crc32(repr(sorted(fields.items())).encode())
    if number % 4:
        fold_fields(fields)
    if number % 3 == 0:
        # Else there would hardly be a job.
        case.headers["prefer"] = "respond-async"
    return case
