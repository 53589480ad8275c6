"""How an adapter talks with compare.py, in lines of JSON.

It first says which kinds of task it takes: `{"kinds": [...]}`. Each task is then answered with
`{"seconds": …, "building": …, "answer": …}` or `{"error": "…"}`. `building` is the part of the seconds in which the
problem was written down in the library's terms. An answer is a list of squares (a tour), of tiles (a tiling) or of
columns (queens), a number (a count), or null: there is no solution.
"""

import gc
import json
import os
import resource
import sys
import time

# A model of a large board may want more memory than the machine has.
MEMORY = 8 << 30


class Clock:
    """Measures a task: it begins when made."""

    def __init__(self):
        self.began = time.perf_counter()
        self.building = None

    def built(self):
        self.building = time.perf_counter() - self.began

    def stop(self):
        return {"seconds": time.perf_counter() - self.began, "building": self.building}


def serve(solvers):
    """Answers tasks until there are no more. A solver takes a task and the clock, on which it says `built`."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # Some libraries print what they find, which mustn't mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(what):
        print(json.dumps(what), file=answers, flush=True)

    # What imports have left behind is not to be collected during the first task.
    gc.collect()
    gc.freeze()
    say({"kinds": list(solvers)})
    for line in sys.stdin:
        task = json.loads(line)
        clock = Clock()
        try:
            answer = solvers[task["kind"]](task, clock)
            say(clock.stop() | {"answer": answer})
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})
