"""DuckDB on the workloads of `bench-harness compare ujoin`.

Arguments: LIMIT THRESHOLD FILE. The file of tuples is read into a table first; then a line {"events": N}
says that the peer is ready. Each line on standard input asks for one round, which joins the whole table
and fetches every pair; it prints one JSON line. The end of the input ends the program.

The join is the one that a user of the database would write: tuples that reach the threshold, in buckets
as long as the window, each with its own bucket and the one before, an equality join over key and bucket,
the rest as a filter. One thread, as the engine that it is compared with.
"""

import json
import sys
import time

import duckdb
import numpy

QUERY = """
    WITH kept AS (
        SELECT *, ts // $window AS bucket FROM tuples WHERE p * 1000000000::BIGINT >= $threshold
    ), earlier AS (
        SELECT *, bucket AS place FROM kept UNION ALL SELECT *, bucket + 1 FROM kept
    )
    SELECT a.seq AS a, b.seq AS b, a.p * b.p AS p
    FROM earlier a JOIN kept b ON a.key = b.key AND a.place = b.bucket
    WHERE a.seq < b.seq AND b.ts - a.ts < $window AND a.s <> b.s
        AND a.observation <> b.observation AND a.p * b.p >= $threshold
"""

COLUMNS = {
    "seq": "BIGINT",
    "observation": "UBIGINT",
    "key": "UBIGINT",
    "ts": "BIGINT",
    "s": "UINTEGER",
    "p": "BIGINT",
}


def digest(pairs):
    """The sum over all pairs of what the harness makes of each; all arithmetic modulo 2^64."""
    mixed = numpy.zeros(len(pairs["a"]), dtype=numpy.uint64)
    constant = [numpy.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)]
    shift = [numpy.uint64(s) for s in (30, 27, 31)]
    for column in ("a", "b", "p"):
        z = mixed ^ (pairs[column].astype(numpy.uint64) + constant[0])
        z = (z ^ (z >> shift[0])) * constant[1]
        z = (z ^ (z >> shift[1])) * constant[2]
        mixed = z ^ (z >> shift[2])
    return int(numpy.add.reduce(mixed, dtype=numpy.uint64))


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: duckdb_peer.py LIMIT THRESHOLD FILE")
    window, threshold, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    database = duckdb.connect(":memory:", config={"threads": 1})
    database.execute("PRAGMA disable_progress_bar")
    database.read_csv(path, header=True, columns=COLUMNS).create("tuples")
    (count,) = database.execute("SELECT count(*) FROM tuples").fetchone()
    print(json.dumps({"events": count}), flush=True)
    for line in sys.stdin:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        pairs = database.execute(QUERY, {"window": window, "threshold": threshold}).fetchnumpy()
        wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
        done = {"ns": wall, "cpu_ns": cpu, "matches": len(pairs["a"]), "timeouts": 0}
        print(json.dumps(done | {"digest": f"{digest(pairs):016x}"}), flush=True)


if __name__ == "__main__":
    main()
