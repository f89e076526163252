//! From a query to the automaton, for the `sase` semantics.
//!
//! What a query means is stated in the design notes, S1 to S16. In short: each place of the pattern
//! where an event can be taken is a *position* (`walk` finds those that may follow each other). A
//! run waits for a set of options (`waits`); what ignoring an event removes of them, `ignore` works
//! out. Each condition is tested on the edge where [`place`](crate::language::place) puts it, and
//! `conditions` makes it relative to that edge. Negations in the middle and at the end close
//! options; those at the beginning, and those that look ahead, are `filters`. `view` draws the
//! states as the paper does.

mod conditions;
mod convert;
mod filters;
mod ignore;
mod tree;
mod view;
mod waits;
mod walk;

#[cfg(test)]
mod tests;

use self::conditions::Conditions;
use self::convert::{Role, Sight};
use self::tree::Tree;
use self::waits::Builder;
use super::program::{Program, Window};
use super::{Automaton, CompileOptions, Evaluation, KleeneOutput, Skip, TimeUnit};
use crate::error::{Error, ErrorKind};
use crate::event::{Schema, Slot};
use crate::language::{self, Query, Strategy};
use crate::predicate::Expr;
use crate::predicate::typecheck::list;

pub(super) fn compile(
    query: &Query,
    schema: &Schema,
    options: CompileOptions,
) -> Result<Automaton, Error> {
    query.check()?;
    let tree = Tree::new(query);
    check_names(&tree, schema)?;
    filters::check_absent(&tree, 0, (true, true))?;
    let key: Vec<Slot> = query.partition().filter_map(|name| schema.slot(&name.text)).collect();
    let output = options.kleene_output.unwrap_or(match query.strategy() {
        Strategy::SkipTillAnyMatch => KleeneOutput::Each,
        _ => KleeneOutput::Maximal,
    });
    let mut conditions = Conditions::new(&tree, schema);
    let mut builder = Builder::new(&mut conditions, query.strategy(), output, !key.is_empty());
    builder.build()?;
    let filters = filters::filters(&mut builder)?;
    let view = view::draw(&mut builder)?;
    resets(&mut builder);
    let waits = std::mem::take(&mut builder.waits);
    let Conditions { all, compiler, .. } = conditions;
    let registers = compiler.registers;
    let mut stage_registers = vec![Vec::new(); tree.stages.len()];
    for (i, register) in registers.iter().enumerate() {
        stage_registers[register.stage as usize].push(i as u32);
    }
    let attribute = |slot: Slot| schema.attributes().nth(slot.0 as usize).map(str::to_owned);
    let register_attributes = registers.iter().map(|r| r.slot.and_then(attribute)).collect();
    let mut automaton = Automaton {
        text: query.to_string(),
        pattern: None,
        program: Program {
            waits,
            start: 0,
            window: window(query, options.time_unit),
            key,
            filters,
            matched_is_no_timeout: true,
        },
        evaluation: Evaluation::Runs,
        evaluation_reason: String::new(),
        states: view.states,
        start: view.start,
        conditions: all,
        registers,
        register_attributes,
        cyclic: false,
        stage_registers,
        skip: skip(query, &tree),
        stages: tree.stages,
        within: None,
        notes: view.notes,
    };
    let (evaluation, reason) = crate::evaluate::choose(&automaton, options.evaluation)?;
    (automaton.evaluation, automaton.evaluation_reason) = (evaluation, reason);
    Ok(automaton)
}

/// The variables of a query, seen from outside of its pattern.
pub(crate) struct Outside<'q>(Tree<'q>);

impl<'q> Outside<'q> {
    pub(crate) fn new(query: &'q Query) -> Self {
        Outside(Tree::new(query))
    }

    /// The variables that a match has events of.
    pub(crate) fn stages(&self) -> &[String] {
        &self.0.stages
    }

    /// The place of a variable among them.
    pub(crate) fn stage(&self, name: &language::Name) -> u32 {
        self.0.variable(self.0.numbers[&*name.text]).stage
    }

    /// An expression over a complete match.
    pub(crate) fn expr(&self, expr: &language::Expr) -> Expr {
        Sight { tree: &self.0, variable: 0, role: Role::Outside, fresh: None }.expr(expr)
    }
}

