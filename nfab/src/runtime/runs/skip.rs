//! Matches that an after-match skip holds back.

use super::{Part, Runs};
use crate::config::HoldBack;
use crate::error::Error;
use crate::event::Event;
use crate::history::History;
use crate::limits::Policy;
use crate::runtime::context::Context;
use crate::runtime::held::prune_before;
use crate::runtime::over;

impl<H: History> Runs<H> {
    /// Under an after-match skip: takes the matches just completed out of the output, and puts there
    /// those that need not wait any more.
    pub(super) fn release<E: Event>(
        &mut self,
        part: &mut Part,
        from: usize,
        cx: &mut Context<'_, E>,
    ) -> Result<(), Error> {
        let before = part.held.len();
        let limit = cx.config.limits.matches;
        while cx.out.matches() > from {
            if part.held.add(cx.out.newest()) && self.held + part.held.len() - before > limit.most {
                if limit.policy == Policy::Error {
                    return Err(over("matches at once", limit));
                }
                part.held.shed(limit.policy);
                cx.stats.dropped_matches += 1;
            }
            cx.out.take_back();
        }
        let result = self.hand_out(part, cx);
        self.held = self.held + part.held.len() - before;
        result
    }

    fn hand_out<E: Event>(
        &mut self,
        part: &mut Part,
        cx: &mut Context<'_, E>,
    ) -> Result<(), Error> {
        // Known until runs are pruned.
        let mut earliest = None;
        while let Some(first) = part.held.first() {
            let start = cx.number(first[0].1);
            if cx.config.hold_back == HoldBack::Wait
                && *earliest.get_or_insert_with(|| part.earliest()) < start
            {
                break;
            }
            let Some(events) = part.held.pop() else { break };
            cx.out.add(&events);
            if let Some(bound) = prune_before(&events, cx)? {
                if *earliest.get_or_insert_with(|| part.earliest()) < bound {
                    for bucket in &mut part.buckets {
                        let runs = bucket.len();
                        bucket.retain(|run, _| run.start >= bound);
                        self.alive -= runs - bucket.len();
                    }
                    earliest = None;
                    part.note();
                }
                part.held.prune(|first| cx.number(first.1), bound);
            }
        }
        Ok(())
    }
}
