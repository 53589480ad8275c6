"""OR-Tools CP-SAT: circuits, all-different for queens as its own guide has it, and exactly-one for tiles."""

import collections

from ortools.sat.python import cp_model

import cover
import line

# What the machine has that the comparison is made for; more would compete with each other.
WORKERS = 2


def solve(model, clock, read):
    clock.built()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = WORKERS
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise RuntimeError(solver.status_name(status))
    return read(solver)


class Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self):
        super().__init__()
        self.count = 0

    def on_solution_callback(self):
        self.count += 1


def count(model, clock):
    clock.built()
    solver = cp_model.CpSolver()
    # It goes through all solutions with one worker only.
    solver.parameters.enumerate_all_solutions = True
    counter = Counter()
    status = solver.solve(model, counter)
    if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise RuntimeError(solver.status_name(status))
    return counter.count


def tour(task, clock):
    rows, cols = task["rows"], task["cols"]
    model = cp_model.CpModel()
    arcs = [(here, there, model.new_bool_var("")) for here, there in cover.knight_moves(rows, cols)]
    begin = 0
    if not task["closed"]:
        # An open tour is a circuit through a place outside, which has a way to the start and from everywhere.
        begin = outside = rows * cols
        start = task["start"][0] * cols + task["start"][1]
        arcs.append((outside, start, model.new_constant(1)))
        arcs += [(square, outside, model.new_bool_var("")) for square in range(rows * cols)]
    model.add_circuit(arcs)

    def read(solver):
        following = {here: there for here, there, taken in arcs if solver.boolean_value(taken)}
        path = [begin]
        while (square := following[path[-1]]) != begin:
            path.append(square)
        return [divmod(square, cols) for square in path if square < rows * cols]

    return solve(model, clock, read)


def queens_model(task):
    size = task["size"]
    model = cp_model.CpModel()
    columns = [model.new_int_var(0, size - 1, "") for _ in range(size)]
    model.add_all_different(columns)
    model.add_all_different(column + row for row, column in enumerate(columns))
    model.add_all_different(column - row for row, column in enumerate(columns))
    for row, col in task.get("queens", []):
        model.add(columns[row] == col)
    return model, columns


def queens(task, clock):
    model, columns = queens_model(task)
    return solve(model, clock, lambda solver: [solver.value(column) for column in columns])


def tiling_model(task):
    squares, tiles = cover.tiling(task)
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in tiles]
    covering = collections.defaultdict(list)
    for tile, choice in zip(tiles, chosen):
        for square in tile:
            covering[square].append(choice)
    for square in squares:
        model.add_exactly_one(covering[square])
    return model, tiles, chosen


def tiling(task, clock):
    model, tiles, chosen = tiling_model(task)

    def read(solver):
        return [tile for tile, choice in zip(tiles, chosen) if solver.boolean_value(choice)]

    return solve(model, clock, read)


line.serve({
    "tour": tour,
    "queens": queens,
    "completion": queens,
    "queens-count": lambda task, clock: count(queens_model(task)[0], clock),
    "tiling": tiling,
    "tiling-count": lambda task, clock: count(tiling_model(task)[0], clock),
})
