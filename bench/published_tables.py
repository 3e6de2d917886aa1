#!/usr/bin/env python3
"""Reproduces tables of published studies on this machine, in microseconds: medians of one verified
sweep for each matrix, f64, warm.

    bench/published_tables.py sell          [--sptune build/cli/sptune] [--sizes N,N,…] [--markdown FILE]
    bench/published_tables.py warp-per-row  …

sell: CRS, pJDS, SELL-2-4, SELL-10-20 and SELL-100-200 on N × N matrices with 5 % of the entries, on the CPU.
warp-per-row: cuSPARSE's COO and CSR, a thread per row, rows in a grid-stride loop and a warp per row, on
N × N matrices with 20 % of the entries, on the GPU, with the fastest kernel of all beside them.
"""

import argparse
import dataclasses
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile


@dataclasses.dataclass
class Study:
    backend: str
    density: float
    sizes: str
    columns: dict  # title: variant without operation, backend and types; a glob stands for its fastest


STUDIES = {
    "sell": Study("cpu", 0.05, "100,200,500,1000,5000,10000", {
        "CRS": "csr.static.x32.l1.u1.wn",
        "pJDS": "pjds.lanes.c32.wn",
        "SELL-2-4": "sell.simd.c2.s4.x32.wn",
        "SELL-10-20": "sell.simd.c10.s20.x32.wn",
        "SELL-100-200": "sell.simd.c100.s200.x32.wn",
    }),
    "warp-per-row": Study("cuda", 0.2, "10,1024,2048,4096", {
        "cuSPARSE COO": "cusparse.coo.*",
        "cuSPARSE CSR": "cusparse.csr.*",
        "scalar": "csr.scalar.b256",
        "grid-stride": "csr.gridstride.b256",
        "warp per row": "csr.vector.t32.b256",
        "fastest": "*",
    }),
}


def times(study, sptune, n, folder):
    """The fastest candidate of each column for one random N × N matrix, None where none ran."""
    path = folder / f"uniform_{n}.spt"
    subprocess.run([sptune, "generate", "uniform", "--rows", str(n), "--density", str(study.density),
                    "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
    globs = {title: f"spmv.{study.backend}.{name}.f64.i32" for title, name in study.columns.items()}
    run = subprocess.run([sptune, "profile", str(path), "--backend", study.backend, "--variants",
                          ",".join(globs.values()), "--no-db", "--json", "-"],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    document = json.loads(run.stdout)
    path.unlink()
    row = {}
    for title, glob in globs.items():
        found = [c for c in document["candidates"]
                 if c["status"] == "ok" and pathlib.PurePath(c["id"]).match(glob)]
        row[title] = min(found, key=lambda c: c["time_us"]["median"], default=None)
    return row, document["device"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--sptune", default="build/cli/sptune")
    parser.add_argument("--sizes", help="instead of those of the study")
    parser.add_argument("--markdown", help="write the table to this file, too")
    args = parser.parse_args()
    study = STUDIES[args.study]

    lines = ["| N | " + " | ".join(study.columns) + " |", "|" + "---:|" * (len(study.columns) + 1)]
    device = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in map(int, (args.sizes or study.sizes).split(",")):
            row, device = times(study, args.sptune, n, pathlib.Path(folder))
            cells = []
            for title, candidate in row.items():
                cell = "–"
                if candidate:
                    cell = "{median:.2f} ± {mad:.2f}".format(**candidate["time_us"])
                    if study.columns[title] == "*":
                        cell += " " + ".".join(candidate["id"].split(".")[2:-2])
                cells.append(cell)
            lines.append(f"| {n} | " + " | ".join(cells) + " |")
            print(lines[-1], file=sys.stderr)
    text = (f"SpMV, f64, warm, {study.density:.0%} of the entries, median ± MAD in µs on {device.get('name')} "
            f"({device.get('threads')} {'threads' if study.backend == 'cpu' else 'multiprocessors'}, "
            f"{device.get('simd')}), {datetime.date.today()}; `bench/published_tables.py {args.study}`\n\n"
            + "\n".join(lines) + "\n")
    print(text, end="")
    if args.markdown:
        pathlib.Path(args.markdown).write_text(text)


if __name__ == "__main__":
    main()
