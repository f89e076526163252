//! The conditions of a pattern, numbered: equal ones are one.

use super::compile::Compiler;
use super::{Condition, Formula};
use crate::error::Error;
use crate::event::Schema;
use crate::pattern::{Body, Element};
use crate::predicate::Expr;
use crate::predicate::register::RegisterSpec;
use crate::predicate::typecheck::Compiler as Conditions;

impl<'p> Compiler<'p> {
    pub(super) fn compile_conditions(
        &mut self,
        schema: &Schema,
    ) -> Result<Vec<RegisterSpec>, Error> {
        let stages = self.stages.clone();
        let mut compiler = Conditions::new(schema, &stages, false);
        self.conditions_of(&self.pattern.elements, &mut compiler)?;
        Ok(compiler.registers)
    }

    fn conditions_of(
        &mut self,
        elements: &'p [Element],
        compiler: &mut Conditions<'_>,
    ) -> Result<(), Error> {
        for element in elements {
            let own = match &element.body {
                Body::Stage { condition, .. } => condition.as_ref(),
                Body::Group(inner) => {
                    self.conditions_of(inner, compiler)?;
                    None
                }
            };
            for e in own.into_iter().chain(&element.quantifier.until) {
                for e in parts(e) {
                    let test = compiler.test(e).map_err(|error| match element.name() {
                        Some(name) => error.in_stage(name),
                        None => error,
                    })?;
                    // Equal conditions are evaluated once.
                    let number = self.conditions.iter().position(|c| c.expr == *e);
                    let number = number.unwrap_or_else(|| {
                        let unary = !test.reads_registers();
                        self.conditions.push(Condition { expr: e.clone(), test, unary });
                        self.conditions.len() - 1
                    });
                    self.numbers.insert(std::ptr::from_ref(e), number as u32);
                }
            }
        }
        Ok(())
    }

    fn holds(&self, e: Option<&Expr>) -> Formula {
        let parts = e.map(parts).unwrap_or_default();
        let holds = parts.into_iter().map(|e| Formula::Holds(self.numbers[&std::ptr::from_ref(e)]));
        holds.fold(Formula::True, Formula::and)
    }

    pub(super) fn condition(&self, element: &Element) -> Formula {
        match &element.body {
            Body::Stage { condition, .. } => self.holds(condition.as_ref()),
            Body::Group(_) => Formula::True,
        }
    }

    pub(super) fn until(&self, element: &Element) -> Option<Formula> {
        element.quantifier.until.as_ref().map(|e| self.holds(Some(e)))
    }
}

/// The conditions that a conjunction consists of: what is asked of the type of an event, of its
/// attributes and of the events before is evaluated apart, and once where several stages ask it.
fn parts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(all) if !all.is_empty() => all.iter().flat_map(parts).collect(),
        other => vec![other],
    }
}
