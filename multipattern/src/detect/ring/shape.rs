//! What patterns say, in the order in which the ring reads it.

use crate::detect::catalog::{Catalog, Span};
use crate::detect::latest::{ROOT, Trie};
use crate::detect::nest::LONGEST;
use crate::event::TypeId;
use crate::heap::heap;
use crate::pattern::{PatternId, Semantics};

use hashbrown::HashMap;

/// An event of no class.
pub(super) const NONE: u32 = u32::MAX;

/// What says whether an event completes a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    /// The node of all operands but the last one.
    pub(super) node: u32,
    /// The window in events; where some are longer than 64 or of time, its number among all windows.
    pub(super) window: u32,
    /// Under `next`: the node of the whole pattern.
    pub(super) whole: u32,
}

/// How a pattern is evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    pub(super) number: PatternId,
    /// Where the classes of its operands but the last one begin.
    pub(super) steps: u32,
    /// The pair of the two operands before the last one, if patterns share it.
    pub(super) pair: u32,
    /// The block of these pairs.
    pub(super) block: u32,
    /// Its first event is not before this one.
    pub(super) since: u64,
    pub(super) length: u8,
    /// The window in events, if none is longer than 64 or of time.
    pub(super) window: u8,
    /// These classes at hand, if there are not too many; see [`Shape::is_near`].
    pub(super) near: [u16; LONGEST - 1],
}

/// The node of what is never found.
const NEVER: u32 = 1;
/// The nodes of a class, and the patterns that end with it, are made up to a multiple of this by some that
/// are never found: so most classes have as many as others, and where going through them ends can be
/// foreseen.
const EVEN: usize = 8;

/// Pairs are worth writing down if so many patterns have them.
const LEAST_USERS: u32 = 16;

/// A set of patterns of types alone, of at most 255 operands.
#[derive(Debug, Default)]
pub(super) struct Shape {
    class_of: Vec<u32>,
    pub(super) classes: usize,
    /// By class, its first node, and where the last one's end.
    nodes: Vec<u32>,
    /// By class, how many nodes and patterns are its own.
    own: Vec<[u32; 2]>,
    /// By node. The nodes of a class stand together, those of shorter prefixes first.
    parents: Vec<u32>,
    /// By class, the first of the patterns that end with it, in their order.
    begins: Vec<u32>,
    pub(super) endings: Vec<Ending>,
    pub(super) recipes: Vec<Recipe>,
    steps: Vec<u32>,
    /// Pairs of classes that stand before the last operand of some pattern.
    pub(super) pairs: Vec<[u32; 2]>,
    /// What [`Ending::window`] is, if it is the same for all.
    pub(super) window: Option<u32>,
    /// How many of them are written down.
    pub(super) blocks: usize,
}

impl Shape {
    pub(super) fn new(catalog: &Catalog, semantics: Semantics, decompose: bool) -> Self {
        let is_short = catalog.is_short();
        let classes = catalog.class_count();
        let mut this = Shape { classes, ..Shape::default() };
        let mut trie = Trie::new(classes);
        let mut own = vec![Vec::new(); classes];
        let mut known = HashMap::new();
        let (mut numbers, mut blocks) = (HashMap::new(), HashMap::new());
        for (_, live) in catalog.lives() {
            let window = match catalog.span(live.span) {
                // It can never match.
                Span::Events(window) if window < live.len() as u64 => continue,
                Span::Events(window) if is_short => window as u32,
                _ => live.span,
            };
            let (last, steps) = live.classes.split_last().expect("patterns have operands");
            let pair = match steps {
                [.., first, second] if decompose && semantics == Semantics::Any => {
                    let users: &mut u32 = known.entry([*first, *second]).or_default();
                    *users += 1;
                    Some([*first, *second])
                }
                _ => None,
            };
            let node = trie.add(steps);
            let next = semantics == Semantics::Next;
            let whole = if next { trie.add_behind(node, *last) } else { ROOT };
            own[*last as usize].push((
                Ending { node, window, whole },
                Recipe {
                    number: live.number,
                    steps: 0,
                    length: live.len() as u8,
                    window: if is_short { window as u8 } else { 0 },
                    pair: NONE,
                    block: NONE,
                    since: live.since,
                    near: [0; LONGEST - 1],
                },
                pair,
                steps,
            ));
        }
        let new = this.number(&trie);
        for own in own {
            this.begins.push(this.endings.len() as u32);
            this.own[this.begins.len() - 1][1] = own.len() as u32;
            for (Ending { node, window, whole }, mut recipe, pair, steps) in own {
                recipe.steps = this.steps.len() as u32;
                this.steps.extend_from_slice(steps);
                for (to, &class) in recipe.near.iter_mut().zip(steps) {
                    *to = class as u16;
                }
                let (node, whole) = (new[node as usize], new[whole as usize]);
                this.endings.push(Ending { node, window, whole });
                if let Some(pair) = pair {
                    recipe.pair = *numbers.entry(pair).or_insert_with(|| {
                        this.pairs.push(pair);
                        this.pairs.len() as u32 - 1
                    });
                    if known[&pair] >= LEAST_USERS {
                        recipe.block = *blocks.entry(pair).or_insert_with(|| {
                            this.blocks += 1;
                            this.blocks as u32 - 1
                        });
                    }
                }
                this.recipes.push(recipe);
            }
            let (begin, end) = (this.begins[this.begins.len() - 1] as usize, this.endings.len());
            let even = begin + (end - begin).next_multiple_of(EVEN);
            if let (Some(&ending), Some(&recipe)) = (this.endings.last(), this.recipes.last()) {
                this.endings.resize(even, Ending { node: NEVER, whole: NEVER, ..ending });
                this.recipes.resize(even, Recipe { length: 1, ..recipe });
            }
        }
        this.begins.push(this.endings.len() as u32);
        let first = this.endings.first().map(|ending| ending.window);
        this.window = first.filter(|&own| this.endings.iter().all(|ending| ending.window == own));
        for class in 0..classes as u32 {
            if !catalog.is_used(class) {
                continue;
            }
            let TypeId(event_type) = catalog.class(class).event_type;
            if this.class_of.len() <= event_type as usize {
                this.class_of.resize(event_type as usize + 1, NONE);
            }
            this.class_of[event_type as usize] = class;
        }
        this
    }

