//! The section `people`, and people's names and addresses elsewhere.

use super::schema::{EDUCATION, PROVINCES, Tables};
use super::{Site, items};
use crate::seed::Rng;
use crate::xml::writer::XmlWriter;
use std::io;

pub(super) fn people(site: &mut Site<'_, '_>) -> io::Result<()> {
    let mut rng = site.stream("xmark people");
    site.out.open(b"<people>\n", 0);
    for id in 0..site.counts.people {
        person(site, &mut rng, id);
        site.out.check()?;
    }
    site.out.close(b"</people>\n");
    Ok(())
}

fn person(site: &mut Site<'_, '_>, rng: &mut Rng, id: u64) {
    let Site { counts, tables, out, .. } = site;
    out.open(b"<person id=\"person", 1);
    out.number(id);
    out.raw(b"\">\n");
    let first = tables.names.first(rng);
    let last = tables.names.last(rng);
    let domain = rng.pick(&tables.domains);
    out.open(b"<name>", 0);
    out.raw(first);
    out.byte(b' ');
    out.raw(last);
    out.close(b"</name>\n");
    out.open(b"<emailaddress>", 0);
    mail_address(out, last, domain);
    out.close(b"</emailaddress>\n");
    if rng.coin() {
        out.open(b"<phone>+", 0);
        out.number(rng.below(40));
        out.raw(b" (");
        out.number(rng.between(10, 600));
        out.raw(b") ");
        out.number(rng.between(123_457, 98_797_000));
        out.close(b"</phone>\n");
    }
    if rng.coin() {
        address(out, tables, rng);
    }
    if rng.coin() {
        out.open(b"<homepage>http://www.", 0);
        out.raw(domain);
        out.raw(b"/~");
        out.raw(last);
        out.close(b"</homepage>\n");
    }
    if rng.coin() {
        out.open(b"<creditcard>", 0);
        for group in 0..4 {
            if group > 0 {
                out.byte(b' ');
            }
            out.number(rng.between(1000, 9999));
        }
        out.close(b"</creditcard>\n");
    }
    if rng.coin() {
        profile(out, tables, rng, counts.categories);
    }
    if rng.coin() {
        out.open(b"<watches>\n", 0);
        for _ in 0..tables.watches.sample(rng) {
            out.reference(b"<watch open_auction=\"open_auction", rng.below(counts.open_auctions));
        }
        out.close(b"</watches>\n");
    }
    out.close(b"</person>\n");
}

fn address(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng) {
    out.open(b"<address>\n", 0);
    out.open(b"<street>", 0);
    out.number(rng.between(1, 99));
    out.byte(b' ');
    out.raw(tables.names.last(rng));
    out.raw(b" St");
    out.close(b"</street>\n");
    out.leaf(b"<city>", rng.pick_bytes(&tables.cities), b"</city>\n");
    out.leaf(b"<country>", items::country(rng), b"</country>\n");
    if rng.coin() {
        out.leaf(b"<province>", rng.pick_bytes(&PROVINCES), b"</province>\n");
    }
    out.number_leaf(b"<zipcode>", rng.between(4, 39), b"</zipcode>\n");
    out.close(b"</address>\n");
}

fn profile(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng, categories: u64) {
    out.open(b"<profile income=\"", 1);
    let income = rng.normal(40_000.0, 30_000.0).max(9876.0);
    out.hundredths((income * 100.0) as u64);
    out.raw(b"\">\n");
    for _ in 0..tables.interests.sample(rng) {
        out.reference(b"<interest category=\"category", rng.below(categories));
    }
    if rng.coin() {
        out.leaf(b"<education>", rng.pick_bytes(&EDUCATION), b"</education>\n");
    }
    if rng.coin() {
        out.leaf(b"<gender>", if rng.coin() { b"male" } else { b"female" }, b"</gender>\n");
    }
    out.leaf(b"<business>", if rng.coin() { b"Yes" } else { b"No" }, b"</business>\n");
    if rng.coin() {
        let age = rng.normal(30.0, 15.0).max(18.0);
        out.number_leaf(b"<age>", age as u64, b"</age>\n");
    }
    out.close(b"</profile>\n");
}

/// `from` or `to` of a mail: a name and an address.
pub(super) fn correspondent(
    out: &mut XmlWriter<'_>,
    tables: &Tables,
    rng: &mut Rng,
    open: &[u8],
    close: &[u8],
) {
    let last = tables.names.last(rng);
    out.open(open, 0);
    out.raw(tables.names.first(rng));
    out.byte(b' ');
    out.raw(last);
    out.byte(b' ');
    mail_address(out, last, rng.pick_bytes(&tables.domains));
    out.close(close);
}

fn mail_address(out: &mut XmlWriter<'_>, last: &[u8], domain: &[u8]) {
    out.raw(b"mailto:");
    out.raw(last);
    out.byte(b'@');
    out.raw(domain);
}
