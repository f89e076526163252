//! The patterns that are alive, as numbers.

use hashbrown::HashMap;

use crate::error::{Error, ErrorKind};
use crate::event::{Event, Schema, Slot};
use crate::heap::{Heap, heap};
use crate::pattern::symbol::{Class, OwnTest, PairTest, Symbol};
use crate::pattern::{Pattern, PatternId, Relation, TimeUnit, Window};
use crate::value::ValueRef;

/// A class that is no longer one.
pub(crate) const NO_CLASS: u32 = u32::MAX;

impl OwnTest {
    pub(crate) fn holds<E: Event + ?Sized>(&self, event: &E) -> bool {
        match self {
            OwnTest::Constant(slot, relation, constant) => {
                relation.holds(event.attribute(*slot), constant.0.as_ref())
            }
            OwnTest::Slots(left, relation, right) => {
                relation.holds(event.attribute(*left), event.attribute(*right))
            }
        }
    }

    fn slots(&self) -> impl Iterator<Item = Slot> {
        match self {
            OwnTest::Constant(slot, ..) => [Some(*slot), None],
            OwnTest::Slots(left, _, right) => [Some(*left), Some(*right)],
        }
        .into_iter()
        .flatten()
    }
}

impl Relation {
    #[inline]
    pub(crate) fn holds(self, left: ValueRef<'_>, right: ValueRef<'_>) -> bool {
        left.compare(right).is_some_and(|order| self.accepts(order))
    }
}

/// A window in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Span {
    /// So many consecutive events; at least one.
    Events(u64),
    /// Times differ at most by this.
    Time(u64),
}

impl Span {
    fn new(window: Window, unit: TimeUnit) -> Span {
        match window {
            Window::Events(events) => Span::Events(events.max(1)),
            Window::Time(amount, of) => Span::Time(whole(amount, of, unit)),
        }
    }
}

/// The largest whole number of a unit that is not longer than `amount` of another one; times are
/// whole numbers, so nothing is lost by rounding down.
fn whole(amount: u64, of: TimeUnit, unit: TimeUnit) -> u64 {
    let exact = u128::from(amount) * u128::from(of.nanoseconds()) / u128::from(unit.nanoseconds());
    u64::try_from(exact).unwrap_or(u64::MAX)
}

/// A condition on the events of two positions, by the columns of what is remembered of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// The position of the earlier event.
    pub(crate) earlier: usize,
    pub(crate) test: PairTest,
}

/// A pattern that is alive.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) number: PatternId,
    pub(crate) pattern: Pattern,
    /// The class of each position.
    pub(crate) classes: Box<[u32]>,
    /// Conditions with earlier positions, by position; empty if there is none at all.
    pub(crate) checks: Box<[Box<[Check]>]>,
    /// The number of its window in [`Catalog::spans`].
    pub(crate) span: u32,
    /// Its first event is not before this one.
    pub(crate) since: u64,
    slots: Vec<Slot>,
}

impl Live {
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// The conditions of a position.
    pub(crate) fn checks_at(&self, position: usize) -> &[Check] {
        self.checks.get(position).map_or(&[], |checks| checks)
    }
}

/// Things with numbers that are used again, and how many patterns use them.
#[derive(Clone, Debug)]
struct Counted<T> {
    items: Vec<(T, usize)>,
    free: Vec<u32>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Counted { items: Vec::new(), free: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Counted<T> {
    /// The number of a thing, and whether it is new.
    fn add(&mut self, item: T) -> (u32, bool) {
        if let Some(&number) = self.numbers.get(&item) {
            self.items[number as usize].1 += 1;
            return (number, false);
        }
        let number = match self.free.pop() {
            Some(number) => {
                self.items[number as usize] = (item.clone(), 1);
                number
            }
            None => {
                self.items.push((item.clone(), 1));
                self.items.len() as u32 - 1
            }
        };
        self.numbers.insert(item, number);
        (number, true)
    }

    /// Gives back memory that is not needed.
    fn shrink(&mut self) {
        while self.items.last().is_some_and(|(_, users)| *users == 0) {
            self.items.pop();
        }
        let items = self.items.len() as u32;
        self.free.retain(|&number| number < items);
        self.items.shrink_to_fit();
        self.free.shrink_to_fit();
        self.numbers.shrink_to_fit();
    }

    /// Whether nobody uses it any more.
    fn release(&mut self, number: u32) -> bool {
        let (item, users) = &mut self.items[number as usize];
        *users -= 1;
        if *users > 0 {
            return false;
        }
        self.numbers.remove(item);
        self.free.push(number);
        true
    }
}

/// The classes of one type of events.
#[derive(Clone, Debug, Default)]
struct OfType {
    classes: Vec<u32>,
    /// Whether its one class accepts every event of the type.
    plain: bool,
}

/// All patterns that are alive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) schema: Schema,
    unit: TimeUnit,
    window: Window,
    lives: Vec<Option<Live>>,
    free: Vec<u32>,
    slots_of: HashMap<PatternId, u32>,
    ids: HashMap<String, PatternId>,
    classes: Counted<Class>,
    spans: Counted<Span>,
    types: Vec<OfType>,
    /// Attributes that are remembered of events.
    kept: Counted<Slot>,
    next: u32,
    /// Patterns with windows of time.
    timed: usize,
    pub(crate) longest_events: u64,
    pub(crate) longest_time: Option<u64>,
}

impl Catalog {
    /// Without patterns.
    pub(crate) fn new(schema: Schema, unit: TimeUnit, window: Window) -> Self {
        Catalog { schema, unit, window, ..Catalog::default() }
    }

