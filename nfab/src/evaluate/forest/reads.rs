//! What the runs in a wait remember of their last event.

use crate::evaluate::choose::gather;
use crate::event::Event;
use crate::nfa::Automaton;
use crate::nfa::program::Wait;
use crate::predicate::evaluate::Comparison;
use crate::predicate::register::{Register, RegisterSpec};
use crate::value::{Value, ValueRef};

/// What is remembered.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// An integer, which is all that is read.
    Integer(i64),
    /// The registers; none if nothing is read.
    Registers(Box<[Register]>),
}

/// What is read of the runs in a wait.
#[derive(Debug)]
pub(super) struct Reads {
    /// A condition that compares a register with the event, if there is one.
    pub(super) compares: Option<(u32, Comparison)>,
    /// Nothing else is read.
    only: bool,
    /// Nothing is read.
    nothing: bool,
}

impl Reads {
    /// Of a wait in which some registers are live.
    pub(super) fn new(wait: &Wait, live: &[bool], automaton: &Automaton) -> Reads {
        let mut all = Vec::new();
        wait.moves.iter().for_each(|m| gather(&m.formula, &mut all));
        let compares = all.iter().find_map(|&number| {
            let test = &automaton.conditions[number as usize].test;
            Some((number, test.comparison()?))
        });
        let only = compares.is_some_and(|(_, comparison)| {
            live.iter().enumerate().all(|(at, live)| !live || at == comparison.register)
        });
        Reads { compares, only, nothing: !live.contains(&true) }
    }

    /// What is remembered of an event that is taken for a stage.
    #[inline]
    pub(super) fn enter<E: Event>(
        &self,
        stage: u32,
        event: &E,
        fresh: &[Register],
        automaton: &Automaton,
    ) -> Held {
        if let Some((_, comparison)) = self.compares
            && self.only
        {
            let register = comparison.register;
            let RegisterSpec { slot, stage: of, .. } = automaton.registers[register];
            if let Some(slot) = slot
                && of == stage
                && let ValueRef::Int(integer) = event.attribute(slot)
            {
                return Held::Integer(integer);
            }
        }
        self.enter_all(stage, event, fresh, automaton)
    }

    fn enter_all<E: Event>(
        &self,
        stage: u32,
        event: &E,
        fresh: &[Register],
        automaton: &Automaton,
    ) -> Held {
        if self.nothing {
            return Held::Registers(Box::default());
        }
        let mut registers: Box<[Register]> = fresh.into();
        for &index in &automaton.stage_registers[stage as usize] {
            automaton.registers[index as usize].update(&mut registers[index as usize], event);
        }
        Held::Registers(registers)
    }

    /// What is remembered of a run with some registers.
    #[cfg(feature = "serde")]
    pub(super) fn hold(&self, registers: Vec<Register>) -> Held {
        let integer = self.compares.and_then(|(_, of)| registers[of.register].int());
        match integer {
            _ if self.nothing => Held::Registers(Box::default()),
            Some(integer) if self.only => Held::Integer(integer),
            _ => Held::Registers(registers.into()),
        }
    }

    /// The integer that is compared, if it is one.
    #[inline]
    pub(super) fn integer(&self, held: &Held) -> Option<i64> {
        match held {
            Held::Integer(integer) => Some(*integer),
            Held::Registers(registers) => registers.get(self.compares?.1.register)?.int(),
        }
    }

    /// The registers, as far as they are read.
    pub(super) fn registers(&self, held: &Held, fresh: &[Register]) -> Vec<Register> {
        let mut all = fresh.to_vec();
        match (held, self.compares) {
            (Held::Integer(integer), Some((_, of))) => {
                all[of.register] = Register::Value(Some(Value::Int(*integer)));
            }
            (Held::Registers(registers), _) if !registers.is_empty() => {
                all.clone_from_slice(registers);
            }
            _ => {}
        }
        all
    }
}