/// Every type and every attribute is one of the schema, also where no condition comes to read it.
pub(crate) fn check_attributes(query: &Query, schema: &Schema) -> Result<(), Error> {
    let unknown = |name: &language::Name| {
        let known: Vec<&str> = schema.attributes().collect();
        Error::new(ErrorKind::Name, format!("there is no attribute `{}`", name.text))
            .with_span(name.span.range())
            .with_hint(format!("the schema knows {}", list(&known)))
    };
    let known = |name: &language::Name| schema.slot(&name.text).is_some();
    if let Some(name) = query.partition().find(|name| !known(name)) {
        return Err(unknown(name));
    }
    let mut names = Vec::new();
    for predicate in &query.predicates {
        if let language::Predicate::Condition(expr) = predicate {
            language::attributes(expr, &mut names);
        }
    }
    for item in &query.returns {
        if let language::ReturnValue::Value(expr) = &item.value {
            language::attributes(expr, &mut names);
        }
    }
    match names.into_iter().find(|name| !known(name)) {
        Some(name) => Err(unknown(name)),
        None => Ok(()),
    }
}

fn check_names(tree: &Tree<'_>, schema: &Schema) -> Result<(), Error> {
    for variable in &tree.variables {
        let name = variable.event_type();
        if schema.type_id(&name.text).is_none() {
            let known: Vec<&str> = schema.types().collect();
            let message = format!("there is no type of events `{}`", name.text);
            return Err(Error::new(ErrorKind::Name, message)
                .with_span(name.span.range())
                .with_hint(format!("the schema knows {}", list(&known))));
        }
    }
    check_attributes(tree.query, schema)
}

/// Which registers each new round of a group empties.
fn resets(builder: &mut Builder<'_, '_>) {
    let (tree, compiler) = (builder.conditions.tree, &builder.conditions.compiler);
    let stages: Vec<&[u32]> = (tree.variables.iter())
        .filter(|variable| !variable.item.negated)
        .map(|variable| variable.rounds.as_slice())
        .collect();
    let of_round = |group: u32, depth: u32| -> Box<[u32]> {
        let registers = compiler.registers.iter().zip(&compiler.depths).enumerate();
        let inside = registers.filter(|(_, (register, at))| {
            let around = stages[register.stage as usize].get(depth as usize - 1);
            **at >= depth && around == Some(&group)
        });
        inside.map(|(number, _)| number as u32).collect()
    };
    let mut waits = std::mem::take(&mut builder.waits);
    for (wait, key) in waits.iter_mut().zip(&builder.keys.all) {
        let mut at = 0;
        for &choice in &key.choices {
            let choice = &builder.choices.all[choice as usize];
            let count = builder.outcome_count(choice.position);
            let moves = &mut wait.moves[at..at + count];
            at += count;
            let Some(depth) = choice.fresh.filter(|&depth| depth > 0) else { continue };
            let frames = &builder.positions.all[choice.position as usize];
            let Some(group) = round_at(tree, frames, depth) else { continue };
            let resets = of_round(group, depth);
            moves.iter_mut().for_each(|m| m.resets.clone_from(&resets));
        }
    }
    builder.waits = waits;
}

/// The repeated group at a depth around a position.
fn round_at(tree: &Tree<'_>, frames: &[conditions::Frame], depth: u32) -> Option<u32> {
    let mut groups = frames.iter().filter(|frame| {
        let node = tree.node(frame.node);
        node.repeats && matches!(node.body, tree::Body::Group { .. })
    });
    groups.nth(depth as usize - 1).map(|frame| frame.node)
}

/// The window in the unit of the events. Times are whole numbers, so rounding down loses nothing;
/// what is longer than they reach is no bound.
fn window(query: &Query, unit: TimeUnit) -> Window {
    let Some(within) = query.within else { return Window::None };
    let milliseconds = match within.window {
        language::Window::Events(count) => return Window::Events(count),
        language::Window::Time { amount, unit } => {
            i128::from(amount) * i128::from(unit.milliseconds())
        }
    };
    let length = match unit {
        TimeUnit::Nanosecond => milliseconds * 1_000_000,
        TimeUnit::Microsecond => milliseconds * 1_000,
        TimeUnit::Millisecond => milliseconds,
        TimeUnit::Second => milliseconds / 1_000,
        TimeUnit::Minute => milliseconds / 60_000,
        TimeUnit::Hour => milliseconds / 3_600_000,
        TimeUnit::Day => milliseconds / 86_400_000,
    };
    match i64::try_from(length) {
        Ok(length) => Window::Time { length, inclusive: true },
        Err(_) => Window::None,
    }
}

fn skip(query: &Query, tree: &Tree<'_>) -> Skip {
    let stage = |name: &language::Name| tree.variable(tree.numbers[&*name.text]).stage;
    match &query.skip {
        None | Some(language::Skip::NoSkip) => Skip::None,
        Some(language::Skip::ToNext) => Skip::ToNext,
        Some(language::Skip::PastLast) => Skip::PastLast,
        Some(language::Skip::ToFirst(name)) => Skip::ToFirst(stage(name), false),
        Some(language::Skip::ToLast(name)) => Skip::ToLast(stage(name), false),
    }
}
