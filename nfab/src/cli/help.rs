//! The longer texts of `--help`.

pub(super) const USAGE: &str = "\
nfab [OPTIONS] QUERY [FILE]
       nfab [OPTIONS] -f QUERY_FILE [FILE]
       nfab explain [OPTIONS] QUERY
       nfab replay CASES";

pub(super) const ABOUT: &str = "\
Finds patterns of events in CSV and JSON lines, files and streams, in one pass.

A query in the language SASE+ names the types of events in their order, conditions on them, and a \
window of time. FILE is a table with a header or has a JSON object on each line; without FILE, or \
with `-`, events come from the standard input. Each match is printed as soon as it is certain.";

pub(super) const EXAMPLES: &str = "\
Examples:
  nfab 'PATTERN SEQ(Login a, Alarm b) WHERE { [user] } WITHIN 5 min' events.csv
  nfab -f query.sase --format ids trades.csv.gz
  tail -f log.jsonl | nfab 'PATTERN SEQ(Error{3,} e[])' --type Error --maximal
  nfab explain 'PATTERN SEQ(A a, B+ b[], C c)' --dot | dot -Tsvg > automaton.svg

`nfab --help` tells more about queries, input, output and exit codes.";

pub(super) const DETAILS: &str = "\
Queries:
  PATTERN SEQ(A a, B+ b[], ~C c, D? d)
                         events in their order: one A, one or more B, no C before D, perhaps a D;
                         also B* b[], B{2,5} b[], OR(...), AND(...) and nested SEQ(...)+
  WHERE skip_till_any_match { ... }
                         which events may lie between: strict_contiguity, partition_contiguity,
                         skip_till_next_match (the default), skip_till_any_match. One gap alone:
                         `->` the next event, `->>` the next that fits, `->>>` any later one
  { [user] AND a.x > 5 AND b[i].x > avg(b[..i-1].x) }
                         equal in all events; conditions. b[i]: each from the second on; b[1] the
                         first; to demand it of all say both. b[i-1]: the one before, b[b.LEN] the
                         last, b[..i-1] all before; avg min max sum count first last
  WITHIN 5 min           from the first event to the last, both ends included: ms, s, min, h, d;
                         or 100 EVENTS
  AFTER MATCH SKIP PAST LAST
                         also NO SKIP, SKIP TO NEXT, SKIP TO FIRST(a), SKIP TO LAST(a)
  RETURN a.user, count(b[]) AS n, b
                         what to give for each match besides its events

Input:
  A cell of a table is a number, true or false, or text; an empty one is a missing value. What
  stands in quotes is text, and so is a number with leading zeros. Blanks around a cell do not
  count. In JSON lines, attributes are numbers, strings, true, false and null.
  The type stands in the column `type`. Without it, all events have the type of --type, else the
  only type of the query, else that of FROM. In JSON lines the first event decides.
  The time is a whole number in the unit of --time-unit, or a date and time as in RFC 3339
  (2024-05-01T12:30:00.250Z), which is converted to that unit. Times must not go back by more than
  --lateness, a number in that unit or a time as in 30s; events that do are late: they are counted
  and left out.
  What is compressed with gzip is decompressed.

Output (--format):
  json   {\"matches\":{VARIABLE:[EVENT, ...], ...},\"start\":TIME,\"end\":TIME,\"key\":KEY}
         with events as they stand in the input, every variable that is not negated, the times of
         the first and the last event, and the values of the attributes in `[...]`, or null;
         with RETURN also \"return\":{NAME:VALUE, ...}
  ids    {\"ids\":{VARIABLE:[NUMBER, ...], ...},...}: the numbers of the events in the input, from 0
  csv    the columns match, variable, event, then those of the input; for JSON lines type, time and
         attributes, which is the whole object. With RETURN: match, start, end and the results
  --count      {\"count\":N}
  --timeouts   as well {\"timed_out\":{VARIABLE:[...]},\"deadline\":TIME,\"key\":KEY}
  Matches come in the order of what completed them, then of their events.

Checkpoints:
  With --checkpoint FILE the run can be killed at any moment and started again: the same command
  with --resume restores FILE, passes over the rows that were read, and goes on. It has to be given
  the same input from its beginning, on the standard input too; rows may have been added to the end.
  Files of -o and --late are cut back to what they had at the checkpoint, so that they become what
  they would have been without the interruption. The standard output goes on with what comes after
  the checkpoint; a note on the standard error says how many lines were delivered before it.
  FILE holds events as they are. With --threads there are no checkpoints.

Exit codes:
  0 matches were found   1 there are none   2 an error in the query, the usage, the input or
                                              the output; the message is on the standard error
  What was printed before an error stays valid.

Examples:
  Three failed logins and a successful one, of one user, within a minute:
      nfab 'PATTERN SEQ(Failure{3} f[], Success s) WHERE { [user] } WITHIN 1 min' log.csv
  Rising prices until the volume collapses:
      nfab 'PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol]
            AND a[i].price > avg(a[..i-1].price) AND b.volume < 0.8 * a[a.LEN].volume }
            WITHIN 1 hour' --time-unit s trades.csv
  Orders that nobody paid within a day; the end of the file counts as the end of time:
      nfab 'PATTERN SEQ(Order o, ~Payment p) WHERE { [id] } WITHIN 1 day' --end-of-input max o.csv
  Is there any match?
      nfab --first --count 'PATTERN SEQ(A a, B b)' events.jsonl
  A long run that goes on where it was interrupted:
      nfab -f query.sase --checkpoint run.json --resume -o matches.jsonl events.csv.gz
  A picture of the automaton:
      nfab explain 'PATTERN SEQ(A a, B+ b[], C c)' --dot | dot -Tsvg > automaton.svg";
