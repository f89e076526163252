//! The automaton of a builder's pattern with its proceed edges resolved.

use hashbrown::HashMap;

use super::program::{COMPLETE, Finish, Ignore, Move, NOWHERE, Program, Sees, Wait, Window};
use super::{EdgeKind, Formula, State, StateKind};
use crate::error::{Error, ErrorKind};
use crate::event::{Schema, Slot};
use crate::predicate::typecheck::list;

/// Conditions in all formulas together.
const MOST: usize = 400_000;
/// Conditions in one formula.
const LONGEST: usize = 48;

/// A state that proceed edges lead to, and when.
struct Reached {
    state: u32,
    formula: Formula,
    /// How many conditions the formula has.
    size: usize,
}

struct Flattener<'a> {
    states: &'a [State],
    /// What is left of [`MOST`].
    left: usize,
    waits: Vec<Wait>,
    /// The waits of states.
    of: HashMap<u32, u32>,
    /// States whose waits are still empty.
    open: Vec<u32>,
    windowed: bool,
}

/// The slot of an attribute of the partition key.
pub(super) fn key(schema: &Schema, name: &str) -> Result<Slot, Error> {
    schema.slot(name).ok_or_else(|| {
        let known: Vec<&str> = schema.attributes().collect();
        Error::new(ErrorKind::Name, format!("there is no attribute `{name}` to partition by"))
            .with_hint(format!("the schema knows {}", list(&known)))
    })
}

/// How many conditions a formula has.
fn size_of_formula(formula: &Formula) -> usize {
    match formula {
        Formula::True => 0,
        Formula::Holds(_) => 1,
        Formula::Not(inner) => size_of_formula(inner),
        Formula::And(a, b) => size_of_formula(a) + size_of_formula(b),
    }
}

/// Resolves the proceed edges. There are no waits where they form a cycle or the result would be too
/// large.
pub(super) fn flatten(states: &[State], start: u32, window: Option<i64>) -> Program {
    let length = window;
    let window = length.map_or(Window::None, |length| Window::Time { length, inclusive: false });
    let waits = waits(states, start, length.is_some()).unwrap_or_default();
    Program { waits, window, ..Program::default() }
}

fn waits(states: &[State], start: u32, windowed: bool) -> Option<Vec<Wait>> {
    let mut flattener = Flattener {
        states,
        left: MOST,
        waits: Vec::new(),
        of: HashMap::new(),
        open: Vec::new(),
        windowed,
    };
    // The first of all.
    flattener.wait(start);
    while let Some(state) = flattener.open.pop() {
        flattener.fill(state)?;
    }
    Some(flattener.waits)
}

impl Flattener<'_> {
    fn wait(&mut self, state: u32) -> u32 {
        if let Some(&known) = self.of.get(&state) {
            return known;
        }
        let number = self.waits.len() as u32;
        self.of.insert(state, number);
        self.open.push(state);
        let of = &self.states[state as usize];
        self.waits.push(Wait {
            state,
            gap: of.gap,
            // Without a window it waits for ever.
            holds_match: of.kind == StateKind::Pending && (self.windowed || of.gap.is_some()),
            foreign: number,
            ..Wait::default()
        });
        number
    }

    fn spend(&mut self, size: usize) -> Option<()> {
        self.left = self.left.checked_sub(1 + size)?;
        (size <= LONGEST).then_some(())
    }

    /// The state itself and all that proceed edges lead to from it.
    fn reached(&mut self, state: u32) -> Option<Vec<Reached>> {
        let mut all = vec![Reached { state, formula: Formula::True, size: 0 }];
        let mut next = 0;
        while let Some(Reached { state, formula, size }) = all.get(next) {
            let (state, formula, size) = (*state, formula.clone(), *size);
            next += 1;
            for edge in &self.states[state as usize].edges {
                if edge.kind == EdgeKind::Proceed {
                    let size = size + size_of_formula(&edge.formula);
                    // On a cycle this comes to an end.
                    self.spend(size)?;
                    let formula = formula.clone().and(edge.formula.clone());
                    if !formula.is_never() {
                        all.push(Reached { state: edge.target, formula, size });
                    }
                }
            }
        }
        Some(all)
    }

    fn kind(&self, state: u32) -> StateKind {
        self.states[state as usize].kind
    }

    fn fill(&mut self, state: u32) -> Option<()> {
        let number = self.of[&state] as usize;
        let mut wait = std::mem::take(&mut self.waits[number]);
        for Reached { state, formula, size } in self.reached(state)? {
            if self.kind(state) == StateKind::Stop {
                wait.stops.push(formula);
                continue;
            }
            let of = &self.states[state as usize];
            for edge in &of.edges {
                if edge.kind == EdgeKind::Proceed {
                    continue;
                }
                let size = size + size_of_formula(&edge.formula);
                self.spend(size)?;
                let formula = formula.clone().and(edge.formula.clone());
                if formula.is_never() {
                    continue;
                }
                let last = self.kind(edge.target) == StateKind::Final;
                if edge.kind == EdgeKind::Ignore {
                    let target = if last { COMPLETE } else { self.wait(edge.target) };
                    let ignore = Ignore { formula, unless: Box::default(), target };
                    if !wait.ignores.contains(&ignore) {
                        wait.ignores.push(ignore);
                    }
                    continue;
                }
                let (target, finish) = if last {
                    let formula = Formula::True;
                    (NOWHERE, Finish::Emit { formula, sees: Sees::Before })
                } else {
                    (self.wait(edge.target), self.finish(edge.target)?)
                };
                let (kind, stage, resets) = (edge.kind, of.stage, Box::default());
                let next = Move { kind, formula, stage, target, resets, finish };
                if !wait.moves.contains(&next) {
                    wait.moves.push(next);
                }
            }
        }
        self.waits[number] = wait;
        Some(())
    }

    /// Whether proceed edges lead from a state to the end of the pattern, and when.
    fn finish(&mut self, state: u32) -> Option<Finish> {
        let mut none = Formula::True;
        let mut size = 0;
        for reached in self.reached(state)? {
            if self.kind(reached.state) == StateKind::Final {
                if reached.formula == Formula::True {
                    return Some(Finish::Emit { formula: Formula::True, sees: Sees::Before });
                }
                size += reached.size;
                self.spend(size)?;
                none = none.and(reached.formula.negated());
            }
        }
        Some(match none {
            Formula::True => Finish::No,
            none => Finish::Emit { formula: none.negated(), sees: Sees::Before },
        })
    }
}
