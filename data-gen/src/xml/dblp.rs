//! Bibliographies in the manner of the DBLP records of 2002.
//!
//! Flat records of a few fields under one root, in runs of the same kind; authors and citations
//! come in runs; a few titles contain markup, down to depth 6. The default options give
//! 133.72 MB, 3.33 million elements and 404 thousand attributes. Names and words are invented.

use super::vocabulary::{Names, Words, capitalised, invent};
use super::writer::XmlWriter;
use super::{Facts, invalid};
use crate::seed::{Discrete, Rng};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Records of the default bibliography.
pub const DEFAULT_RECORDS: u64 = 328_858;

pub(super) const BYTES_PER_RECORD: u64 = 407;

/// What to choose about a bibliography.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DblpOptions {
    /// Records, at least one.
    pub records: u64,
    /// Whether letters outside ASCII are written as named entities, in a document that declares
    /// ISO-8859-1 and an external document type; else as themselves in UTF-8, without either.
    pub entities: bool,
}

impl DblpOptions {
    /// The given number of records, with entities.
    #[must_use]
    pub fn new(records: u64) -> Self {
        Self { records, entities: true }
    }

    /// The default number of records times `factor`, at least one.
    #[must_use]
    pub fn scaled(factor: f64) -> Self {
        Self::new(((DEFAULT_RECORDS as f64 * factor) as u64).max(1))
    }
}

impl Default for DblpOptions {
    fn default() -> Self {
        Self::new(DEFAULT_RECORDS)
    }
}

/// Writes a bibliography.
///
/// # Errors
/// `InvalidInput` when there are no records; else what `out` reports.
pub fn generate(options: &DblpOptions, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    if options.records == 0 {
        return Err(invalid("a bibliography has at least one record".to_owned()));
    }
    let tables = Tables::new(options.entities);
    let mut out = XmlWriter::new(out);
    out.raw(if options.entities {
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!DOCTYPE dblp SYSTEM \"dblp.dtd\">\n"
    } else {
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".as_slice()
    });
    out.open(b"<dblp>\n", 0);
    let mut writer = Records { tables: &tables, rng: Rng::new(seed, "dblp"), out: &mut out };
    let mut kind = 0;
    for number in 0..options.records {
        if number > 0 && writer.rng.chance(NEW_RUN) {
            kind = tables.kind.sample(&mut writer.rng);
        }
        writer.record(number, kind);
        writer.out.check()?;
    }
    out.close(b"</dblp>\n");
    out.finish()
}

