#!/usr/bin/env python3
"""Reading Matrix Market: sptune against fast_matrix_market, on the same files and threads.

usage: compare_reader.py READ_MARKET FILE... [--threads N] [--rounds N]

READ_MARKET is the program built from bench/read_market.cpp. The two readers take turns, so that
other load on the machine hits both. sptune reads into sorted CSR with duplicates summed,
fast_matrix_market into COO, as its mmread does.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

try:
    import fast_matrix_market
except ImportError:
    sys.exit("compare_reader.py needs the PyPI packages fast_matrix_market and scipy: "
             "pip install fast_matrix_market scipy")


def time_ours(program, file, threads):
    command = [program, file, "--threads", str(threads), "--repeat", "5"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["min_s"]


def time_theirs(file, threads):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        fast_matrix_market.mmread(file, parallelism=threads)
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'file':32} {'MB':>7} {'sptune ms':>10} {'fmm ms':>10} {'ratio':>6}")
    ratios = []
    for file in arguments.files:
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            ours.append(time_ours(arguments.program, file, arguments.threads))
            theirs.append(time_theirs(file, arguments.threads))
        mine, other = statistics.median(ours), statistics.median(theirs)
        ratios.append(other / mine)
        print(f"{os.path.basename(file)[:32]:32} {os.path.getsize(file) / 1e6:7.1f} "
              f"{mine * 1e3:10.2f} {other * 1e3:10.2f} {ratios[-1]:6.2f}", flush=True)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
    print(f"geometric mean of fast_matrix_market / sptune: {mean:.2f}")


main()
