"""Small valid files of every format, changed at random, and read by the commands in a process of its own.

``python -m tests.fuzz.files 2000 7`` reads 2,000 changed files of seed 7 and lists what went wrong: an exception that
is not one of ours, a file that takes more than 20 seconds, a process that ends or needs more than 1 GB.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path

PATIENCE = 20.0  # seconds of one file
MEMORY = 1 << 30  # bytes that a process may need beyond those of its packages
TOP = Path(__file__).parents[2]
TOKENS = (
    b'"',
    b"'",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"[",
    b"{",
    b"}",
    b"]",
    b"\\",
    b"\\u",
    b"<",
    b"&",
    b"NaN",
    b"1e999",
    b"-1",
    b"99999999999999999999",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"PK\x03\x04",
    b"null",
    b"true",
    b"=1+1",
    b"\xf0\x9f\x98\x80",
    b"\\ud800",
    b"<!ENTITY a 'b'>",
    b"$",
    b"\\begin{tabular}",
    b"{{{{",
    b"<td colspan=99999>",
    b"| --- |",
    b"&#0;",
    b"\\input{x}",
)


def choices() -> list[tuple[str, str, str, int]]:
    """Return rows of comparisons."""
    names = ["nurse", "son", "judge", "o'neil"]
    return [
        (a, b, (a, b)[(i + j + k) % 2], k)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if a != b
        for k in range(2)
    ]


def seeds() -> dict[str, bytes]:
    """Return a small valid file of each format, by its name."""
    import pandas as pd
    import pyarrow as pa
    import pyreadstat

    frame = pd.DataFrame(choices(), columns=["item_a", "item_b", "winner", "judge"])
    records = frame.to_dict("records")
    text = frame.to_csv(index=False)
    made = {
        "x.csv": text.encode(),
        "x.tsv": frame.to_csv(index=False, sep="\t").encode(),
        "semicolons.csv": frame.to_csv(index=False, sep=";", quoting=1).encode(),
        "x.csv.gz": gzip.compress(text.encode()),
        "x.jsonl": "\n".join(map(json.dumps, records)).encode(),
        "x.json": json.dumps(records, indent=1).encode(),
        "columns.json": json.dumps(frame.to_dict("list")).encode(),
        "noname": text.encode(),
    }
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        frame.to_parquet(place / "x.parquet", index=False)
        frame.to_feather(place / "x.feather")
        frame.astype({"winner": "category"}).to_stata(place / "x.dta", write_index=False)
        labels = {"judge": {0: "first", 1: "second"}}
        pyreadstat.write_sav(frame, place / "x.sav", variable_value_labels=labels)
        frame.to_excel(place / "x.xlsx", index=False, engine="openpyxl")
        frame.to_excel(place / "x.ods", index=False, engine="odf")
        made |= {path.name: path.read_bytes() for path in place.iterdir()}
    made["x.parquet.gz"] = gzip.compress(made["x.parquet"])
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, pa.Table.from_pandas(frame).schema) as stream:
        stream.write_table(pa.Table.from_pandas(frame))
    made["x.arrows"] = sink.getvalue()
    return made | logs() | documents()


def logs() -> dict[str, bytes]:
    """Return small logs of harnesses."""
    about = {"task": "t", "model": "m", "packages": {"inspect_ai": "0.3.100"}}
    top = {
        "version": 2,
        "status": "success",
        "eval": about,
        "results": {
            "scores": [
                {"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}}
            ]
        },
    }
    samples = [
        {
            "id": k,
            "epoch": 1,
            "input": "?",
            "target": "A",
            "metadata": {"scenario": f"s{k}"},
            "scores": {"match": {"value": "CI"[k % 2], "answer": "A"}},
        }
        for k in range(4)
    ]
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(top))
        archive.writestr("summaries.json", json.dumps(samples))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    harness = {
        "results": {"t": {"acc,none": 0.5}},
        "configs": {"t": {"task": "t"}},
        "versions": {"t": 1},
        "n-shot": {"t": 0},
    }
    rows = [
        {
            "doc_id": k,
            "doc": {"q": "?"},
            "target": "A",
            "resps": [["A"]],
            "filtered_resps": ["A"],
            "acc": k % 2,
        }
        for k in range(4)
    ]
    battles = [
        {"model_a": "m", "model_b": "n", "winner": ("model_a", "tie")[k % 2], "question_id": k}
        for k in range(6)
    ]
    return {
        "log.eval": held.getvalue(),
        "log.json": json.dumps({**top, "samples": samples}).encode(),
        "results.json": json.dumps(harness).encode(),
        "samples_t.jsonl": "\n".join(map(json.dumps, rows)).encode(),
        "battles.jsonl": "\n".join(map(json.dumps, battles)).encode(),
    }


def documents() -> dict[str, bytes]:
    """Return small papers."""
    said = "It rose, t(23) = 2.10, p = .047, and then M = 3.45 (SD = 1.20, N = 20)."
    table = [["Task", "M", "SD"], ["A", "3.96", "0.28"], ["B", "4.10", "0.31"]]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in table)
    lines = " \\\\ ".join(" & ".join(row) for row in table)
    return {
        "paper.html": f"<body><p>{said}</p><table><caption>Table 1</caption>{cells}</table></body>".encode(),
        "paper.md": (
            said
            + "\n\n| Task | M | SD |\n|---|---|---|\n| A | 3.96 | 0.28 |\n| B | 4.10 | 0.31 |\n"
        ).encode(),
        "paper.tex": rf"\documentclass{{article}}\newcommand{{\sd}}[1]{{($#1$)}}\begin{{document}} {said} "
        rf"\begin{{tabular}}{{lrr}}\hline {lines} \\\hline\end{{tabular}} \sd{{2}}\end{{document}}".encode(),
        "paper.txt": (said + "\n\nTask  M     SD\nA     3.96  0.28\nB     4.10  0.31\n").encode(),
        "paper.pdf": pdf(
            ["BT /F1 12 Tf 50 700 Td (It rose, t\\(23\\) = 2.10, p = .047 in the sample.) Tj ET"]
        ),
        "plan.toml": b'[data]\ndesign = "comparisons"\n[data.map]\nitem_a = "item_a"\n[inference]\nlevel = 0.9\n',
    }


def pdf(pages: list[str]) -> bytes:
    """Return a PDF with one content stream a page."""
    font = "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    kids = " ".join(f"{3 + 2 * k} 0 R" for k in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>"]
    for k, content in enumerate(pages):
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {4 + 2 * k} 0 R{font}>>"
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    out, starts = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        starts.append(len(out))
        out += f"{number} 0 obj{body}endobj\n"
    entries = "".join(f"{start:010} 00000 n \n" for start in starts)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{entries}"
    return (
        out + end + f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    ).encode()


def changed(data: bytes, name: str, rng: random.Random) -> bytes:
    """Return a file with a few random changes; half of the packed ones are changed inside, and packed again."""
    if rng.random() < 0.5 and data[:2] == b"\x1f\x8b":
        return gzip.compress(changed(gzip.decompress(data), name, rng))
    if rng.random() < 0.7 and data[:4] == b"PK\x03\x04":
        held = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(data)) as old,
            zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            parts = old.namelist()
            chosen = rng.sample(parts, rng.randint(1, min(3, len(parts))))
            for part in parts:
                new.writestr(
                    part, changed(old.read(part), part, rng) if part in chosen else old.read(part)
                )
        return held.getvalue()
    changes: list[Callable[[bytes, random.Random], bytes]] = [
        flip,
        overwrite,
        insert,
        delete,
        double,
        cut,
        swap,
    ]
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        data = rng.choice(changes)(data, rng)
    return data


def _place(data: bytes, rng: random.Random, most: int = 64) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.randint(1, most))


def flip(data: bytes, rng: random.Random) -> bytes:
    """Change a bit."""
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def overwrite(data: bytes, rng: random.Random) -> bytes:
    """Write a token over some bytes."""
    start, _ = _place(data, rng)
    token = rng.choice(TOKENS)
    return data[:start] + token + data[start + len(token) :]


def insert(data: bytes, rng: random.Random) -> bytes:
    """Insert a token, up to a hundred times."""
    start, _ = _place(data, rng)
    return data[:start] + rng.choice(TOKENS) * rng.choice([1, 1, 3, 100]) + data[start:]


def delete(data: bytes, rng: random.Random) -> bytes:
    """Take some bytes away."""
    start, end = _place(data, rng)
    return data[:start] + data[end:]


def double(data: bytes, rng: random.Random) -> bytes:
    """Repeat some bytes."""
    start, end = _place(data, rng)
    return data[:end] + data[start:end] * rng.choice([1, 2, 50]) + data[end:]


def cut(data: bytes, rng: random.Random) -> bytes:
    """End the file early."""
    return data[: rng.randrange(len(data) + 1)]


def swap(data: bytes, rng: random.Random) -> bytes:
    """Exchange two pieces."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    size = min(16, b - a)
    return (
        data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]
    )


