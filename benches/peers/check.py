"""Says what is wrong with an answer, by the rules of the puzzles alone."""


def fault(task, answer):
    """What is wrong with the answer to a task, or None. An answer of None claims that there is no solution."""
    kind = task.input["kind"]
    if kind.endswith("-count"):
        return None if answer == task.known else f"counts {answer} instead of {task.known}"
    if answer is None:
        return "says that there is no solution" if task.known else None
    rules = {"tour": tour, "tiling": tiling, "queens": queens, "completion": queens}
    return rules[kind](task.input, answer) or (None if task.known else "solves what has no solution")


def tour(board, path):
    squares = [tuple(square) for square in path]
    if sorted(squares) != [(row, col) for row in range(board["rows"]) for col in range(board["cols"])]:
        return "doesn't visit every square once"
    if "start" in board and squares[0] != tuple(board["start"]):
        return f"begins at {squares[0]}"
    for here, there in zip(squares, squares[1:] + squares[:1] if board["closed"] else squares[1:]):
        if sorted(abs(a - b) for a, b in zip(here, there)) != [1, 2]:
            return f"goes from {here} to {there}"
    return None


def tiling(board, tiles):
    holes = {tuple(hole) for hole in board["holes"]}
    squares = [(row, col) for row in range(board["rows"]) for col in range(board["cols"])]
    if sorted(tuple(square) for tile in tiles for square in tile) != [at for at in squares if at not in holes]:
        return "doesn't cover every square once"
    for tile in tiles:
        rows, cols = {row for row, _ in tile}, {col for _, col in tile}
        if len(tile) != 3 or max(rows) - min(rows) != 1 or max(cols) - min(cols) != 1:
            return f"has the tile {tile}"
    return None


def queens(board, columns):
    size = board["size"]
    if sorted(columns) != list(range(size)):
        return "doesn't have a queen in each row and column"
    for way in (1, -1):
        if len({row + way * col for row, col in enumerate(columns)}) != size:
            return "has two queens on a diagonal"
    for row, col in board.get("queens", []):
        if columns[row] != col:
            return f"has moved the queen of row {row}"
    return None


def completable(size, placed):
    """Whether queens can be added to those that stand, by a search through all ways."""
    rows = sorted(set(range(size)) - {row for row, _ in placed})
    free = [[col for col in range(size) if all(col != c and abs(row - r) != abs(col - c) for r, c in placed)]
            for row in rows]

    def search(depth, columns, sums, differences):
        if depth == len(rows):
            return True
        row = rows[depth]
        return any(search(depth + 1, columns | {col}, sums | {row + col}, differences | {row - col})
                   for col in free[depth]
                   if col not in columns and row + col not in sums and row - col not in differences)

    return search(0, frozenset(), frozenset(), frozenset())