    /// Adds a pattern that begins with the events from an index on; gives its place.
    pub(crate) fn add(&mut self, pattern: Pattern, since: u64) -> Result<u32, Error> {
        if self.ids.contains_key(pattern.id()) {
            let message = format!("two patterns have the id `{}`", pattern.id());
            return Err(Error::new(ErrorKind::Name, message).in_pattern(pattern.id()));
        }
        let number = PatternId(self.next);
        self.next = self.next.checked_add(1).ok_or_else(|| {
            Error::new(ErrorKind::Limit, "more than 4,294,967,295 patterns were added")
        })?;
        let operands = pattern.operands().iter().enumerate();
        let symbols: Vec<_> =
            operands.map(|(at, operand)| Symbol::resolve(operand, at, &mut self.schema)).collect();
        let mut slots = Vec::new();
        for symbol in &symbols {
            slots.extend(symbol.class.own.iter().flat_map(OwnTest::slots));
            slots.extend(symbol.pairs.iter().flat_map(|(_, test)| [test.later, test.earlier]));
        }
        for &slot in &slots {
            self.kept.add(slot);
        }
        let has_checks = symbols.iter().any(|symbol| !symbol.pairs.is_empty());
        let checks = symbols.iter().enumerate().map(|(at, symbol)| {
            let check =
                |&(back, test): &(u32, PairTest)| Check { earlier: at - back as usize, test };
            symbol.pairs.iter().map(check).collect()
        });
        let checks = if has_checks { checks.collect() } else { Box::default() };
        let classes = symbols.into_iter().map(|symbol| self.add_class(symbol.class)).collect();
        let span = Span::new(pattern.window().unwrap_or(self.window), self.unit);
        let (span, _) = self.spans.add(span);
        self.ids.insert(pattern.id().to_owned(), number);
        let live = Live { number, pattern, classes, checks, span, since, slots };
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.lives.push(None);
                self.lives.len() as u32 - 1
            }
        };
        self.lives[place as usize] = Some(live);
        self.slots_of.insert(number, place);
        self.measure();
        Ok(place)
    }

    fn add_class(&mut self, class: Class) -> u32 {
        let (event_type, plain) = (class.event_type.0 as usize, class.own.is_empty());
        let (number, new) = self.classes.add(class);
        if new {
            if self.types.len() <= event_type {
                self.types.resize_with(event_type + 1, OfType::default);
            }
            let of_type = &mut self.types[event_type];
            of_type.classes.push(number);
            of_type.plain = of_type.classes.len() == 1 && plain;
        }
        number
    }

    /// Removes a pattern; gives its place, the pattern and the classes that nobody uses any more.
    pub(crate) fn remove(&mut self, number: PatternId) -> Option<(u32, Live, Vec<u32>)> {
        let place = self.slots_of.remove(&number)?;
        let live = self.lives[place as usize].take()?;
        self.free.push(place);
        if place as usize + 1 == self.lives.len() {
            while let Some(None) = self.lives.last() {
                self.lives.pop();
            }
            let places = self.lives.len() as u32;
            self.free.retain(|&free| free < places);
        }
        self.ids.remove(live.pattern.id());
        let mut gone = Vec::new();
        for &class in &live.classes {
            if self.classes.release(class) {
                let event_type = self.classes.items[class as usize].0.event_type.0 as usize;
                let of_type = &mut self.types[event_type];
                of_type.classes.retain(|&other| other != class);
                of_type.plain = match of_type.classes[..] {
                    [one] => self.classes.items[one as usize].0.own.is_empty(),
                    _ => false,
                };
                gone.push(class);
            }
        }
        self.spans.release(live.span);
        for &slot in &live.slots {
            let number = self.kept.numbers.get(&slot).copied();
            number.map(|number| self.kept.release(number));
        }
        self.measure();
        Some((place, live, gone))
    }

    /// Gives back memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.lives.shrink_to_fit();
        self.free.shrink_to_fit();
        self.slots_of.shrink_to_fit();
        self.ids.shrink_to_fit();
        while self.types.last().is_some_and(|of_type| of_type.classes.is_empty()) {
            self.types.pop();
        }
        self.types.shrink_to_fit();
        for of_type in &mut self.types {
            of_type.classes.shrink_to_fit();
        }
        self.classes.shrink();
        self.spans.shrink();
        self.kept.shrink();
    }

    /// Finds the longest windows.
    fn measure(&mut self) {
        let spans = self.spans.items.iter().filter(|(_, users)| *users > 0);
        (self.longest_events, self.longest_time, self.timed) = (0, None, 0);
        for (span, users) in spans {
            match *span {
                Span::Events(events) => self.longest_events = self.longest_events.max(events),
                Span::Time(time) => {
                    self.longest_time = self.longest_time.max(Some(time));
                    self.timed += users;
                }
            }
        }
    }

    /// Whether no window has more than 64 events.
    pub(crate) fn is_short(&self) -> bool {
        self.longest_time.is_none() && self.longest_events <= 64
    }

    /// Whether types say everything.
    pub(crate) fn is_of_types(&self) -> bool {
        self.kept.numbers.is_empty()
            && self.types.iter().all(|of_type| of_type.plain || of_type.classes.is_empty())
    }

    /// Whether some pattern uses a class.
    pub(crate) fn is_used(&self, class: u32) -> bool {
        self.classes.items[class as usize].1 > 0
    }

    /// Whether some window is one of time.
    pub(crate) fn is_timed(&self) -> bool {
        self.timed > 0
    }

    /// The classes that an event belongs to.
    #[inline]
    pub(crate) fn classify<E: Event + ?Sized>(&self, event: &E, into: &mut Vec<u32>) {
        into.clear();
        let Some(of_type) = self.types.get(event.event_type().0 as usize) else { return };
        if of_type.plain {
            into.push(of_type.classes[0]);
            return;
        }
        for &class in &of_type.classes {
            let own = &self.classes.items[class as usize].0.own;
            if own.iter().all(|test| test.holds(event)) {
                into.push(class);
            }
        }
    }

    pub(crate) fn live(&self, place: u32) -> &Live {
        self.lives[place as usize].as_ref().expect("a pattern that is alive")
    }

    /// All patterns with their places, in the order of their numbers.
    pub(crate) fn lives(&self) -> Vec<(u32, &Live)> {
        let places = self.lives.iter().enumerate();
        let mut lives: Vec<_> =
            places.filter_map(|(place, live)| Some((place as u32, live.as_ref()?))).collect();
        lives.sort_unstable_by_key(|(_, live)| live.number);
        lives
    }

    pub(crate) fn len(&self) -> usize {
        self.slots_of.len()
    }

    pub(crate) fn place(&self, number: PatternId) -> Option<u32> {
        self.slots_of.get(&number).copied()
    }

    pub(crate) fn find(&self, id: &str) -> Option<PatternId> {
        self.ids.get(id).copied()
    }

    /// By class, whether some pattern begins with it.
    pub(crate) fn beginnings(&self) -> Vec<bool> {
        let mut begins = vec![false; self.class_count()];
        for live in self.lives.iter().flatten() {
            begins[live.classes[0] as usize] = true;
        }
        begins
    }

    /// Numbers of places are below this.
    pub(crate) fn places(&self) -> usize {
        self.lives.len()
    }

    /// Numbers of classes are below this.
    pub(crate) fn class_count(&self) -> usize {
        self.classes.items.len()
    }

    pub(crate) fn class(&self, class: u32) -> &Class {
        &self.classes.items[class as usize].0
    }

    pub(crate) fn span(&self, span: u32) -> Span {
        self.spans.items[span as usize].0
    }

    /// All windows, by their numbers; nobody may use some of them.
    pub(crate) fn spans(&self) -> Vec<Span> {
        self.spans.items.iter().map(|(span, _)| *span).collect()
    }

    /// The attributes that some condition uses.
    pub(crate) fn kept(&self) -> Vec<Slot> {
        let used = self.kept.items.iter().filter(|(_, users)| *users > 0);
        let mut kept: Vec<_> = used.map(|(slot, _)| *slot).collect();
        kept.sort_unstable();
        kept
    }

    /// The window of patterns that state none.
    #[cfg(feature = "serde")]
    pub(crate) fn window(&self) -> Window {
        self.window
    }

    /// The unit of times.
    #[cfg(feature = "serde")]
    pub(crate) fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// The number that the next pattern gets.
    #[cfg(feature = "serde")]
    pub(crate) fn next_number(&self) -> u32 {
        self.next
    }

    #[cfg(feature = "serde")]
    pub(crate) fn set_next_number(&mut self, next: u32) {
        self.next = next;
    }
}

heap! {
    Check {}
    Span {}
    Live { pattern, classes, checks, slots }
    OfType { classes }
    Catalog { schema, lives, free, slots_of, ids, classes, spans, types, kept }
}

impl<T: Heap + Eq + std::hash::Hash> Heap for Counted<T> {
    fn heap(&self) -> usize {
        self.items.heap() + self.free.heap() + self.numbers.heap()
    }
}
