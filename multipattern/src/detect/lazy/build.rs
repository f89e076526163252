//! How the plan of a set of patterns is made.

use super::{Chains, Ending, Plan, Recipe};
use crate::detect::blocks::Block;
use crate::detect::catalog::Live;
use crate::detect::conditions::Bitmaps;
use crate::detect::counts::Suffixes;
use crate::detect::latest::{ROOT, Trie};
use crate::detect::links::Nodes;
use crate::detect::windows::Layout;
use crate::pattern::Semantics;

use hashbrown::HashMap;

impl Plan {
    /// For patterns with their places, whose classes are numbered below `classes`. `rename` gives the
    /// number of a class here.
    pub(crate) fn new<'c>(
        lives: impl Iterator<Item = (u32, &'c Live)>,
        classes: usize,
        rename: impl Fn(u32) -> u32,
        semantics: Semantics,
        (decompose, chains, short): (bool, Chains, bool),
    ) -> Self {
        let mut known = HashMap::new();
        let mut plan = Plan {
            semantics,
            sets: semantics == Semantics::Next && chains == Chains::Sets,
            short: semantics == Semantics::Next && chains == Chains::Latest && short,
            long: semantics == Semantics::Any && !short,
            layout: Layout::new(classes),
            trie: Trie::new(classes),
            recipes: Vec::new(),
            endings: vec![Vec::new(); classes],
            runners: vec![Vec::new(); classes],
            blocks: Vec::new(),
            suffixes: Suffixes::new(decompose),
            bitmaps: Bitmaps::default(),
            links: Nodes::default(),
            ready: Vec::new(),
            sums: [[0; 64]; 2],
            merged_runners: Vec::new(),
            scratch: Vec::new(),
            chosen: Vec::new(),
        };
        for (place, live) in lives {
            let own: Vec<u32> = live.classes.iter().map(|&class| rename(class)).collect();
            plan.add(place, live, &own, decompose, &mut known);
        }
        plan
    }

    fn add(
        &mut self,
        place: u32,
        live: &Live,
        own: &[u32],
        decompose: bool,
        known: &mut HashMap<[u32; 2], u32>,
    ) {
        let number = self.recipes.len() as u32;
        let last = own.len() - 1;
        let (has_checks, runs) = (live.has_checks(), self.semantics == Semantics::Next);
        // Chains that are kept one by one need no trie, and no lists.
        let alone = has_checks && runs;
        if alone {
            for (position, &class) in own.iter().enumerate().rev() {
                self.runners[class as usize].push((live.number.0, number, position as u32));
            }
        }
        let shared = if alone { &[] } else { &own[..last] };
        let mut steps = Vec::with_capacity(shared.len());
        for (at, &class) in shared.iter().enumerate() {
            let column = shared.get(at + 1).map_or(0, |&next| self.layout.column(class, next));
            steps.push((class, column));
        }
        let mut leaders = Vec::new();
        if self.long && !has_checks {
            leaders.push(0);
            let pairs = shared.windows(2);
            leaders.extend(pairs.map(|pair| self.layout.column_before(pair[1], pair[0])));
        }
        let node = self.trie.add(shared);
        let whole = if runs && !alone { self.trie.add_behind(node, own[last]) } else { ROOT };
        let mut pair = None;
        let mut bitmaps = Vec::new();
        if let (true, false, false, [.., first, second]) = (decompose, has_checks, runs, &steps[..])
        {
            pair = Some(*known.entry([first.0, second.0]).or_insert_with(|| {
                self.blocks.push(Block::new(*first, second.0));
                self.blocks.len() as u32 - 1
            }));
            pair.iter().for_each(|&pair| self.blocks[pair as usize].add_user());
        }
        if decompose && has_checks && !runs {
            for check in live.checks_at(last) {
                let bitmap = self.bitmaps.add(own[check.earlier], check.test);
                bitmaps.push((check.earlier, bitmap));
            }
        }
        let links = if has_checks && !runs { self.links.add(live, own) } else { Vec::new() };
        let suffix = if has_checks || runs { None } else { self.suffixes.add(&steps) };
        self.endings[own[last] as usize].push(Ending {
            recipe: number,
            node,
            span: live.span,
            whole,
            always: alone,
        });
        self.recipes.push(Recipe {
            place,
            number: live.number,
            length: own.len(),
            steps,
            leaders,
            node,
            whole,
            pair,
            suffix,
            has_checks,
            span: live.span,
            since: live.since,
            bitmaps,
            links,
        });
    }
}