def commands(name: str) -> list[list[str]]:
    """Return the commands that read a file of this name."""
    if name.startswith("paper"):
        return [["audit", name]]
    if name == "plan.toml":
        return [["check", "good.csv", "--plan", name]]
    if name.startswith(("log", "results", "samples", "battles")):
        return [["convert", name, "-o", "out.csv", "--overwrite"], ["check", name]]
    return [["check", name], ["init", name]]


def mutants(n: int, seed: int) -> list[tuple[str, bytes]]:
    """Return files, changed at random."""
    rng, known = random.Random(seed), seeds()
    names = sorted(known)
    return [
        (name, changed(known[name], name, rng))
        for name in (names[k % len(names)] for k in range(n))
    ]


def work(folder: Path) -> None:
    """Read names of folders from standard input; run the commands on the file in each, and write what went wrong."""
    import resource

    from socialstats.cli import main

    sys.set_int_max_str_digits(4300)
    answers = os.fdopen(os.dup(1), "w")
    os.chdir(folder)
    known = seeds()
    Path("good.csv").write_bytes(known["x.csv"])
    for name, data in known.items():  # packages take their memory at first use
        Path(name).write_bytes(data)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for words in commands(name):
                main(words)
        Path(name).unlink()
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        found = []
        for words in commands(line.strip()):
            try:
                with (
                    contextlib.redirect_stdout(io.StringIO()),
                    contextlib.redirect_stderr(io.StringIO()) as errors,
                ):
                    code = main(words)
                if code not in (0, 1, 2, 3):
                    found.append(f"{words}: exit code {code}")
                if "Warning" in errors.getvalue():
                    found.append(f"{words}: {errors.getvalue()[:500]}")
            except BaseException:
                found.append(f"{words}: {traceback.format_exc()}")
        print(json.dumps(found), file=answers, flush=True)


