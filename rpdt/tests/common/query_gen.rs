//! Random queries from the grammar, as a model that can be written as text (with random spacing
//! and in any of the equivalent spellings) and put into the builder.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rpdt::Pattern;
use rpdt::pattern::Op;
use rpdt::pattern::builder::{Expr, Query, Step, alt, child, descendant, seq};

/// What queries are made of.
#[derive(Clone, Copy, Debug)]
pub struct Alphabet {
    /// Name tests; repeat a name to have it more often.
    pub names: &'static [&'static str],
    /// Labels; `""` is a mark without label.
    pub labels: &'static [&'static str],
    /// Attributes for value tests.
    pub attributes: &'static [&'static str],
    /// Literals for value tests, as written.
    pub literals: &'static [&'static str],
    /// Whether there are value tests.
    pub value_tests: bool,
    /// Whether there are regular branches.
    pub regular: bool,
    /// How deep branches nest.
    pub depth: u32,
    /// Most steps of the trunk.
    pub trunk: usize,
}

impl Alphabet {
    /// Few plain names: for matching against random documents over the same names.
    pub const SMALL: Alphabet = Alphabet {
        names: &["a", "a", "a", "b", "b", "b", "c", "c", "d", "*"],
        labels: &["", "", "x"],
        attributes: &["x", "y"],
        literals: &["1", "2", "\"1\"", "'x'"],
        value_tests: true,
        regular: true,
        depth: 3,
        trunk: 3,
    };

    /// All that the lexer knows.
    pub const RICH: Alphabet = Alphabet {
        names: &["a", "text", "and", "*", "*", "p:a", "*:b", "_x-1.2", "übung", "日本", "a."],
        labels: &["", "", "x", "text", "l-1.", "ß"],
        attributes: &["x", "xml:lang", "text", "é."],
        literals: &["0", "-1", "6.50", ".5", "7.", "\"it's\"", "'say \"x\"'", "\"\"", "'[a]'"],
        ..Self::SMALL
    };

    /// Random queries.
    pub fn queries(self) -> impl Strategy<Value = QueryModel> {
        let step = self.step().boxed();
        let last = if self.regular {
            prop_oneof![Just(None), self.expression(step.clone()).prop_map(Some)].boxed()
        } else {
            Just(None).boxed()
        };
        (vec((any::<bool>(), step), 1..=self.trunk), last).prop_map(|(mut trunk, last)| {
            if let (Some(expression), Some((_, step))) = (last, trunk.last_mut()) {
                step.branches.push(BranchModel::Regular(expression));
            }
            QueryModel { trunk }
        })
    }

    fn step(self) -> BoxedStrategy<StepModel> {
        self.bare_step()
            .prop_map(|(name, mark, tests)| StepModel { name, mark, tests, branches: vec![] })
            .boxed()
            .prop_recursive(self.depth, 12, 3, move |inner| {
                let node = (any::<bool>(), inner.clone())
                    .prop_map(|(descendant, step)| BranchModel::Node(descendant, step));
                let branch = if self.regular {
                    let regular = self.expression(inner.boxed()).prop_map(BranchModel::Regular);
                    prop_oneof![2 => node, 1 => regular].boxed()
                } else {
                    node.boxed()
                };
                (self.bare_step(), vec(branch, 0..3)).prop_map(|((name, mark, tests), branches)| {
                    StepModel { name, mark, tests, branches }
                })
            })
            .boxed()
    }

    fn bare_step(
        self,
    ) -> impl Strategy<Value = (&'static str, Option<&'static str>, Vec<TestModel>)> {
        let mark = prop_oneof![3 => Just(None), 1 => select(self.labels).prop_map(Some)];
        let most = if self.value_tests { 1 } else { 0 };
        let tests = prop_oneof![3 => Just(vec![]), 1 => vec(self.test(), 0..=most)];
        (select(self.names), mark, tests)
    }

    fn test(self) -> impl Strategy<Value = TestModel> {
        let op = select([Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge].as_slice());
        let operand = prop_oneof![
            2 => select(self.attributes).prop_map(OperandModel::Attribute),
            1 => Just(OperandModel::Text),
            1 => Just(OperandModel::Value),
        ];
        let compared = (operand, op, select(self.literals))
            .prop_map(|(operand, op, literal)| TestModel { operand, right: Some((op, literal)) });
        let present = select(self.attributes)
            .prop_map(|name| TestModel { operand: OperandModel::Attribute(name), right: None });
        prop_oneof![3 => compared, 1 => present]
    }

