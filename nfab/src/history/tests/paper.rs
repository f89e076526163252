//! The worked example of the paper, and where its rules end.

use super::*;
use EdgeKind::{Begin, Take};

const A: u32 = 0;
const B: u32 = 1;

/// What the runs of the example do with e1 to e8: query `SEQ(Stock+ a[], Stock b)` under
/// skip-till-next, runs started by e1 and e3.
fn worked_example(buffer: &mut impl History) -> [Tail; 3] {
    let mut add = |tail: Tail, stage, event, kind, forks| {
        buffer.append(&tail, entry(stage, event, kind, forks))
    };
    let first = add(Tail::EMPTY, A, 1, Begin, false);
    let first = add(first, A, 2, Take, false);
    let first = add(first, A, 3, Take, false);
    let second = add(Tail::EMPTY, A, 3, Begin, false);
    let first = add(first, A, 4, Take, false);
    let second = add(second, A, 4, Take, false);
    // The second run ignores e5.
    let first = add(first, A, 5, Take, false);
    // Both fork: e6 goes on with a[] and is a b.
    let r1 = add(first, B, 6, Begin, true);
    let first = add(first, A, 6, Take, true);
    let r2 = add(second, B, 6, Begin, true);
    add(second, A, 6, Take, true);
    let first = add(first, A, 7, Take, false);
    let r3 = add(first, B, 8, Begin, true);
    add(first, A, 8, Take, true);
    [r1, r2, r3]
}

#[test]
fn the_worked_example_has_every_entry_edge_and_version() {
    let mut buffer = VersionedBuffer::new(shape(&[true, false], Rules::Paper));
    let matches = worked_example(&mut buffer);
    let expected = "\
a[1] 1: -> root (1)
a[1] 3: -> root (2)
a[i] 2: -> a[1].1 (1.0)
a[i] 3: -> 2 (1.0)
a[i] 4: -> 3 (1.0), -> a[1].3 (2.0)
a[i] 5: -> 4 (1.0)
a[i] 6: -> 5 (1.1), -> 4 (2.1)
a[i] 7: -> 6 (1.1)
a[i] 8: -> 7 (1.2)
b 6: -> a[i].5 (1.0.0), -> a[i].4 (2.0.0)
b 8: -> a[i].7 (1.1.0)
";
    assert_eq!(buffer.view(Some).to_string(), expected);
    let histories = matches.map(|tail| read(&buffer, tail));
    let expected: [&[u64]; 3] = [&[1, 2, 3, 4, 5, 6], &[3, 4, 6], &[1, 2, 3, 4, 5, 6, 7, 8]];
    assert_eq!(histories, expected, "R2 is e6-e4-e3 and not e6-e4-e3-e2-e1");
    assert_eq!((buffer.cells(), buffer.edges()), (11, 14));
}

#[test]
fn the_drawing_has_every_edge() {
    let mut buffer = VersionedBuffer::new(shape(&[true, false], Rules::Paper));
    worked_example(&mut buffer);
    let view = buffer.view(Some);
    let dot = view.to_dot();
    for line in ["s1_4 -> s0_3 [label=\"2.0\"];", "s2_6 -> s1_4 [label=\"2.0.0\"];"] {
        assert!(dot.contains(line), "{dot}");
    }
    assert_eq!(dot.matches(" -> ").count(), 14);
    let [a1, ai, b, other_b] = view.stacks() else { panic!("four stacks") };
    assert_eq!([a1, ai, b].map(|stack| stack.name()), ["a[1]", "a[i]", "b"]);
    assert_eq!(other_b.entries(), []);
    let edge = &ai.entries()[2].edges()[1];
    assert_eq!((ai.entries()[2].event(), edge.version(), edge.to()), (4, "2.0", Some((0, 3))));
}

/// A buffer that marks and expires gives the matches of the example all the same.
#[test]
fn the_worked_example_survives_a_collection() {
    let mut buffer = VersionedBuffer::new(shape(&[true, false], Rules::Paper));
    let mut matches = worked_example(&mut buffer);
    let before = matches.map(|tail| read(&buffer, tail));
    let mut store = EventStore::new();
    for n in 0..9 {
        store.push(n, n as i64, n);
    }
    collect(&mut buffer, &mut store, matches.iter_mut());
    let after = matches.map(|tail| {
        let events = read(&buffer, tail).into_iter();
        events.map(|event| *store.get(event)).collect::<Vec<_>>()
    });
    assert_eq!(after, before);
    // The cells of e8 and e7 in a[i] stay or go with their runs: a[i].8 led to no match.
    assert_eq!((buffer.cells(), buffer.edges(), store.len()), (10, 12, 8));
}