class Worker:
    """A process that reads changed files; a new one follows it where it hangs or ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.start()

    def start(self) -> None:
        """Start the process."""
        paths = os.pathsep.join(str(TOP / part) for part in ("", "collect", "reports"))
        words = [sys.executable, "-m", "tests.fuzz.files", "work", str(self.folder)]
        env = {
            **os.environ,
            "PYTHONPATH": paths,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONWARNINGS": "default",
        }
        self.process = subprocess.Popen(
            words,
            cwd=TOP,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.answer(300.0)

    def answer(self, seconds: float) -> str | None:
        """Return the next line that the process writes; None where it takes too long, or ends."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline().decode() or None if ready else None

    def read(self, name: str, data: bytes) -> list[str]:
        """Return what goes wrong with a file."""
        assert self.process.stdin is not None
        (self.folder / name).write_bytes(data)
        before = time.monotonic()
        self.process.stdin.write(f"{name}\n".encode())
        self.process.stdin.flush()
        said = self.answer(PATIENCE * load())
        (self.folder / name).unlink()
        if said:
            return [str(one) for one in json.loads(said)]
        self.process.kill()
        _, errors = self.process.communicate()
        self.start()
        return [
            f"{name}: no answer in {time.monotonic() - before:.0f} s, or the process ended: {errors.decode()[-500:]}"
        ]

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


def load() -> float:
    """Return how many times longer things take while other processes run on this machine."""
    return max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


def run(n: int, seed: int, keep: Path | None = None) -> list[str]:
    """Read n changed files; return what went wrong, with the number of each file.

    Parameters
    ----------
    n, seed : int
    keep : Path, optional
        A folder for the files that went wrong.
    """
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(Path(folder))
        try:
            for k, (name, data) in enumerate(mutants(n, seed)):
                found = worker.read(name, data)
                wrong += [f"file {k} of seed {seed}, {one}" for one in found]
                if found and keep is not None:
                    keep.mkdir(exist_ok=True)
                    (keep / f"{seed}-{k}-{name}").write_bytes(data)
        finally:
            worker.close()
    return wrong


if __name__ == "__main__":
    if sys.argv[1] == "work":
        work(Path(sys.argv[2]))
    else:
        count, first = (
            int(sys.argv[1]),
            int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6),
        )
        problems = run(count, first, Path(sys.argv[3]) if len(sys.argv) > 3 else None)
        print("\n".join(problems))
        print(f"{count} files of seed {first}: {len(problems)} went wrong")
        sys.exit(bool(problems))
