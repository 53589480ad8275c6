#!/usr/bin/env python3
"""Measures the service against what people would use instead, on equal tasks in one session.

    benches/peers/compare.py [--program target/release/chessboard-solver] [--json FILE] [--rounds 5] [--limit 10]
                             [--task TEXT] [--peer TEXT]

The peers are installed below target/peers, at pinned versions: from PyPI, npm (needs Node.js) and with Cargo (needs
Rust). They do their work in a process that is already running, and only the work is timed: the problem as a task is
written down for the library, solved, and read back; not the start of the process, imports or compilation. Ours is
timed as its clients see it: from before the request is written, over a connection that is open, until the answer is
parsed and read in the same way, with the cache off.

In each round every program runs once, in an order that moves on from round to round; the median counts. Each answer,
ours too, is checked here by the rules of the puzzle, and each count against published ones. What fails, is wrong or
takes longer than the limit is a row as well; a program over the limit isn't asked for the larger boards of the series.

It ends with 1 when an answer of ours was wrong or missing. Nothing beside Python is needed to run this script.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import platform
import re
import selectors
import statistics
import subprocess
import sys
import time
import urllib.parse

import check
import install
from tasks import TASKS

ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = "chessboard-solver"

# A program that has run for so long on a task has shown what it can do.
ENOUGH_SECONDS = 5
# Imports, and the first compilation by numba.
START_SECONDS = 120
# The server keeps to the limit itself, and has to say so.
PATIENCE = 5

# From the best to the worst: a row is as good as its worst run.
OK, OVER, FAILS, WRONG = OUTCOMES = "ok", "over the limit", "fails", "wrong"


class Failure(Exception):
    """A program that gave no answer."""


class Overtime(Exception):
    """A program that gave none in time."""


class Adapter:
    """A peer in its process, which is started again when it had to be ended."""

    def __init__(self, peer):
        self.peer = peer
        self.name, self.version, self.registry, self.about = peer.name, peer.version, peer.registry, peer.about
        self.process = None
        self.kinds = self.start()["kinds"]

    def start(self):
        log = open(install.FOLDER / f"{self.name}.{self.registry}.log", "w+b")
        self.process = subprocess.Popen(self.peer.command, env=self.peer.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=log, cwd=install.FOLDER)
        self.log = log
        self.unread = b""
        return self.line(START_SECONDS)

    def line(self, seconds):
        """The next line of the process, within some seconds. Without one, the process is no more."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.unread:
                if not selector.select(max(0, end - time.monotonic())):
                    self.stop()
                    raise Overtime
                piece = os.read(self.process.stdout.fileno(), 1 << 16)
                if not piece:
                    code = self.stop()
                    self.log.seek(0)
                    said = self.log.read().decode(errors="replace").strip().splitlines()
                    raise Failure(said[-1] if said else f"ended with {code}")
                self.unread += piece
        line, _, self.unread = self.unread.partition(b"\n")
        return json.loads(line)

    def run(self, task, limit):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(json.dumps(task.input).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        said = self.line(limit)
        if "error" in said:
            raise Failure(said["error"])
        return said

    def stop(self):
        if self.process is None:
            return None
        self.process.kill()
        code = self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process = None
        return code


class Service:
    """Ours: the server, and a client on a connection that stays open."""

    name, registry, about = OURS, None, ""
    kinds = {task.input["kind"] for task in TASKS}

    def __init__(self, program):
        self.version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE,
                                      text=True).stdout.split()[-1]
        # The connection is idle while the others work.
        command = [program, "--port", "0", "--cache-bytes", "0", "--idle-timeout-ms", "3600000"]
        # The environment may hold settings of a server.
        self.process = subprocess.Popen(command, env={"NO_COLOR": "1"}, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        for line in self.process.stderr:
            if found := re.search(rb"listening on http://([0-9.]+):([0-9]+)", line):
                break
        else:
            raise SystemExit(f"{program} didn't start")
        # A log that nobody reads would stop it in the end.
        self.drain = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        self.connection = http.client.HTTPConnection(found[1].decode(), int(found[2]))
        self.connection.connect()

    def measure_round_trip(self):
        times = []
        for _ in range(100):
            began = time.perf_counter()
            self.ask("/queens", {"size": 1})
            times.append(time.perf_counter() - began)
        self.round_trip = statistics.median(times)
        self.about = f"over HTTP, whose smallest request takes {duration(self.round_trip)}"

    def ask(self, path, fields):
        """The status of the answer, what it says, and the seconds that it took on the solver's thread."""
        try:
            self.connection.request("GET", f"{path}?{urllib.parse.urlencode(fields, doseq=True)}")
            with self.connection.getresponse() as response:
                solving = re.match(r"solve;dur=([0-9.]+)", response.headers.get("Server-Timing", ""))
                return response.status, json.loads(response.read()), float(solving[1]) / 1e3 if solving else None
        except (OSError, http.client.HTTPException) as error:
            # The next request opens another connection.
            self.connection.close()
            raise Failure(f"{type(error).__name__}: {error}") from error

    def run(self, task, limit):
        if self.connection.sock is None:
            self.connection.connect()
        self.connection.sock.settimeout(limit + PATIENCE)
        began = time.perf_counter()
        path, fields, read = request(task.input)
        status, said, solving = self.ask(path, fields | {"timeout_ms": round(limit * 1000)})
        if status == 504:
            raise Overtime
        if status != 200:
            raise Failure(said["detail"])
        answer = read(said)
        return {"seconds": time.perf_counter() - began, "solving": solving, "answer": answer}

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.drain.wait()


def request(board):
    """A task as our endpoint, the fields of its query and how to read the answer."""
    kind = board["kind"]
    fields = {name: query(value) for name, value in board.items() if name != "kind"}
    if kind == "tour":
        return "/knight-tour", fields, lambda said: said["board"] and numbered(said["board"])
    if kind == "tiling":
        return "/tromino", fields, lambda said: said["board"] and tiles(said["board"])
    if kind == "tiling-count":
        return "/tromino", fields | {"count": "true"}, lambda said: int(said["tiling_count"])
    if kind == "queens-count":
        return "/queens", fields | {"count": "true", "limit": 0, "board": "false"}, lambda said: said["solution_count"]
    return ("/queens", fields | {"count": "false", "board": "false"},
            lambda said: said["solutions"][0] if said["status"] == "solved" else None)


def query(value):
    """A value as queries have it: squares as row,col."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, list):
        return value
    if not value or isinstance(value[0], list):
        return [query(square) for square in value]
    return ",".join(map(str, value))


def numbered(board):
    squares = [(number, (row, col)) for row, line in enumerate(board) for col, number in enumerate(line)]
    return [square for _, square in sorted(squares)]


def tiles(board):
    squares = {}
    for row, line in enumerate(board):
        for col, tile in enumerate(line):
            squares.setdefault(tile, []).append((row, col))
    squares.pop(0, None)
    return list(squares.values())


class Row:
    """What a program has shown on a task."""

    def __init__(self, task, program):
        self.task, self.program = task, program
        self.outcomes, self.notes, self.seconds, self.building, self.solving = [], [], [], [], []
        self.spent = 0

    def run(self, limit):
        began = time.monotonic()
        try:
            said = self.program.run(self.task, limit)
        except Overtime:
            self.add(OVER)
        except Failure as failure:
            self.add(FAILS, str(failure))
        else:
            wrong = check.fault(self.task, said["answer"])
            if wrong:
                self.add(WRONG, wrong)
            else:
                self.add(OK)
                self.seconds.append(said["seconds"])
                self.building.append(said.get("building"))
                self.solving.append(said.get("solving"))
        self.spent += time.monotonic() - began

    def add(self, outcome, note=None):
        self.outcomes.append(outcome)
        if note and note not in self.notes:
            self.notes.append(note)

    @property
    def outcome(self):
        return max(self.outcomes, key=OUTCOMES.index)

    @property
    def done(self):
        return OVER in self.outcomes or self.spent > ENOUGH_SECONDS

    def median(self, values):
        return statistics.median(values) if values and None not in values else None

    def data(self, ours):
        seconds, building = self.median(self.seconds), self.median(self.building)
        worst = self.outcomes.count(self.outcome)
        notes = list(self.notes)
        if self.outcome != OK and len(self.outcomes) > 1:
            notes.append(f"in {worst} of {len(self.outcomes)} runs")
        return {
            "puzzle": self.task.puzzle, "task": self.task.title, "input": self.task.input,
            "program": self.program.name, "registry": self.program.registry, "version": self.program.version,
            "seconds": seconds, "building_seconds": building, "solving_seconds": self.median(self.solving),
            "runs": len(self.outcomes),
            "ratio": seconds / ours if seconds and ours else None,
            "outcome": self.outcome, "note": "; ".join(notes),
        }


def measure(task, programs, rounds, limit):
    """The rows of a task, with the programs in the order in which they are given."""
    rows = [Row(task, program) for program in programs]
    for round_number in range(rounds):
        shift = round_number % len(rows)
        for row in rows[shift:] + rows[:shift]:
            if not row.done:
                row.run(limit)
    ours = rows[0].median(rows[0].seconds) if rows[0].program.name == OURS else None
    return [row.data(ours) for row in rows]


def skipped(task, program, smaller):
    return {
        "puzzle": task.puzzle, "task": task.title, "input": task.input, "program": program.name,
        "registry": program.registry, "version": program.version, "seconds": None,
        "building_seconds": None, "solving_seconds": None, "runs": 0, "ratio": None, "outcome": OVER,
        "note": f"not run: over it already on: {smaller}",
    }


def duration(seconds):
    if seconds is None:
        return ""
    for unit, scale in (("s", 1), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"


def show(title, rows, limit):
    print(f"\n{title}")
    for row in rows:
        outcome = f"over {limit:g} s" if row["outcome"] == OVER else row["outcome"]
        ratio = "" if row["ratio"] is None or row["program"] == OURS else f"{row['ratio']:,.3g} ×"
        share = next((f"{row[part] / row['seconds']:.0%} {part.split('_')[0]}"
                      for part in ("building_seconds", "solving_seconds") if row[part]), "")
        name = f"{row['program']} ({row['registry']})" if row["registry"] else row["program"]
        line = f"  {name:28} {duration(row['seconds']):>9} {ratio:>11} {share:>13}  {row['runs']} runs  {outcome}"
        print(line.rstrip() + (f": {row['note']}" if row["note"] else ""))
        if row["outcome"] in (WRONG, FAILS):
            print(f"    {json.dumps(row['input'])}")
    sys.stdout.flush()


def ready(peers, wanted):
    """The peers that could be installed and started, and those that couldn't."""
    adapters, missing = [], []
    for peer in peers:
        if wanted not in f"{peer.name} ({peer.registry})":
            continue
        try:
            install.install(peer)
            adapters.append(Adapter(peer))
        except (RuntimeError, OSError, Failure, Overtime) as error:
            missing.append((peer, str(error) or type(error).__name__))
    return adapters, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "chessboard-solver"))
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the rows there as well")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=10, metavar="SECONDS", help="for each run")
    parser.add_argument("--task", default="", metavar="TEXT", help="only tasks whose title has this in it")
    parser.add_argument("--peer", default="", metavar="TEXT", help="only peers whose name has this in it")
    options = parser.parse_args()

    install.FOLDER.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        adapters, missing = ready(install.PEERS, options.peer)
        for adapter in adapters:
            stack.callback(adapter.stop)
        service = Service(options.program)
        stack.callback(service.stop)
        service.measure_round_trip()

        programs = [service, *adapters]
        for program in programs:
            about = f": {program.about}" if program.about else ""
            print(f"{program.name} {program.version}, {program.registry or 'ours'}{about}")
        for peer, reason in missing:
            print(f"{peer.name} {peer.version}, {peer.registry}, fails: {reason}")

        rows, too_much = [], {}
        for task in TASKS:
            if options.task not in task.title:
                continue
            able = [program for program in programs if task.input["kind"] in program.kinds]
            asked = [program for program in able if (program, task.series) not in too_much]
            measured = {(row["program"], row["registry"]): row
                        for row in measure(task, asked, options.rounds, options.limit)}
            of_task = []
            for program in able:
                row = measured.get((program.name, program.registry))
                if row is None:
                    row = skipped(task, program, too_much[program, task.series])
                elif row["outcome"] == OVER:
                    too_much[program, task.series] = task.title
                of_task.append(row)
            show(task.title, of_task, options.limit)
            rows += of_task

    if options.json:
        machine = {"cpus": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}
        options.json.write_text(json.dumps({
            "machine": machine, "rounds": options.rounds, "limit_seconds": options.limit,
            "round_trip_seconds": service.round_trip,
            "programs": [{"name": program.name, "version": program.version, "registry": program.registry,
                          "about": program.about} for program in programs],
            "missing": [{"name": peer.name, "version": peer.version, "registry": peer.registry, "note": reason}
                        for peer, reason in missing],
            "rows": rows,
        }, indent=1, ensure_ascii=False) + "\n")
    print(f"\n{time.monotonic() - began:.0f} seconds in all", file=sys.stderr)
    return any(row["program"] == OURS and row["outcome"] != OK for row in rows)


if __name__ == "__main__":
    sys.exit(main())
