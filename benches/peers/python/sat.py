"""CaDiCaL by PySAT: tiles and queens as exact covers, and tours as two moves at each square.

A SAT solver knows no circuits: a tour that falls apart into rings is asked for again with a way out of each.
"""

import collections

from pysat.card import CardEnc, EncType
from pysat.formula import IDPool
from pysat.solvers import Cadical195

import cover
import line

# Up to here every pair is written down, which needs no variables of its own, so that models can be counted.
PAIRWISE = 14


def cardinality(bound, literals, pool, lower=True):
    encoding = EncType.pairwise if bound == 1 and len(literals) <= PAIRWISE else EncType.seqcounter
    encode = CardEnc.equals if lower else CardEnc.atmost
    return encode(literals, bound=bound, vpool=pool, encoding=encoding).clauses


def exact_cover(options, required, optional):
    """The clauses; variable i + 1 says whether option i is chosen."""
    pool = IDPool(start_from=len(options) + 1)
    covering = collections.defaultdict(list)
    for number, option in enumerate(options, 1):
        for item in option:
            covering[item].append(number)
    clauses = []
    for item in required:
        clauses += cardinality(1, covering[item], pool) if covering[item] else [[]]
    for item in optional:
        if len(covering[item]) > 1:
            clauses += cardinality(1, covering[item], pool, lower=False)
    return clauses


def chosen(clauses, options, clock):
    clock.built()
    if [] in clauses:
        return None
    with Cadical195(bootstrap_with=clauses) as solver:
        if not solver.solve():
            return None
        return [number - 1 for number in solver.get_model() if 0 < number <= len(options)]


def count(clauses, clock):
    clock.built()
    if [] in clauses:
        return 0
    with Cadical195(bootstrap_with=clauses) as solver:
        return sum(1 for _ in solver.enum_models())


def queens_clauses(task):
    squares, options, required, optional = cover.queens(task)
    return squares, exact_cover(options, range(required), range(required, required + optional))


def queens(task, clock):
    squares, clauses = queens_clauses(task)
    places = chosen(clauses, squares, clock)
    return places and cover.columns(task["size"], [squares[place] for place in places])


def tiling_clauses(task):
    squares, tiles = cover.tiling(task)
    return tiles, exact_cover(tiles, squares, [])


def tiling(task, clock):
    tiles, clauses = tiling_clauses(task)
    places = chosen(clauses, tiles, clock)
    return places and [tiles[place] for place in places]


def tour(task, clock):
    rows, cols = task["rows"], task["cols"]
    pool = IDPool()
    edges = {pair: pool.id(pair) for pair in cover.knight_moves(rows, cols) if pair[0] < pair[1]}
    outside = rows * cols
    clauses = []
    begin = 0
    if not task["closed"]:
        # An open tour is a ring through a place outside, which is next to the start and to its other end.
        begin = outside
        edges |= {(square, outside): pool.id((square, outside)) for square in range(outside)}
        clauses.append([edges[task["start"][0] * cols + task["start"][1], outside]])
    around = collections.defaultdict(list)
    for pair, edge in edges.items():
        for square in pair:
            around[square].append(edge)
    for literals in around.values():
        clauses += cardinality(2, literals, pool)
    clock.built()

    with Cadical195(bootstrap_with=clauses) as solver:
        while solver.solve():
            model = solver.get_model()
            rings = list(walk([pair for pair, edge in edges.items() if model[edge - 1] > 0]))
            if len(rings) == 1:
                return in_order(rings[0], begin, task, cols)
            ring_of = {square: number for number, ring in enumerate(rings) for square in ring}
            leaving = collections.defaultdict(list)
            for (here, there), edge in edges.items():
                if ring_of[here] != ring_of[there]:
                    leaving[ring_of[here]].append(edge)
                    leaving[ring_of[there]].append(edge)
            for ring in range(len(rings)):
                solver.add_clause(leaving[ring])
    return None


def walk(pairs):
    """The rings into which edges fall apart, two of which meet at each square."""
    neighbours = collections.defaultdict(list)
    for here, there in pairs:
        neighbours[here].append(there)
        neighbours[there].append(here)
    seen = set()
    for first in neighbours:
        if first in seen:
            continue
        ring, square = [], first
        while square is not None:
            seen.add(square)
            ring.append(square)
            square = next((other for other in neighbours[square] if other not in seen), None)
        yield ring


def in_order(ring, begin, task, cols):
    at = ring.index(begin)
    ring = ring[at:] + ring[:at]
    if not task["closed"]:
        ring = ring[1:]
        if ring[0] != task["start"][0] * cols + task["start"][1]:
            ring.reverse()
    return [divmod(square, cols) for square in ring]


line.serve({
    "tour": tour,
    "queens": queens,
    "completion": queens,
    "queens-count": lambda task, clock: count(queens_clauses(task)[1], clock),
    "tiling": tiling,
    "tiling-count": lambda task, clock: count(tiling_clauses(task)[1], clock),
})
