//! The longer texts of `--help`.

pub(super) const ABOUT: &str = "\
Finds pairs of sightings of one key that lie too close in time to be one and the same thing.

Sightings come from many streams, such as cameras that read number plates, each reading with a \
probability. Two sightings of one key in different streams are a result if less time lies between \
them than the fastest travel takes, and if both are true with at least a given probability. Each pair \
is printed once, however little memory there is.";

pub(super) const EXAMPLES: &str = "\
Examples:
  ujoin run --travel-times times.csv sightings.csv
  tail -f sightings.jsonl | ujoin run --travel-times times.csv --lateness 5m

`ujoin run --help` tells more.";

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  ujoin run --travel-times times.csv sightings.csv
  ujoin run --travel-times times.csv --threshold 0.3 --mode observation readings.csv
  ujoin run --travel-times times.csv --mode expected --top-k 10 --slice 1h sightings.csv
  ujoin run --travel-times times.csv --memory 64MiB --lateness 5m -o pairs.jsonl sightings.csv
  tail -f sightings.jsonl | ujoin run --travel-times times.csv --late late.jsonl

`ujoin run --help` tells more about input, output and exit codes.";

pub(super) const DETAILS: &str = "\
Travel times:
  A square table, where row A and column B is the time from A to B; the diagonal does not count:
      ,A,B
      A,0,1800
      B,1500,0
  or a list: the columns from, to and seconds. Every pair needs a time, in both directions.

Sightings:
  The columns stream, time, key, probability and, if several rows are alternatives of one
  observation, observation; others are kept. CSV with a header, or a JSON object on each line.
  What is compressed with gzip is decompressed.
  time         seconds, whole or decimal, or a date and time as in RFC 3339
               (2024-05-01T12:30:00.25Z); from 1677 to 2262
  key          not empty; equal keys are equal texts, see also --normalize-plates
  probability  above 0, at most 1; digits beyond the ninth are rounded half to even
  observation  rows of one observation in one stream exclude each other, so their probabilities
               add up to at most 1. Observations of one name never pair. Without a name each row is
               an observation of its own. A row with the stream, observation, time and key of an
               earlier one is that one delivered again
  Rows come in the order of time, or late by at most --lateness. What is later is counted and left
  out. Alternatives that stand together are judged together, so a row with an observation is joined
  when the next one is of another; those that come later are added to what came before as long as
  they are not late. With --mode observation all wait until no other row of their observation can
  come: until a sighting is newer by more than the lateness.
  In JSON lines {\"pause\": true} lets everything be worked off that is owed since it was on disk.

Output:
  {\"key\":KEY,\"probability\":P,\"first\":{ROW},\"second\":{ROW},\"dt\":SECONDS,\"limit\":SECONDS}
      the first is the earlier one; of equal times, the earlier row. Probabilities are exact
      products. Rows have all their columns: time and probability as numbers, others as text
  --mode observation   as well \"shared\":[{\"key\":KEY,\"probability\":P},...], the keys that both may
                       show; the probability is the sum, key and rows are those of the largest
  --mode expected      {\"slice\":SECONDS,\"key\":KEY,\"expected\":N,\"pairs\":N} for each key and slice
                       whose number is at least --threshold; all pairs count
  --top-k K            pairs begin with \"slice\":SECONDS,\"rank\":N; a pair is of the slice of its
                       second sighting. Slices begin at multiples of --slice

Memory:
  With --memory, sightings that do not fit go to disk and meet what they have missed when the input
  rests, at a pause mark, now and then as sightings leave the window, or in the end. The result is
  the same. Half of the bytes are for the rows that results show. Without --spill-dir they go to a
  directory `ujoin-spill-*` among the system's temporary ones; it is removed in the end, or by the
  next such run if the program was killed. Without --memory, sightings of one window are in memory:
  the longest travel time and the lateness.

Checkpoints:
  With --checkpoint FILE the run can be killed at any moment and started again: the same command
  with --resume goes on where FILE says. It has to be given the same input from its beginning; rows
  may have been added to the end. Files of --output, --late and --reject are cut back to what they
  had at the checkpoint, so that each result is in them exactly once. On the standard output results
  that came after the checkpoint come again; a note says how many lines were delivered before it.
  FILE.rows is a directory of the rows that are still needed.

Exit codes:
  0 pairs were found   1 there are none   2 an error in the usage, the input or the output; the
                                            message is on the standard error
  What was printed before an error stays valid.";