/// A kind of record and how often its optional fields occur.
struct Kind {
    open: &'static [u8],
    close: &'static [u8],
    weight: f64,
    /// Where its keys and addresses begin.
    area: Area,
    has_authors: bool,
    pages: f64,
    crossref: f64,
    ee: f64,
    cited: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Area {
    Conference,
    Journal,
    Book,
}

const KINDS: [Kind; 8] = [
    Kind {
        open: b"<article",
        close: b"</article>\n",
        weight: 112.0,
        area: Area::Journal,
        has_authors: true,
        pages: 0.98,
        crossref: 0.0,
        ee: 0.33,
        cited: 0.016,
    },
    Kind {
        open: b"<inproceedings",
        close: b"</inproceedings>\n",
        weight: 212.0,
        area: Area::Conference,
        has_authors: true,
        pages: 0.96,
        crossref: 0.64,
        ee: 0.22,
        cited: 0.023,
    },
    rare(b"<proceedings", b"</proceedings>\n", 3.0, Area::Conference, false),
    rare(b"<incollection", b"</incollection>\n", 1.1, Area::Book, true),
    rare(b"<book", b"</book>\n", 0.8, Area::Book, true),
    rare(b"<phdthesis", b"</phdthesis>\n", 0.1, Area::Book, true),
    rare(b"<mastersthesis", b"</mastersthesis>\n", 0.02, Area::Book, true),
    rare(b"<www", b"</www>\n", 0.1, Area::Book, true),
];

const fn rare(
    open: &'static [u8],
    close: &'static [u8],
    weight: f64,
    area: Area,
    has_authors: bool,
) -> Kind {
    Kind {
        open,
        close,
        weight,
        area,
        has_authors,
        pages: 0.3,
        crossref: 0.0,
        ee: 0.1,
        cited: 0.005,
    }
}

/// How often a record's kind is drawn anew; else it is its predecessor's.
const NEW_RUN: f64 = 0.15;
/// How often a record has the date of its last change.
const MDATE: f64 = 75_418.0 / 328_858.0;
const MARKED_UP_TITLE: f64 = 0.025;
const NUMBER_IN_ARTICLE: f64 = 0.91;

/// Letters outside ASCII: as entities and as themselves.
const LETTERS: [(&str, &str); 20] = [
    ("&uuml;", "\u{fc}"),
    ("&ouml;", "\u{f6}"),
    ("&auml;", "\u{e4}"),
    ("&eacute;", "\u{e9}"),
    ("&egrave;", "\u{e8}"),
    ("&ecirc;", "\u{ea}"),
    ("&euml;", "\u{eb}"),
    ("&aacute;", "\u{e1}"),
    ("&agrave;", "\u{e0}"),
    ("&atilde;", "\u{e3}"),
    ("&aring;", "\u{e5}"),
    ("&iacute;", "\u{ed}"),
    ("&oacute;", "\u{f3}"),
    ("&ocirc;", "\u{f4}"),
    ("&oslash;", "\u{f8}"),
    ("&uacute;", "\u{fa}"),
    ("&ntilde;", "\u{f1}"),
    ("&ccedil;", "\u{e7}"),
    ("&szlig;", "\u{df}"),
    ("&aelig;", "\u{e6}"),
];

struct Venue {
    name: Vec<u8>,
    /// The same in lower case, for keys and addresses.
    key: Vec<u8>,
}

struct Tables {
    words: Words,
    names: Names,
    /// Last names with a letter outside ASCII in them.
    accented: Vec<Vec<u8>>,
    conferences: Vec<Venue>,
    journals: Vec<Venue>,
    kind: Discrete,
    /// Authors of a record, less one.
    authors: Discrete,
    title_words: Discrete,
}

impl Tables {
    fn new(entities: bool) -> Self {
        let names = Names::new();
        let mut rng = Rng::new(0, "dblp letters");
        let accented = names.last[..500]
            .iter()
            .map(|name| {
                let (entity, letter) = *rng.pick(&LETTERS);
                let at = rng.between(1, name.len() as u64 - 1) as usize;
                let written = if entities { entity } else { letter };
                [&name[..at], written.as_bytes(), &name[at + 1..]].concat()
            })
            .collect();
        let conferences = invent("conferences", 400, &[0.0, 0.0, 0.0, 30.0, 40.0, 20.0, 10.0])
            .into_iter()
            .map(|key| Venue { name: key.to_ascii_uppercase(), key })
            .collect();
        let subjects = capitalised(invent(
            "subjects",
            150,
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
        ));
        let journals = subjects
            .iter()
            .enumerate()
            .map(|(i, subject)| Venue {
                name: match i % 4 {
                    0 => [b"J. ", subject.as_slice(), b"."].concat(),
                    1 => [b"Inf. &amp; ", subject.as_slice()].concat(),
                    2 => [b"IEEE Trans. ", subject.as_slice(), b"."].concat(),
                    _ => [subject.as_slice(), b" Letters"].concat(),
                },
                key: subject.to_ascii_lowercase(),
            })
            .collect();
        Self {
            words: Words::new(),
            names,
            accented,
            conferences,
            journals,
            kind: Discrete::new(&KINDS.map(|kind| kind.weight)),
            authors: Discrete::new(&[28.5, 35.0, 20.5, 8.7, 3.2, 1.2, 0.6, 0.3, 0.2, 0.1]),
            title_words: Discrete::new(&[
                0.0, 0.5, 1.0, 3.0, 6.0, 9.0, 11.5, 13.0, 13.0, 13.0, 12.0, 10.0, 7.5, 4.0, 2.0,
                1.0, 0.5, 0.3, 0.2,
            ]),
        }
    }
}

struct Records<'t, 'w, 'd> {
    tables: &'t Tables,
    rng: Rng,
    out: &'w mut XmlWriter<'d>,
}

