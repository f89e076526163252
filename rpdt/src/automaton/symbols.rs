//! Classes of element names: two names are in one class when the same name tests of the queries
//! hold for them, so the automaton's table has one column a class, not a column a name.

use hashbrown::HashMap;

use crate::pattern::{NameTest, Namespaces};

/// A name test with its prefix resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ResolvedTest {
    /// Every element.
    Any,
    /// Written exactly so, without prefix.
    Written(Box<str>),
    /// This local name in this namespace.
    Expanded { uri: Box<str>, local: Box<str> },
    /// This local name anywhere.
    Local(Box<str>),
}

impl ResolvedTest {
    /// Resolves a test; prefixes were checked before.
    pub(crate) fn new(test: &NameTest, namespaces: &Namespaces) -> Self {
        match test {
            NameTest::Any => ResolvedTest::Any,
            NameTest::Name(name) => match &namespaces.default {
                Some(uri) => ResolvedTest::Expanded { uri: uri.clone(), local: name.clone() },
                None => ResolvedTest::Written(name.clone()),
            },
            NameTest::Prefixed { prefix, local } => ResolvedTest::Expanded {
                uri: namespaces.uri(prefix).unwrap_or_default().into(),
                local: local.clone(),
            },
            NameTest::AnyNamespace(local) => ResolvedTest::Local(local.clone()),
        }
    }

    /// The name as a query might write it.
    pub(crate) fn shown(&self) -> &str {
        match self {
            ResolvedTest::Any => "*",
            ResolvedTest::Written(name) => name,
            ResolvedTest::Expanded { local, .. } | ResolvedTest::Local(local) => local,
        }
    }

    /// Whether the test needs the namespace of an element, not only its written name.
    pub(crate) fn needs_namespace(&self) -> bool {
        matches!(self, ResolvedTest::Expanded { .. })
    }

    fn holds(&self, name: &[u8], uri: Option<&str>) -> bool {
        match self {
            ResolvedTest::Any => true,
            ResolvedTest::Written(n) => n.as_bytes() == name,
            ResolvedTest::Local(n) => n.as_bytes() == local_name(name),
            // No namespace: written without prefix, and no default namespace in scope.
            ResolvedTest::Expanded { uri: u, local } if u.is_empty() => {
                uri.is_none() && local.as_bytes() == name
            }
            ResolvedTest::Expanded { uri: u, local } => {
                uri == Some(u) && local.as_bytes() == local_name(name)
            }
        }
    }
}

/// The part of a name after its prefix.
pub(crate) fn local_name(name: &[u8]) -> &[u8] {
    memchr::memchr(b':', name).map_or(name, |i| &name[i + 1..])
}

/// The prefix of a name, empty when there is none.
pub(crate) fn prefix(name: &[u8]) -> &[u8] {
    memchr::memchr(b':', name).map_or(&[], |i| &name[..i])
}

/// Numbers the classes as names turn up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// The tests that hold for the members of each class, as a bit set.
    held: Vec<Box<[u64]>>,
    index: HashMap<Box<[u64]>, u32>,
}

impl Classes {
    /// The class of a name; `uri` is its namespace where some test needs it.
    pub(crate) fn class(&mut self, tests: &[ResolvedTest], name: &[u8], uri: Option<&str>) -> u32 {
        let mut held = vec![0u64; tests.len().div_ceil(64)];
        for (i, test) in tests.iter().enumerate() {
            if test.holds(name, uri) {
                held[i / 64] |= 1 << (i % 64);
            }
        }
        if let Some(&class) = self.index.get(&held[..]) {
            return class;
        }
        let class = self.held.len() as u32;
        self.held.push(held.clone().into());
        self.index.insert(held.into(), class);
        class
    }

    /// Whether a test holds for the members of a class.
    pub(crate) fn holds(&self, class: u32, test: u32) -> bool {
        self.held[class as usize][test as usize / 64] >> (test % 64) & 1 == 1
    }
}