/// `SEQ(Stock+ a[])` under skip-till-any over some events, all of which fit: each run takes each
/// event and ignores it. Gives the runs: 2^n - 1 for n events.
fn all_subsets(buffer: &mut impl History, events: u64) -> Vec<(Vec<u64>, Tail)> {
    let mut runs: Vec<(Vec<u64>, Tail)> = Vec::new();
    for event in 0..events {
        for at in 0..runs.len() {
            let (mut held, tail) = runs[at].clone();
            held.push(event);
            runs.push((held, buffer.append(&tail, entry(A, event, Take, true))));
        }
        runs.push((vec![event], buffer.append(&Tail::EMPTY, entry(A, event, Begin, false))));
    }
    runs
}

/// How many runs are read back with other events than they took.
fn misread(rules: Rules, events: u64) -> (usize, usize) {
    let mut buffer = VersionedBuffer::new(shape(&[true], rules));
    let runs = all_subsets(&mut buffer, events);
    let wrong = runs.iter().filter(|(held, tail)| read(&buffer, *tail) != *held).count();
    (wrong, runs.len())
}

/// The trap. R3 increments the last number of the clone that takes the event; the one that ignores
/// it keeps its version. Of several edges that fit, the walk follows the best (as long as
/// the version before shorter, then the greatest last number, then the oldest); other choices
/// misread more.
#[test]
fn skip_till_any_needs_tree_versions() {
    assert_eq!(misread(Rules::Paper, 8), (163, 255));
    assert_eq!(misread(Rules::Tree, 8), (0, 255));
    assert_eq!(misread(Rules::Tree, 12), (0, 4095));
    // The smallest stream on which the rules fail.
    assert_eq!(misread(Rules::Paper, 3), (0, 7));
    assert_eq!(misread(Rules::Paper, 4), (1, 15));
}

/// Without any Kleene component the trap is there too: `SEQ(A a, B b, C c, D d)` under
/// skip-till-any.
#[test]
fn skip_till_any_needs_tree_versions_in_plain_sequences() {
    let read_all = |rules| {
        let mut buffer = VersionedBuffer::new(shape(&[false; 4], rules));
        let a = buffer.append(&Tail::EMPTY, entry(0, 0, Begin, false));
        let bs = [1, 2].map(|event| buffer.append(&a, entry(1, event, Begin, true)));
        let cs = bs.map(|b| buffer.append(&b, entry(2, 3, Begin, true)));
        let ds = cs.map(|c| buffer.append(&c, entry(3, 4, Begin, true)));
        ds.map(|d| read(&buffer, d))
    };
    assert_eq!(read_all(Rules::Tree), [[0, 1, 3, 4], [0, 2, 3, 4]]);
    assert_eq!(read_all(Rules::Paper), [[0, 1, 3, 4], [0, 1, 3, 4]]);
}

/// Tree versions do without forks being announced: two clones wait with one tail, neither forks.
#[test]
fn clones_that_ignore_the_same_event_are_told_apart() {
    let mut buffer = VersionedBuffer::new(shape(&[true, true], Rules::Tree));
    let start = buffer.append(&Tail::EMPTY, entry(0, 0, Begin, false));
    let one = buffer.append(&start, entry(0, 1, Take, false));
    let two = buffer.append(&start, entry(0, 2, Take, false));
    let both = [one, two].map(|tail| buffer.append(&tail, entry(0, 3, Take, false)));
    let both = both.map(|tail| buffer.append(&tail, entry(1, 4, Begin, false)));
    assert_eq!(both.map(|tail| read(&buffer, tail)), [[0, 1, 3, 4], [0, 2, 3, 4]]);
}

/// A tree version that is as long as the run's, with a smaller last number, is a sibling's.
#[test]
fn the_versions_of_siblings_do_not_fit() {
    let mut buffer = VersionedBuffer::new(shape(&[true], Rules::Tree));
    let start = buffer.append(&Tail::EMPTY, entry(0, 0, Begin, false));
    let sibling = buffer.append(&start, entry(0, 1, Take, true));
    let run = buffer.append(&start, entry(0, 2, Take, false));
    buffer.append(&sibling, entry(0, 2, Take, false));
    let run = buffer.append(&run, entry(0, 3, Take, true));
    assert_eq!(read(&buffer, run), [0, 2, 3]);
    let expected = "\
a[1] 0: -> root (1)
a[i] 1: -> a[1].0 (1.0)
a[i] 2: -> a[1].0 (1), -> 1 (1.0)
a[i] 3: -> 2 (1.1)
";
    assert_eq!(buffer.view(Some).to_string(), expected);
}