    /// Numbers the nodes of a trie by their classes; gives the new numbers.
    fn number(&mut self, trie: &Trie) -> Vec<u32> {
        let mut new = vec![ROOT; trie.nodes()];
        let mut class_of = vec![NONE; trie.nodes()];
        self.parents.extend([ROOT, NEVER]);
        for class in 0..self.classes as u32 {
            let first = self.parents.len();
            self.nodes.push(first as u32);
            let mut own = 0_usize;
            for node in trie.nodes_of(class) {
                class_of[node as usize] = class;
                own += 1;
            }
            self.own.push([own as u32, 0]);
            self.parents.resize(first + own.next_multiple_of(EVEN), NEVER);
        }
        self.nodes.push(self.parents.len() as u32);
        // Level by level, so that those with one parent stand together in every class. Each level is in
        // the order of the new numbers, which is that of the classes.
        let mut next: Vec<u32> = self.nodes.clone();
        let (mut level, mut by_class) = (vec![ROOT], vec![Vec::new(); self.classes]);
        while !level.is_empty() {
            for parent in level.drain(..) {
                for &node in trie.children_of(parent) {
                    let class = class_of[node as usize] as usize;
                    let place = next[class];
                    next[class] += 1;
                    new[node as usize] = place;
                    self.parents[place as usize] = new[parent as usize];
                    by_class[class].push(node);
                }
            }
            by_class.iter_mut().for_each(|own| level.append(own));
        }
        new
    }

    /// The class of a type, or [`NONE`].
    #[inline]
    pub(super) fn class(&self, event_type: TypeId) -> u32 {
        self.class_of.get(event_type.0 as usize).copied().unwrap_or(NONE)
    }

    /// The first node of a class, and the parents of its nodes and of those that make them even.
    #[inline]
    pub(super) fn moves(&self, class: u32) -> (usize, &[u32]) {
        let class = class as usize;
        let (begin, end) = (self.nodes[class] as usize, self.nodes[class + 1] as usize);
        (begin, &self.parents[begin..end])
    }

    /// The first of the patterns that end with a class, and how they and those that make them even do.
    #[inline]
    pub(super) fn endings(&self, class: u32) -> (u32, &[Ending]) {
        let class = class as usize;
        let (begin, end) = (self.begins[class], self.begins[class + 1]);
        (begin, &self.endings[begin as usize..end as usize])
    }

    /// The classes of a pattern's operands but the last one.
    #[inline]
    pub(super) fn steps(&self, recipe: &Recipe) -> &[u32] {
        let begin = recipe.steps as usize;
        &self.steps[begin..begin + recipe.length as usize - 1]
    }

    /// Whether numbers of classes are short enough to be at hand in recipes.
    #[inline]
    pub(super) fn is_near(&self) -> bool {
        self.classes <= usize::from(u16::MAX) + 1
    }

    /// How many nodes and patterns are a class's own.
    #[inline]
    pub(super) fn own(&self, class: u32) -> [u32; 2] {
        self.own[class as usize]
    }

    /// How many nodes have numbers.
    pub(super) fn places(&self) -> usize {
        self.parents.len()
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        1 + self.own.iter().map(|&[nodes, _]| nodes as usize).sum::<usize>()
    }
}

heap! {
    Ending {}
    Recipe {}
    Shape { class_of, nodes, own, parents, begins, endings, recipes, steps, pairs }
}
