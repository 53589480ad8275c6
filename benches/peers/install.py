"""The programs that are compared with ours, and how each is installed: below target/peers, in a folder of its own, so
that what one depends on can't hold back another."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "target" / "peers"
CRATES = HERE / "rust" / "Cargo.toml"


@dataclasses.dataclass(frozen=True)
class Peer:
    """`packages` are pinned; the first is the peer itself, others are what it needs without saying so."""

    registry: str
    packages: tuple[str, ...]
    adapter: str
    about: str = ""

    @property
    def name(self):
        return self.packages[0].replace("==", "@").split("@")[0]

    @property
    def version(self):
        if self.registry == "Cargo":
            return tomllib.loads(CRATES.read_text())["dependencies"][self.name].lstrip("=")
        return self.packages[0].replace("==", "@").split("@")[1]

    @property
    def folder(self):
        return FOLDER / ("rust" if self.registry == "Cargo" else self.name)

    @property
    def command(self):
        if self.registry == "Cargo":
            return [str(self.folder / "release" / "peers"), self.name]
        program = sys.executable if self.registry == "PyPI" else "node"
        return [program, str(HERE / self.adapter), self.name]

    @property
    def environment(self):
        return os.environ | {"PYTHONPATH": str(self.folder), "PEER": str(self.folder)}


PEERS = [
    Peer("PyPI", ("ortools==9.15.6755",), "python/cp_sat.py", "OR-Tools CP-SAT, two workers"),
    Peer("PyPI", ("python-sat==1.9.dev24",), "python/sat.py", "CaDiCaL 1.9.5; tours by asking again without the rings"),
    Peer("PyPI", ("exact-cover==1.5.0", "numpy==2.4.6"), "python/matrix.py"),
    Peer("PyPI", ("xcover==0.2.6", "numpy==2.4.6"), "python/cells.py"),
    Peer("PyPI", ("polyomino==0.7.1", "numpy==1.26.4"), "python/polyominoes.py",
         "with exact-cover 1.3.0, which it asks for, and NumPy 1, which that needs without asking for it"),
    Peer("PyPI", ("nqueens-solver==0.2.0",), "python/counters.py", "lists and prints all solutions"),
    Peer("PyPI", ("nqueens==1.0.4", "numpy==2.4.6", "pillow==12.3.0", "matplotlib==3.11.2"), "python/counters.py",
         "lists all solutions; imports numpy, Pillow and Matplotlib, which it doesn't ask for"),
    Peer("PyPI", ("wolfsoftware-nqueens==0.1.1",), "python/counters.py", "lists all solutions, on n threads"),
    Peer("npm", ("dancing-links@4.3.10",), "node/dancing_links.mjs"),
    Peer("npm", ("knightstour@1.0.6",), "node/knights_tour.mjs", "plays up to 1000 random games"),
    Peer("npm", ("n-queens@1.0.1",), "node/n_queens.mjs"),
    Peer("Cargo", ("dlx-rs",), "rust"),
    Peer("Cargo", ("nqueens",), "rust", "lists all solutions"),
]


def run(command, **how):
    """Runs a command in silence; what it says becomes the error when it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **how)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"{command[0]} ended with {done.returncode}"]
        raise RuntimeError(next((text for text in lines if "error" in text.lower()), lines[-1]))


def install(peer):
    """Installs a peer unless what is installed is what is wanted. Raises RuntimeError when it can't be."""
    if peer.registry == "Cargo":
        # Cargo knows itself what has changed.
        build = ["cargo", "build", "--release", "--locked", "--manifest-path", str(CRATES)]
        run(build, env=os.environ | {"CARGO_TARGET_DIR": str(peer.folder)})
        return
    wanted = "\n".join(peer.packages)
    installed = peer.folder / "installed"
    if installed.exists() and installed.read_text() == wanted:
        return
    print(f"Install {' '.join(peer.packages)}", file=sys.stderr)
    run(["rm", "-rf", str(peer.folder)])
    peer.folder.mkdir(parents=True)
    if peer.registry == "PyPI":
        pip = FOLDER / "pip" / "bin" / "pip"
        if not pip.exists():
            run([sys.executable, "-m", "venv", "--clear", str(FOLDER / "pip")])
        run([str(pip), "install", "--quiet", "--disable-pip-version-check", "--target", str(peer.folder),
             *peer.packages])
    else:
        run(["npm", "install", "--prefix", str(peer.folder), "--no-save", "--no-audit", "--no-fund", "--silent",
             *peer.packages])
    installed.write_text(wanted)
