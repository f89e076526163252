//! The longer texts of `--help`.

pub(super) const ABOUT: &str = "\
Finds many event sequence patterns in one pass over CSV or JSON lines, files and streams.

Patterns stand in a file, one a line: `id: SEQ(A, B[tag = A.tag], C) WITHIN 40 EVENTS`. All of them \
are detected together by a shared model, and every match of every pattern is printed.";

pub(super) const EXAMPLES: &str = "\
Examples:
  multipattern detect -p patterns.txt events.csv
  multipattern detect -p patterns.txt --partition-by tag --count events.jsonl
  tail -f log.jsonl | multipattern detect -p patterns.txt --semantics next
  multipattern plan -p patterns.txt --method all
  multipattern plan -p patterns.txt --dot | dot -Tsvg > model.svg

`multipattern detect --help` and `multipattern plan --help` tell more.";

pub(super) const PATTERNS: &str = "\
Patterns:
  id: SEQ(A, B, C)           one event of each type, in this order
  SEQ(A, B[temp > 30])       a condition on an attribute of the event itself
  SEQ(A, B[tag = A.tag])     and one on an earlier event, named by its type;
  SEQ(A a, A[tag = a.tag])   or by a label, or by its number: `#1.tag`
                             comparisons are = != < <= > >=, several are joined by AND
  WITHIN 40 EVENTS           all events of a match lie in 40 consecutive ones; the default
  WITHIN 5 min               from the first event to the last: ns, us, ms, s, min, h, d
  Names that are no words are written in backquotes. Empty lines and lines that begin with # are
  passed over. Patterns may be equal, ids may not.";

pub(super) const DETECT: &str = "\
Semantics (--semantics):
  any     every combination of events in their order within the window (the default)
  next    from each event that fits the first operand one chain, which takes the first event that
          fits each next operand
  strict  events that follow one another directly

Input:
  CSV with a header, or a JSON object on each line; by the extension of the file, otherwise JSON
  lines if the first byte is `{`. The type stands in the column `type`, the time in `time`, which is
  only needed for windows of time. A time is a whole number in the unit of --time-unit, or a date
  and time as in RFC 3339. An empty cell is a missing value. What fits no number of 64 bits is text
  (303425780194400000001234, 30342578E0194400000001234), and so is what has leading zeros (007).
  A row has at most 64 megabytes.

Partitions:
  With --partition-by, each value of the key takes memory. Windows of time free it; a window of
  events does not, as it ends by events of the same key alone: for an endless number of keys use
  windows of time, or --max-partitions N:drop-oldest, which forgets the key that had no event for
  longest. N:drop-newest passes over the events of new keys; N and N:error end the run.

Output:
  {\"pattern\":\"ID\",\"events\":[NUMBER, ...]}   for each match the rows of its events, from 0, the
                                            header not counted
  --count     {\"pattern\":\"ID\",\"count\":N}    for each pattern
  Matches come in the order of what completes them, then of the patterns, then of their rows; the
  same for every method.

Exit codes:
  0 matches were found   1 there are none   2 an error in the patterns, the usage, the input or the
                                              output; the message is on the standard error";

pub(super) const PLAN: &str = "\
Output:
  A table, or with --format json a line for each method:
  {\"method\":NAME,\"states\":N,\"edges\":N,\"shared_nodes\":N,\"rules\":N,\"cost\":X}
  with --method all for single, optimized, sharing and proposed. `trie` is for comparison.

Exit codes:
  0 done   2 an error in the patterns or the usage";
