#!/usr/bin/env python3
"""Reproduces the table of the SELL-C-sigma study: CRS, pJDS, SELL-2-4, SELL-10-20 and SELL-100-200
on N x N matrices with 5 % of the entries, here on this machine's CPU, in microseconds (medians of
one verified sweep for each matrix, f64).

    bench/sell_table.py [--sptune build/cli/sptune] [--sizes 100,200,…] [--markdown FILE]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

COLUMNS = {
    "CRS": "csr.static.x32.l1.u1.wn",
    "pJDS": "pjds.lanes.c32.wn",
    "SELL-2-4": "sell.simd.c2.s4.x32.wn",
    "SELL-10-20": "sell.simd.c10.s20.x32.wn",
    "SELL-100-200": "sell.simd.c100.s200.x32.wn",
}


def times(sptune, n, folder):
    """Median microseconds of each column for one random N x N matrix."""
    path = folder / f"uniform_{n}.spt"
    subprocess.run([sptune, "generate", "uniform", "--rows", str(n), "--cols", str(n), "--density", "0.05",
                    "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
    globs = ",".join(f"spmv.cpu.{v}.f64.i32" for v in COLUMNS.values())
    run = subprocess.run([sptune, "profile", str(path), "--variants", globs, "--no-db", "--json", "-"],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    document = json.loads(run.stdout)
    path.unlink()
    by_id = {c["id"]: c for c in document["candidates"]}
    row = {}
    for name, variant in COLUMNS.items():
        candidate = by_id[f"spmv.cpu.{variant}.f64.i32"]
        row[name] = candidate["time_us"] if candidate["status"] == "ok" else None
        if row[name] is None:
            print(f"N = {n}, {name}: {candidate['status']}: {candidate['reason']}", file=sys.stderr)
    return row, document["device"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sptune", default="build/cli/sptune")
    parser.add_argument("--sizes", default="100,200,500,1000,5000,10000")
    parser.add_argument("--markdown", help="write the table to this file, too")
    args = parser.parse_args()

    lines = ["| N | " + " | ".join(COLUMNS) + " |", "|" + "---:|" * (len(COLUMNS) + 1)]
    device = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in map(int, args.sizes.split(",")):
            row, device = times(args.sptune, n, pathlib.Path(folder))
            cells = [f"{t['median']:.2f} ± {t['mad']:.2f}" if t else "–" for t in row.values()]
            lines.append(f"| {n} | " + " | ".join(cells) + " |")
            print(lines[-1], file=sys.stderr)
    text = (f"SpMV, f64, warm, median ± MAD in µs on {device.get('name')}, "
            f"{device.get('threads')} threads, {device.get('simd')}\n\n" + "\n".join(lines) + "\n")
    print(text, end="")
    if args.markdown:
        pathlib.Path(args.markdown).write_text(text)


if __name__ == "__main__":
    main()
