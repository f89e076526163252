//! The transducer at work.

use rpdt::input::{EndTag, Interest, Markup, StartTag, Symbol, TagHandler, Text};
use rpdt::pattern::Axis;
use rpdt::{Error, ErrorKind};

use super::super::shared::{Dispatch, Labels, NONE};
use super::super::{Answer, Node, Outcome};
use super::buffers::{Buffer, Buffers};
use super::{ExPdt, Stats, SubPdt};

/// A live configuration.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    /// The branches that were not found yet.
    missing: u64,
    state: u32,
    /// The configuration from which the start tag led here.
    from: u32,
    /// The next outer configuration of the same state.
    previous: u32,
    /// Depth of the element.
    depth: u32,
    buffer: Buffer,
}

/// A run over one document.
#[derive(Debug)]
pub(super) struct Machine<'q> {
    dispatch: Dispatch,
    stack: Stack<'q>,
}

#[derive(Debug)]
struct Stack<'q> {
    query: &'q ExPdt,
    labels: Labels,
    depth: u32,
    /// All live configurations, those of inner elements last. The first is that of the start state.
    live: Vec<Configuration>,
    /// The innermost configuration of every state.
    innermost: Vec<u32>,
    buffers: Buffers,
    collect: bool,
    count: u64,
    answers: Vec<Answer>,
    elements: u64,
    made: u64,
    peak: usize,
}

impl<'q> Machine<'q> {
    pub(super) fn new(query: &'q ExPdt, collect: bool) -> Self {
        let start = Configuration {
            missing: 0,
            state: 0,
            from: NONE,
            previous: NONE,
            depth: 0,
            buffer: Buffer::EMPTY,
        };
        let mut innermost = vec![NONE; query.automata.len() + 1];
        innermost[0] = 0;
        Machine {
            dispatch: query.dispatch.clone(),
            stack: Stack {
                query,
                labels: query.labels.clone(),
                depth: 0,
                live: vec![start],
                innermost,
                buffers: Buffers::default(),
                collect,
                count: 0,
                answers: Vec::new(),
                elements: 0,
                made: 0,
                peak: 0,
            },
        }
    }

    pub(super) fn into_outcome(self) -> Outcome<Stats> {
        let stack = self.stack;
        Outcome {
            count: stack.count,
            answers: stack.answers,
            stats: Stats {
                configurations: stack.made,
                peak_configurations: stack.peak,
                peak_buffered: stack.buffers.peak(),
            },
        }
    }
}

impl Stack<'_> {
    /// The start edge of a sub-PDT, from every configuration that can take it.
    fn enter(&mut self, node: u32, tag: &StartTag<'_>) -> Result<(), Error> {
        let automaton: &SubPdt = &self.query.automata[node as usize];
        let state = node + 1;
        let mut element = NONE;
        let mut at = self.innermost[automaton.from as usize];
        while at != NONE {
            let from = self.live[at as usize];
            if automaton.axis == Axis::Child && from.depth + 1 != self.depth {
                break;
            }
            if automaton.on_spine || from.missing & automaton.flag != 0 {
                let mut buffer = Buffer::EMPTY;
                if automaton.returned {
                    if element == NONE {
                        let label =
                            if self.collect { self.labels.of(node, tag.name) } else { NONE };
                        element = self.buffers.element(tag.start, label);
                    }
                    buffer = self.buffers.add(element);
                }
                let previous = self.innermost[state as usize];
                self.innermost[state as usize] = self.live.len() as u32;
                self.live.push(Configuration {
                    missing: automaton.branches,
                    state,
                    from: at,
                    previous,
                    depth: self.depth,
                    buffer,
                });
                self.made += 1;
                if self.live.len() > self.query.bounds.live {
                    return Err(self.exploded());
                }
            }
            at = from.previous;
        }
        Ok(())
    }

    /// The end edges of the innermost element's configurations: `check`, then `upload` or nothing.
    fn leave(&mut self) -> Result<(), Error> {
        self.peak = self.peak.max(self.live.len());
        if self.made > self.query.bounds.live as u64
            && self.made / self.query.bounds.per_element > self.elements
        {
            return Err(self.exploded());
        }
        while let Some(&closed) = self.live.last()
            && closed.depth == self.depth
        {
            self.live.pop();
            self.innermost[closed.state as usize] = closed.previous;
            let automaton: &SubPdt = &self.query.automata[closed.state as usize - 1];
            if closed.missing != 0 {
                self.buffers.discard(closed.buffer);
                continue;
            }
            let from = &mut self.live[closed.from as usize];
            from.missing &= !automaton.flag;
            if closed.from != 0 {
                self.buffers.upload(closed.buffer, &mut from.buffer);
                continue;
            }
            // The buffer of the start state is the output.
            self.buffers.drain(closed.buffer, |element| {
                self.count += 1;
                if self.collect {
                    let label = self.labels.name(element.label).into();
                    self.answers.push(Answer(vec![Node { start: element.start, label }]));
                }
            });
        }
        Ok(())
    }

    #[cold]
    fn exploded(&self) -> Error {
        Error::new(
            ErrorKind::Limit,
            format!(
                "{} configurations were made for {} elements, {} of them alive",
                self.made,
                self.elements,
                self.live.len()
            ),
        )
        .with_hint(
            "ExPDT keeps one for every embedding; tags that nest in themselves multiply them",
        )
    }
}

impl TagHandler for Machine<'_> {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        self.dispatch.symbol(name)
    }

    #[inline]
    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        self.stack.depth += 1;
        self.stack.elements += 1;
        for &node in self.dispatch.nodes(tag.symbol) {
            self.stack.enter(node, tag)?;
        }
        Ok(Interest::TAGS)
    }

    #[inline]
    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        let stack = &mut self.stack;
        if stack.live.last().is_some_and(|c| c.depth == stack.depth) {
            stack.leave()?;
        }
        stack.depth -= 1;
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        Ok(())
    }
}