impl<'t> Records<'t, '_, '_> {
    fn record(&mut self, number: u64, index: usize) {
        let tables = self.tables;
        let kind = &KINDS[index];
        let venue = match kind.area {
            Area::Journal => self.rng.pick(&tables.journals),
            Area::Conference | Area::Book => self.rng.pick(&tables.conferences),
        };
        let year = self.year();
        let name = tables.names.last(&mut self.rng);
        let dated = self.rng.chance(MDATE);
        self.out.open(kind.open, 1 + u64::from(dated));
        if dated {
            self.out.raw(b" mdate=\"2002-");
            let (month, day) = (self.rng.between(1, 9), self.rng.between(1, 28));
            self.out.two_digits(month);
            self.out.byte(b'-');
            self.out.two_digits(day);
            self.out.byte(b'"');
        }
        self.out.raw(b" key=\"");
        self.key(kind.area, venue, name, year, number);
        self.out.raw(b"\">\n");
        if kind.has_authors {
            for _ in 0..=tables.authors.sample(&mut self.rng) {
                self.person(b"<author>", b"</author>\n");
            }
        } else {
            self.person(b"<editor>", b"</editor>\n");
        }
        self.title(number == 0);
        if self.rng.chance(kind.pages) {
            let from = self.rng.between(1, 900);
            let to = from + self.rng.between(1, 30);
            self.out.open(b"<pages>", 0);
            self.out.number(from);
            self.out.byte(b'-');
            self.out.number(to);
            self.out.close(b"</pages>\n");
        }
        self.out.number_leaf(b"<year>", year, b"</year>\n");
        match kind.area {
            Area::Journal => {
                let volume = self.rng.between(1, 60);
                self.out.number_leaf(b"<volume>", volume, b"</volume>\n");
                self.out.leaf(b"<journal>", &venue.name, b"</journal>\n");
                if self.rng.chance(NUMBER_IN_ARTICLE) {
                    let issue = self.rng.between(1, 12);
                    self.out.number_leaf(b"<number>", issue, b"</number>\n");
                }
            }
            Area::Conference => {
                if self.rng.chance(kind.crossref) {
                    self.out.open(b"<crossref>conf/", 0);
                    self.out.raw(&venue.key);
                    self.out.byte(b'/');
                    self.out.number(year);
                    self.out.close(b"</crossref>\n");
                }
                self.out.leaf(b"<booktitle>", &venue.name, b"</booktitle>\n");
            }
            Area::Book => self.out.leaf(b"<publisher>", &venue.name, b"</publisher>\n"),
        }
        if self.rng.chance(kind.ee) {
            self.out.open(b"<ee>http://www.", 0);
            self.out.raw(&venue.key);
            self.out.raw(b".test/papers/");
            self.out.number(year);
            self.out.byte(b'/');
            self.out.number(number);
            self.out.close(b".pdf</ee>\n");
        }
        self.out.open(b"<url>db/", 0);
        self.address(kind.area, venue, year);
        self.out.raw(b".html#");
        self.out.raw(name);
        self.out.two_digits(year % 100);
        self.out.close(b"</url>\n");
        if self.rng.chance(kind.cited) {
            for _ in 0..self.rng.between(10, 40) {
                self.cite(number);
            }
        }
        self.out.close(kind.close);
    }

    /// Later years are more frequent.
    fn year(&mut self) -> u64 {
        let age = self.rng.below(33).min(self.rng.below(33));
        2002 - age
    }

    fn area(&mut self, area: Area) {
        self.out.raw(match area {
            Area::Conference => b"conf/",
            Area::Journal => b"journals/",
            Area::Book => b"books/".as_slice(),
        });
    }

    /// A key: area, venue, name and year, and the record's number in letters to make it unique.
    fn key(&mut self, area: Area, venue: &Venue, name: &[u8], year: u64, number: u64) {
        self.area(area);
        self.out.raw(&venue.key);
        self.out.byte(b'/');
        self.out.raw(name);
        self.out.two_digits(year % 100);
        let mut rest = number;
        while rest > 0 {
            self.out.byte(b'a' + (rest % 26) as u8);
            rest /= 26;
        }
    }

