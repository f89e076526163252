//! Visits to a shop: logins, views, carts; among them attackers who guess passwords.
//!
//! Visits begin at random times, `rate` a second on average, each by a uniform user, and overlap.
//! Times are milliseconds and never fall; events may share a time.
//!
//! - An honest visit mistypes its password once or twice with probability 1/10, logs in, and views 1
//!   to 12 items; each goes into the cart with probability 3/10. A cart is left alone with
//!   probability `abandon`, else there is a checkout, whose amount is the sum of the items'.
//! - An attack (a visit with probability `attackers`) fails to log in 3 to 10 times within seconds;
//!   with probability `success` it then logs in and goes on as an honest visit does.
//!
//! A visit ends within [`LONGEST_VISIT`]. Memory is that of the visits that overlap, about `rate`
//! times their mean length of two minutes.

use super::{Event, Field, Source, Truth, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;

/// The columns besides type and time.
pub const COLUMNS: [&str; 4] = ["user", "session", "item", "amount"];

/// No visit is longer, in milliseconds.
pub const LONGEST_VISIT: i64 = 15 * 60 * 1000;

/// So many failed logins of one visit, and more, are an attack.
pub const ATTACK_FAILURES: u32 = 3;

/// The lowest rate.
pub const MIN_RATE: f64 = 0.001;

/// The highest rate.
pub const MAX_RATE: f64 = 10_000.0;

/// What to choose about visits. By default: 100,000 events of 1,000 users and 500 items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClickOptions {
    /// Events.
    pub events: u64,
    /// Users, at least 1.
    pub users: u64,
    /// Items in the shop, at least 1.
    pub items: u64,
    /// Visits that begin in a second, on average, from [`MIN_RATE`] to [`MAX_RATE`].
    pub rate: f64,
    /// The share of visits that are attacks.
    pub attackers: f64,
    /// The share of attacks that guess the password.
    pub success: f64,
    /// The share of filled carts that are abandoned.
    pub abandon: f64,
}

impl Default for ClickOptions {
    fn default() -> Self {
        Self {
            events: 100_000,
            users: 1000,
            items: 500,
            rate: 2.0,
            attackers: 0.02,
            success: 0.25,
            abandon: 0.6,
        }
    }
}

impl ClickOptions {
    /// The default with another number of events.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self { events, ..Self::default() }
    }

    /// The events of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Clicks> {
        if !(MIN_RATE..=MAX_RATE).contains(&self.rate) {
            let rate = self.rate;
            return invalid(format!("the rate must be from {MIN_RATE} to {MAX_RATE}: {rate}"));
        }
        for (name, share) in
            [("attackers", self.attackers), ("success", self.success), ("abandon", self.abandon)]
        {
            super::share(name, share)?;
        }
        for (name, amount) in [("users", self.users), ("items", self.items)] {
            if super::amount(amount)? == 0 {
                return invalid(format!("{name} must be at least 1"));
            }
        }
        let mut clicks = Clicks {
            left: super::amount(self.events)?,
            options: self.clone(),
            rng: Rng::new(seed, "clicks"),
            arrivals: Rng::new(seed, "clicks/arrivals"),
            clock: 0.0,
            visits: BinaryHeap::new(),
            facts: Facts::default(),
        };
        clicks.pass_time();
        Ok(clicks)
    }
}

/// What a visitor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A wrong password.
    LoginFailed,
    /// The right password.
    LoginOk,
    /// Looks at an item.
    View,
    /// Puts the item into the cart.
    AddToCart,
    /// Buys the cart's content.
    Checkout,
}

/// The types of events, in the order of [`Action`].
pub const KINDS: [&str; 5] = ["login_failed", "login_ok", "view", "add_to_cart", "checkout"];

/// An event of a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Click {
    /// The type.
    pub action: Action,
    /// Milliseconds from the beginning.
    pub time: i64,
    /// The user, from 1.
    pub user: i64,
    /// The visit, from 1 in the order of beginning.
    pub session: i64,
    /// The item, from 1, when it is viewed or put into the cart.
    pub item: Option<i64>,
    /// The price of an item put into the cart, or the sum of a checkout; whole cents.
    pub amount: Option<f64>,
}

impl Event for Click {
    fn kind(&self) -> &str {
        KINDS[self.action as usize]
    }

    fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(COLUMNS[0], Field::Int(self.user));
        each(COLUMNS[1], Field::Int(self.session));
        each(COLUMNS[2], self.item.map_or(Field::Missing, Field::Int));
        each(COLUMNS[3], self.amount.map_or(Field::Missing, Field::Float));
    }
}

/// What is known to be in the events so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Visits.
    pub sessions: u64,
    /// Visits that are attacks.
    pub attacks: u64,
    /// Visits with [`ATTACK_FAILURES`] or more failed logins and then a login.
    pub breaches: u64,
    /// Visits that put something into the cart.
    pub carts: u64,
    /// Visits that put something into the cart and have no checkout, among them those that the end
    /// of the stream cut short.
    pub abandoned_carts: u64,
}