    fn expression(self, step: BoxedStrategy<StepModel>) -> BoxedStrategy<RegexModel> {
        let bounds = [
            (0, None),
            (1, None),
            (0, Some(1)),
            (1, Some(1)),
            (2, Some(2)),
            (1, Some(3)),
            (0, Some(2)),
            (2, None),
        ];
        step.prop_map(RegexModel::Symbol)
            .prop_recursive(3, 8, 3, move |inner| {
                prop_oneof![
                    3 => vec(inner.clone(), 1..4).prop_map(RegexModel::Concat),
                    1 => vec(inner.clone(), 1..4).prop_map(RegexModel::Alt),
                    2 => (inner, proptest::sample::select(bounds.to_vec()))
                        .prop_map(|(r, (min, max))| RegexModel::Repeat(Box::new(r), min, max)),
                ]
            })
            .boxed()
    }
}

/// A query: the axis (`true`: descendant) and the step, from the root on.
#[derive(Clone, Debug)]
pub struct QueryModel {
    pub trunk: Vec<(bool, StepModel)>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct StepModel {
    pub name: &'static str,
    pub mark: Option<&'static str>,
    pub tests: Vec<TestModel>,
    pub branches: Vec<BranchModel>,
}

/// A branch; `true`: on the descendant axis.
#[derive(Clone, Debug)]
pub enum BranchModel {
    Node(bool, StepModel),
    Regular(RegexModel),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum RegexModel {
    Symbol(StepModel),
    Concat(Vec<RegexModel>),
    Alt(Vec<RegexModel>),
    Repeat(Box<RegexModel>, u32, Option<u32>),
}

/// A value test.
#[derive(Clone, Copy, Debug)]
pub struct TestModel {
    pub operand: OperandModel,
    pub right: Option<(Op, &'static str)>,
}

/// The left side of a value test.
#[derive(Clone, Copy, Debug)]
pub enum OperandModel {
    Attribute(&'static str),
    Text,
    Value,
}

impl QueryModel {
    /// One of the texts of the query; `style` chooses spacing and spelling.
    pub fn text(&self, style: u64) -> String {
        let mut writer = Writer { out: String::new(), state: style | 1 };
        let last = self.trunk.len() - 1;
        for (i, (descendant, step)) in self.trunk.iter().enumerate() {
            writer.token(if *descendant { "//" } else { "/" });
            let tail = match step.branches.split_last() {
                Some((BranchModel::Regular(r), _)) if i == last && writer.coin() => Some(r),
                _ => None,
            };
            writer.step(step, step.branches.len() - usize::from(tail.is_some()));
            if let Some(regex) = tail {
                writer.token("/");
                writer.braces(regex);
            }
        }
        writer.out
    }

    /// The query without detour through text.
    pub fn build(&self) -> Result<Pattern, rpdt::Error> {
        let mut steps = self.trunk.iter();
        let (descendant, first) = steps.next().expect("a query has a step");
        let start =
            if *descendant { Query::descendant(first.name) } else { Query::root(first.name) };
        let mut query = first.branches.iter().fold(start, |q, b| match b {
            BranchModel::Node(axis, step) => q.branch(step.build(*axis)),
            BranchModel::Regular(regex) => q.regular(regex.build()),
        });
        for test in &first.tests {
            query = match (test.operand, test.right) {
                (OperandModel::Attribute(a), None) => query.has_attr(a),
                (OperandModel::Attribute(a), Some((op, l))) => query.attr(a, op, literal(l)),
                (OperandModel::Text, right) => {
                    let (op, l) = right.expect("compared");
                    query.text(op, literal(l))
                }
                (OperandModel::Value, right) => {
                    let (op, l) = right.expect("compared");
                    query.value(op, literal(l))
                }
            };
        }
        query = match first.mark {
            None => query,
            Some("") => query.returned(),
            Some(label) => query.labelled(label),
        };
        steps.fold(query, |q, (axis, step)| q.then(step.build(*axis))).build()
    }
}

impl StepModel {
    fn build(&self, on_descendant: bool) -> Step {
        let mut step = if on_descendant { descendant(self.name) } else { child(self.name) };
        for test in &self.tests {
            step = match (test.operand, test.right) {
                (OperandModel::Attribute(a), None) => step.has_attr(a),
                (OperandModel::Attribute(a), Some((op, l))) => step.attr(a, op, literal(l)),
                (OperandModel::Text, Some((op, l))) => step.text(op, literal(l)),
                (OperandModel::Value, Some((op, l))) => step.value(op, literal(l)),
                (_, None) => unreachable!("text is always compared"),
            };
        }
        step = match self.mark {
            None => step,
            Some("") => step.returned(),
            Some(label) => step.labelled(label),
        };
        self.branches.iter().fold(step, |s, b| match b {
            BranchModel::Node(axis, inner) => s.branch(inner.build(*axis)),
            BranchModel::Regular(regex) => s.regular(regex.build()),
        })
    }
}

impl RegexModel {
    fn build(&self) -> Expr {
        match self {
            RegexModel::Symbol(step) => step.build(false).into(),
            RegexModel::Concat(parts) => seq(parts.iter().map(RegexModel::build)),
            RegexModel::Alt(parts) => alt(parts.iter().map(RegexModel::build)),
            RegexModel::Repeat(inner, 0, None) => inner.build().star(),
            RegexModel::Repeat(inner, 1, None) => inner.build().plus(),
            RegexModel::Repeat(inner, 0, Some(1)) => inner.build().optional(),
            RegexModel::Repeat(inner, min, max) => inner.build().repeat(*min, *max),
        }
    }
}

fn literal(written: &str) -> rpdt::pattern::Literal {
    match written.chars().next() {
        Some('"' | '\'') => written[1..written.len() - 1].into(),
        _ => written.parse::<f64>().expect("a number").into(),
    }
}

struct Writer {
    out: String,
    state: u64,
}

impl Writer {
    fn coin(&mut self) -> bool {
        // xorshift
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state & 64 != 0
    }

