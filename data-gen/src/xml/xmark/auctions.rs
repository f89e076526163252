//! The sections `open_auctions` and `closed_auctions`.

use super::{Site, items, prose};
use crate::seed::Rng;
use crate::xml::writer::XmlWriter;
use std::io;

/// Deals the items out between open and closed auctions: every item goes to exactly one side, at
/// random, in increasing order. Both sections replay the same stream, so nothing is remembered
/// (Knuth's selection sampling).
struct Deal {
    rng: Rng,
    next: u64,
    items: u64,
    /// Items still to go to open auctions.
    open: u64,
}

impl Deal {
    fn new(site: &Site<'_, '_>) -> Self {
        Self {
            rng: site.stream("xmark item references"),
            next: 0,
            items: site.counts.items,
            open: site.counts.open_auctions,
        }
    }

    /// The next item of the open (or the closed) auctions.
    fn take(&mut self, open: bool) -> u64 {
        loop {
            let item = self.next;
            debug_assert!(item < self.items, "more auctions than items");
            self.next += 1;
            let to_open = self.rng.below(self.items - item) < self.open;
            self.open -= u64::from(to_open);
            if to_open == open {
                return item;
            }
        }
    }
}

pub(super) fn open_auctions(site: &mut Site<'_, '_>) -> io::Result<()> {
    let mut rng = site.stream("xmark open auctions");
    let mut deal = Deal::new(site);
    site.out.open(b"<open_auctions>\n", 0);
    for id in 0..site.counts.open_auctions {
        open_auction(site, &mut rng, id, deal.take(true));
        site.out.check()?;
    }
    site.out.close(b"</open_auctions>\n");
    Ok(())
}

fn open_auction(site: &mut Site<'_, '_>, rng: &mut Rng, id: u64, item: u64) {
    let people = site.counts.people;
    let Site { tables, out, .. } = site;
    out.open(b"<open_auction id=\"open_auction", 1);
    out.number(id);
    out.raw(b"\">\n");
    // Amounts of money are in hundredths.
    let initial = (rng.exponential(100.0) * 100.0) as u64;
    amount(out, b"<initial>", initial, b"</initial>\n");
    if rng.coin() {
        let reserve = (initial as f64 * (1.2 + rng.exponential(2.5))) as u64;
        amount(out, b"<reserve>", reserve, b"</reserve>\n");
    }
    let mut current = initial;
    for _ in 0..tables.bidders.sample(rng) {
        out.open(b"<bidder>\n", 0);
        items::date(out, rng, b"<date>", b"</date>\n");
        out.open(b"<time>", 0);
        out.two_digits(rng.below(24));
        out.byte(b':');
        out.two_digits(rng.below(60));
        out.byte(b':');
        out.two_digits(rng.below(60));
        out.close(b"</time>\n");
        out.reference(b"<personref person=\"person", rng.below(people));
        let increase = 150 * (1 + tables.increase.sample(rng) as u64);
        amount(out, b"<increase>", increase, b"</increase>\n");
        out.close(b"</bidder>\n");
        current += increase;
    }
    amount(out, b"<current>", current, b"</current>\n");
    if rng.coin() {
        out.leaf(b"<privacy>", if rng.coin() { b"Yes" } else { b"No" }, b"</privacy>\n");
    }
    out.reference(b"<itemref item=\"item", item);
    out.reference(b"<seller person=\"person", middle_person(people, rng));
    annotation(site, rng);
    quantity_and_type(site, rng);
    let out = &mut site.out;
    out.open(b"<interval>\n", 0);
    items::date(out, rng, b"<start>", b"</start>\n");
    items::date(out, rng, b"<end>", b"</end>\n");
    out.close(b"</interval>\n");
    out.close(b"</open_auction>\n");
}

pub(super) fn closed_auctions(site: &mut Site<'_, '_>) -> io::Result<()> {
    let mut rng = site.stream("xmark closed auctions");
    let mut deal = Deal::new(site);
    site.out.open(b"<closed_auctions>\n", 0);
    for _ in 0..site.counts.closed_auctions {
        closed_auction(site, &mut rng, deal.take(false));
        site.out.check()?;
    }
    site.out.close(b"</closed_auctions>\n");
    Ok(())
}

fn closed_auction(site: &mut Site<'_, '_>, rng: &mut Rng, item: u64) {
    let people = site.counts.people;
    let out = &mut site.out;
    out.open(b"<closed_auction>\n", 0);
    out.reference(b"<seller person=\"person", middle_person(people, rng));
    out.reference(b"<buyer person=\"person", middle_person(people, rng));
    out.reference(b"<itemref item=\"item", item);
    amount(out, b"<price>", (rng.exponential(100.0) * 100.0) as u64, b"</price>\n");
    items::date(out, rng, b"<date>", b"</date>\n");
    quantity_and_type(site, rng);
    annotation(site, rng);
    site.out.close(b"</closed_auction>\n");
}

fn amount(out: &mut XmlWriter<'_>, open: &[u8], hundredths: u64, close: &[u8]) {
    out.open(open, 0);
    out.hundredths(hundredths);
    out.close(close);
}

/// Sellers and buyers: normally distributed around the middle of the people.
fn middle_person(people: u64, rng: &mut Rng) -> u64 {
    let n = people as f64;
    rng.normal(0.5 * n, 0.1 * n).clamp(0.0, n - 1.0) as u64
}

fn annotation(site: &mut Site<'_, '_>, rng: &mut Rng) {
    let Site { counts, tables, out, .. } = site;
    out.open(b"<annotation>\n", 0);
    out.reference(b"<author person=\"person", rng.below(counts.people));
    prose::description(out, tables, rng);
    out.number_leaf(b"<happiness>", rng.between(1, 10), b"</happiness>\n");
    out.close(b"</annotation>\n");
}

fn quantity_and_type(site: &mut Site<'_, '_>, rng: &mut Rng) {
    let out = &mut site.out;
    let quantity = 1 + site.tables.quantity.sample(rng) as u64;
    out.number_leaf(b"<quantity>", quantity, b"</quantity>\n");
    let kind: &[u8] = if rng.coin() { b"Regular" } else { b"Featured" };
    out.open(b"<type>", 0);
    out.raw(kind);
    if quantity > 1 && rng.coin() {
        out.raw(b", Dutch");
    }
    out.close(b"</type>\n");
}
