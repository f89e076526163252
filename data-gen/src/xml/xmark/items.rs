//! The sections `regions`, `categories` and `catgraph`.

use super::schema::{OTHER_COUNTRIES, PAYMENT, REGIONS, SHIPPING, Tables, USA};
use super::{Site, people, prose};
use crate::seed::Rng;
use crate::xml::writer::XmlWriter;
use std::io;

/// Items by region; item numbers run on through the regions.
pub(super) fn regions(site: &mut Site<'_, '_>) -> io::Result<()> {
    let mut rng = site.stream("xmark items");
    site.out.open(b"<regions>\n", 0);
    let mut id = 0;
    for (region, count) in REGIONS.iter().zip(site.counts.items_by_region) {
        site.out.open(region.open, 0);
        for _ in 0..count {
            item(site, &mut rng, id);
            site.out.check()?;
            id += 1;
        }
        site.out.close(region.close);
    }
    site.out.close(b"</regions>\n");
    Ok(())
}

fn item(site: &mut Site<'_, '_>, rng: &mut Rng, id: u64) {
    let Site { counts, tables, out, .. } = site;
    let featured = rng.chance(0.1);
    out.open(b"<item id=\"item", 1 + u64::from(featured));
    out.number(id);
    out.raw(if featured { b"\" featured=\"yes\">\n" } else { b"\">\n" });
    out.leaf(b"<location>", country(rng), b"</location>\n");
    let quantity = 1 + tables.quantity.sample(rng) as u64;
    out.number_leaf(b"<quantity>", quantity, b"</quantity>\n");
    title(out, tables, rng);
    phrases(out, rng, b"<payment>", &PAYMENT, b"</payment>\n");
    prose::description(out, tables, rng);
    phrases(out, rng, b"<shipping>", &SHIPPING, b"</shipping>\n");
    for _ in 0..tables.item_categories.sample(rng) {
        out.reference(b"<incategory category=\"category", rng.below(counts.categories));
    }
    out.open(b"<mailbox>\n", 0);
    for _ in 0..tables.mails.sample(rng) {
        out.open(b"<mail>\n", 0);
        people::correspondent(out, tables, rng, b"<from>", b"</from>\n");
        people::correspondent(out, tables, rng, b"<to>", b"</to>\n");
        date(out, rng, b"<date>", b"</date>\n");
        prose::text(out, tables, rng);
        out.close(b"</mail>\n");
    }
    out.close(b"</mailbox>\n");
    out.close(b"</item>\n");
}

/// `name` of an item or a category: one to four words.
fn title(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng) {
    out.open(b"<name>", 0);
    let words = rng.between(1, 4) as usize;
    prose::put_words(out, tables, rng, words);
    out.close(b"</name>\n");
}

/// Each phrase with probability 1/2; there may be none.
fn phrases(out: &mut XmlWriter<'_>, rng: &mut Rng, open: &[u8], from: &[&str; 4], close: &[u8]) {
    out.open(open, 0);
    let chosen = rng.below(16);
    let mut separator: &[u8] = b"";
    for (i, phrase) in from.iter().enumerate() {
        if chosen >> i & 1 == 1 {
            out.raw(separator);
            out.raw(phrase.as_bytes());
            separator = b", ";
        }
    }
    out.close(close);
}

/// The United States with probability 3/4, else one of 232 countries.
pub(super) fn country(rng: &mut Rng) -> &'static [u8] {
    if rng.chance(0.75) { USA.as_bytes() } else { rng.pick_bytes(&OTHER_COUNTRIES) }
}

/// An element with a date of 1998 to 2001, mm/dd/yyyy.
pub(super) fn date(out: &mut XmlWriter<'_>, rng: &mut Rng, open: &[u8], close: &[u8]) {
    out.open(open, 0);
    out.two_digits(rng.between(1, 12));
    out.byte(b'/');
    out.two_digits(rng.between(1, 28));
    out.byte(b'/');
    out.number(rng.between(1998, 2001));
    out.close(close);
}

pub(super) fn categories(site: &mut Site<'_, '_>) -> io::Result<()> {
    let mut rng = site.stream("xmark categories");
    site.out.open(b"<categories>\n", 0);
    for id in 0..site.counts.categories {
        site.out.open(b"<category id=\"category", 1);
        site.out.number(id);
        site.out.raw(b"\">\n");
        title(&mut site.out, site.tables, &mut rng);
        prose::description(&mut site.out, site.tables, &mut rng);
        site.out.close(b"</category>\n");
        site.out.check()?;
    }
    site.out.close(b"</categories>\n");
    Ok(())
}

/// As many edges as categories, between uniform ones.
pub(super) fn category_graph(site: &mut Site<'_, '_>) {
    let mut rng = site.stream("xmark category graph");
    let Site { counts, out, .. } = site;
    out.open(b"<catgraph>\n", 0);
    for _ in 0..counts.categories {
        out.empty(b"<edge from=\"category", 2);
        out.number(rng.below(counts.categories));
        out.raw(b"\" to=\"category");
        out.number(rng.below(counts.categories));
        out.raw(b"\"/>\n");
    }
    out.close(b"</catgraph>\n");
}
