//! Places beyond what 32 bits count.

use super::*;
use EdgeKind::{Begin, Take};

/// Runs of ten events each, one after the other; two fork from each.
fn runs_follow_each_other(mut buffer: impl History, first_event: EventIndex) {
    let mut held: Vec<(Vec<EventIndex>, Tail)> = Vec::new();
    for event in first_event..first_event + 3000 {
        let begin = event % 10 == 0;
        if begin {
            held.clear();
            buffer.expire(event as i64);
            held.push((Vec::new(), Tail::EMPTY));
        }
        let kind = if begin { Begin } else { Take };
        let add = |(mut events, tail): (Vec<EventIndex>, Tail), buffer: &mut _, forks| {
            events.push(event);
            (events, History::append(buffer, &tail, entry(0, event, kind, forks)))
        };
        let mut next = Vec::new();
        for (at, run) in std::mem::take(&mut held).into_iter().enumerate() {
            if at == 0 && event % 10 == 4 {
                next.push(run.clone());
                next.push(add(run, &mut buffer, true));
            } else {
                next.push(add(run, &mut buffer, false));
            }
        }
        held = next;
        for (events, tail) in &held {
            assert_eq!(read(&buffer, *tail), *events);
        }
    }
    assert!(buffer.cells() < 2100, "old chunks go: {}", buffer.cells());
}

#[test]
fn the_places_of_cells_and_events_may_wrap() {
    for stages in [1, 2, 3, 4, 5, 256, 300] {
        let bits = if stages <= 2 { 31 } else { 28 };
        for base in [(1 << bits) - 1000, (1_u64 << 32) - 1000, 5 << 40] {
            for first_event in [0, (1 << bits) - 1001, (1_u64 << 32) - 1001, (5 << 40) - 500] {
                runs_follow_each_other(ChainBuffer::starting_at(stages, base), first_event);
            }
        }
    }
    for rules in [Rules::Paper, Rules::Tree] {
        for base in [(1_u64 << 32) - 1000, 5 << 40] {
            for first_event in [0, (1_u64 << 32) - 1001, (5 << 40) - 500] {
                let buffer = VersionedBuffer::starting_at(shape(&[true], rules), base);
                runs_follow_each_other(buffer, first_event);
            }
        }
    }
}

#[test]
fn a_cell_tells_all_stages_apart() {
    for stages in [1, 2, 3, 4, 17, 256, 70_000] {
        let mut buffer = ChainBuffer::new(stages);
        let mut tail = Tail::EMPTY;
        let last = stages as u32 - 1;
        for (event, stage) in [0, last, last / 2].into_iter().enumerate() {
            tail = buffer.append(&tail, entry(stage, event as u64, Begin, false));
        }
        let mut parts = Vec::new();
        buffer.events(&tail, &mut parts);
        assert_eq!(parts, [(0, 0), (last, 1), (last / 2, 2)]);
        assert!(buffer.capacity() >= if stages <= 256 { 100_000_000 } else { 1 << 22 });
    }
}