    fn address(&mut self, area: Area, venue: &Venue, year: u64) {
        self.area(area);
        self.out.raw(&venue.key);
        self.out.byte(b'/');
        self.out.raw(&venue.key);
        if area == Area::Journal {
            self.out.number(year - 1960);
        } else {
            self.out.number(year);
        }
    }

    fn person(&mut self, open: &[u8], close: &[u8]) {
        let tables = self.tables;
        self.out.open(open, 0);
        self.out.raw(tables.names.first(&mut self.rng));
        self.out.byte(b' ');
        if self.rng.below(5) == 0 {
            let initial = b'A' + self.rng.below(26) as u8;
            self.out.raw(&[initial, b'.', b' ']);
        }
        if self.rng.below(16) == 0 {
            self.out.raw(self.rng.pick_bytes(&tables.accented));
        } else {
            self.out.raw(tables.names.last(&mut self.rng));
        }
        self.out.close(close);
    }

    /// A citation: the key of an earlier record's kind, or dots for a work that is not listed.
    fn cite(&mut self, number: u64) {
        let tables = self.tables;
        self.out.open(b"<cite>", 0);
        if self.rng.below(3) == 0 {
            self.out.raw(b"...");
        } else {
            let journal = self.rng.below(3) == 0;
            let (area, venue) = if journal {
                (Area::Journal, self.rng.pick(&tables.journals))
            } else {
                (Area::Conference, self.rng.pick(&tables.conferences))
            };
            let name = tables.names.last(&mut self.rng);
            let year = self.year();
            let cited = self.rng.below(number + 1);
            self.key(area, venue, name, year, cited);
        }
        self.out.close(b"</cite>\n");
    }

    /// The first record's title holds every kind of markup, nested as deep as it goes.
    fn title(&mut self, showcase: bool) {
        let tables = self.tables;
        self.out.open(b"<title>", 0);
        let word = tables.words.word(&mut self.rng);
        self.out.byte(word[0].to_ascii_uppercase());
        self.out.raw(&word[1..]);
        for _ in 0..tables.title_words.sample(&mut self.rng) {
            self.out.byte(b' ');
            self.out.raw(tables.words.word(&mut self.rng));
        }
        if showcase {
            for form in 0..FORMS {
                self.markup(form);
            }
        } else if self.rng.chance(MARKED_UP_TITLE) {
            let form = self.rng.below(FORMS);
            self.markup(form);
        }
        self.out.byte(b'.');
        self.out.close(b"</title>\n");
    }

    fn markup(&mut self, form: u64) {
        let number = self.rng.between(1, 9);
        let letter = [b'a' + self.rng.below(26) as u8];
        let out = &mut *self.out;
        out.byte(b' ');
        match form {
            0 => out.leaf(b"<i>", self.tables.words.word(&mut self.rng), b"</i>"),
            1 => out.number_leaf(b"O(n<sup>", number, b"</sup>)"),
            2 => out.number_leaf(b"H<sub>", number, b"</sub>O"),
            3 => out.leaf(b"<tt>", self.tables.words.word(&mut self.rng), b"</tt>"),
            4 => {
                out.empty(b"<ref href=\"db/conf/", 1);
                out.raw(&self.rng.pick(&self.tables.conferences).key);
                out.raw(b".html\">note</ref>");
            }
            5 => {
                out.open(b"<i>", 0);
                out.raw(&letter);
                out.number_leaf(b"<sub>", number, b"</sub>");
                out.close(b"</i>");
            }
            _ => {
                out.open(b"<i>", 0);
                out.raw(&letter);
                out.open(b"<sup>", 0);
                out.byte(b'x');
                out.number_leaf(b"<sub>", number, b"</sub>");
                out.close(b"</sup>");
                out.close(b"</i>");
            }
        }
    }
}

/// Forms of markup in a title.
const FORMS: u64 = 7;