    fn space(&mut self) {
        if self.coin() && self.coin() {
            let white = if self.coin() { " " } else { "\n\t " };
            self.out.push_str(white);
        }
    }

    fn token(&mut self, token: &str) {
        self.space();
        self.out.push_str(token);
        self.space();
    }

    fn mark(&mut self, step: &StepModel) {
        if let Some(label) = step.mark {
            self.out.push('!');
            self.out.push_str(label);
            self.space();
        }
    }

    /// A step with its first branches; value tests come anywhere between them.
    fn step(&mut self, step: &StepModel, branches: usize) {
        self.out.push_str(step.name);
        self.space();
        let mark_first = self.coin();
        if mark_first {
            self.mark(step);
        }
        let mut tests = step.tests.iter();
        for branch in &step.branches[..branches] {
            if self.coin()
                && let Some(test) = tests.next()
            {
                self.test(test);
            }
            self.token("[");
            match branch {
                BranchModel::Node(axis, inner) => self.chain(*axis, inner),
                BranchModel::Regular(regex) => self.braces(regex),
            }
            self.token("]");
        }
        tests.for_each(|test| self.test(test));
        if !mark_first {
            self.mark(step);
        }
    }

    fn chain(&mut self, on_descendant: bool, step: &StepModel) {
        if on_descendant {
            self.token(".");
            self.token("//");
        }
        match step.branches.split_last() {
            Some((last, rest)) if self.coin() => {
                self.step(step, rest.len());
                match last {
                    BranchModel::Node(axis, inner) => {
                        self.token(if *axis { "//" } else { "/" });
                        // Goes on without the leading `.//` of a bracket.
                        self.step(inner, inner.branches.len());
                    }
                    BranchModel::Regular(regex) => {
                        self.token("/");
                        self.braces(regex);
                    }
                }
            }
            _ => self.step(step, step.branches.len()),
        }
    }

    fn test(&mut self, test: &TestModel) {
        self.token("[");
        match test.operand {
            OperandModel::Attribute(name) => {
                self.token("@");
                self.out.push_str(name);
            }
            OperandModel::Text => {
                for token in ["text", "(", ")"] {
                    self.token(token);
                }
            }
            OperandModel::Value => self.token("."),
        }
        if let Some((op, literal)) = test.right {
            self.token(op.sign());
            self.token(literal);
        }
        self.token("]");
    }

    fn braces(&mut self, regex: &RegexModel) {
        self.token("{");
        self.regex(regex, 0);
        self.token("}");
    }

    /// `level`: 0 where an alternation may stand, 1 for a concatenation, 2 for a repeated part.
    fn regex(&mut self, regex: &RegexModel, level: u32) {
        let own = match regex {
            RegexModel::Alt(_) => 0,
            RegexModel::Concat(_) => 1,
            _ => 2,
        };
        let group = own < level || self.coin() && self.coin() && self.coin();
        if group {
            self.token("(");
        }
        match regex {
            RegexModel::Symbol(step) => self.step(step, step.branches.len()),
            RegexModel::Alt(parts) => self.list(parts, 1),
            RegexModel::Concat(parts) => self.list(parts, 2),
            RegexModel::Repeat(inner, min, max) => {
                self.regex(inner, 2);
                self.quantifier(*min, *max);
            }
        }
        if group {
            self.token(")");
        }
    }

    fn list(&mut self, parts: &[RegexModel], level: u32) {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                match level {
                    1 => self.token("|"),
                    _ if self.coin() => self.token(","),
                    _ => self.out.push_str(" : "),
                }
            }
            self.regex(part, level);
        }
    }

    fn quantifier(&mut self, min: u32, max: Option<u32>) {
        match (min, max) {
            (0, None) => self.token("*"),
            (1, None) => self.token("+"),
            (0, Some(1)) => self.token("?"),
            (m, None) => self.bounds(&[&m.to_string(), ","]),
            (m, Some(n)) if m == n && self.coin() => self.bounds(&[&m.to_string()]),
            (m, Some(n)) => self.bounds(&[&m.to_string(), ",", &n.to_string()]),
        }
    }

    fn bounds(&mut self, tokens: &[&str]) {
        self.token("{");
        tokens.iter().for_each(|token| self.token(token));
        self.token("}");
    }
}