/// A visit between two events. Visits are ordered by the time of their next event.
#[derive(Clone, Debug)]
struct Visit {
    next: i64,
    session: i64,
    user: i64,
    attack: bool,
    /// Failed logins still to come, and those that were.
    failures: u32,
    failed: u32,
    /// Whether a login follows the failures.
    enters: bool,
    /// Whether that has happened.
    inside: bool,
    views: u32,
    /// The viewed item, when it is about to go into the cart.
    wanted: Option<i64>,
    /// The cart's value in cents; 0 is an empty cart.
    cart: i64,
    pays: bool,
}

impl Visit {
    fn key(&self) -> (i64, i64) {
        (self.next, self.session)
    }
}

impl PartialEq for Visit {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Visit {}

impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Visit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// The events of [`ClickOptions::stream`].
#[derive(Clone, Debug)]
pub struct Clicks {
    options: ClickOptions,
    rng: Rng,
    arrivals: Rng,
    /// When the next visit begins.
    clock: f64,
    left: i64,
    visits: BinaryHeap<Reverse<Visit>>,
    facts: Facts,
}

impl Clicks {
    /// What is known to be in the events so far.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.facts
    }

    fn pass_time(&mut self) {
        self.clock += self.arrivals.exponential(1000.0 / self.options.rate);
    }

    fn visit(&mut self) -> Visit {
        let (options, rng) = (&self.options, &mut self.rng);
        let attack = rng.chance(options.attackers);
        let failures = if attack {
            rng.between(u64::from(ATTACK_FAILURES), 10)
        } else if rng.chance(0.1) {
            rng.between(1, 2)
        } else {
            0
        };
        self.facts.sessions += 1;
        self.facts.attacks += u64::from(attack);
        Visit {
            next: self.clock as i64,
            session: self.facts.sessions as i64,
            user: rng.between(1, options.users) as i64,
            attack,
            failures: failures as u32,
            failed: 0,
            enters: !attack || rng.chance(options.success),
            inside: false,
            views: rng.between(1, 12) as u32,
            wanted: None,
            cart: 0,
            pays: !rng.chance(options.abandon),
        }
    }
}

/// The price of an item in cents, from 1.00 to 99.99: the same for all seeds.
fn price(item: i64) -> i64 {
    100 + ((item as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i64 % 9900
}

/// The visit's next event; afterwards `next` is the time of the one after it, if it has one.
fn act(
    visit: &mut Visit,
    options: &ClickOptions,
    rng: &mut Rng,
    facts: &mut Facts,
) -> (Click, bool) {
    let (mut item, mut cents) = (None, None);
    let mut over = false;
    let mut pause = (1000, 30_000);
    let action = if visit.failures > 0 {
        visit.failures -= 1;
        visit.failed += 1;
        over = visit.failures == 0 && !visit.enters;
        pause = if visit.attack { (50, 500) } else { (2000, 10_000) };
        Action::LoginFailed
    } else if !visit.inside {
        visit.inside = true;
        facts.breaches += u64::from(visit.failed >= ATTACK_FAILURES);
        Action::LoginOk
    } else if let Some(wanted) = visit.wanted.take() {
        let price = price(wanted);
        if visit.cart == 0 {
            facts.carts += 1;
            facts.abandoned_carts += 1;
        }
        visit.cart += price;
        (item, cents) = (Some(wanted), Some(price));
        Action::AddToCart
    } else if visit.views > 0 {
        visit.views -= 1;
        let viewed = rng.between(1, options.items) as i64;
        visit.wanted = rng.chance(0.3).then_some(viewed);
        item = Some(viewed);
        Action::View
    } else {
        facts.abandoned_carts -= 1;
        over = true;
        cents = Some(visit.cart);
        Action::Checkout
    };
    if visit.inside && visit.views == 0 && visit.wanted.is_none() {
        over |= visit.cart == 0 || !visit.pays;
    }
    let click = Click {
        action,
        time: visit.next,
        user: visit.user,
        session: visit.session,
        item,
        amount: cents.map(|cents| cents as f64 / 100.0),
    };
    visit.next += rng.between(pause.0, pause.1) as i64;
    (click, over)
}

impl Iterator for Clicks {
    type Item = Click;

    fn next(&mut self) -> Option<Click> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        // Visits that begin before the next event must take part in the choice of it.
        while self.visits.peek().is_none_or(|Reverse(first)| first.next >= self.clock as i64) {
            let visit = self.visit();
            self.visits.push(Reverse(visit));
            self.pass_time();
        }
        let mut first = self.visits.peek_mut()?;
        let (click, over) = act(&mut first.0, &self.options, &mut self.rng, &mut self.facts);
        if over {
            PeekMut::pop(first);
        }
        Some(click)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        super::hint(self.left)
    }
}

impl Source for Clicks {
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const KINDS: &'static [&'static str] = &KINDS;

    fn kind_index(event: &Click) -> usize {
        event.action as usize
    }

    fn truth(&self) -> Truth {
        let Facts { sessions, attacks, breaches, carts, abandoned_carts } = self.facts;
        Truth::from([
            ("sessions".to_owned(), sessions),
            ("attacks".to_owned(), attacks),
            ("breaches".to_owned(), breaches),
            ("carts".to_owned(), carts),
            ("abandoned_carts".to_owned(), abandoned_carts),
        ])
    }
}
