#!/usr/bin/env python3
"""Counts the answers of plain child/descendant queries with libxml2's XPath engine (lxml).

    xpath_counts.py --queries SET FILE            SET: cldr, cldr-collation, iso, scap, xmark,
                                                  dblp, treebank
    xpath_counts.py --query XPATH [--ns p=URI] FILE
    xpath_counts.py --record DIR                  all sets of real documents, on the excerpts and on
                                                  the files that fetch.sh put into DIR

The result is JSON on standard output; --record writes what tests/data/real/counts.json holds.

In the tables below a query is given in rpdt's syntax; unless an `xpath` follows, the same string
is an XPath 1.0 expression with the same answers. (libxml2 needs quadratic time for `//a//b` with
many answers; `//b[ancestor::a]` says the same and does not.) Where a query has several return
nodes, `xpath` maps each label to an expression of its own. Needs lxml (`pip install lxml`).
Documents are read without DTDs and without any other file.
"""

import argparse
import hashlib
import json
import os
import sys

from lxml import etree

SCAP = {
    "ds": "http://scap.nist.gov/schema/scap/source/1.2",
    "x": "http://checklists.nist.gov/xccdf/1.2",
    "o": "http://oval.mitre.org/XMLSchema/oval-definitions-5",
    "h": "http://www.w3.org/1999/xhtml",
    "cpe": "http://cpe.mitre.org/dictionary/2.0",
    "xlink": "http://www.w3.org/1999/xlink",
}

# One entry: id, query in rpdt's syntax, and where it differs the XPath expression.
CLDR = [
    ("languages", "//languages/language"),
    ("language-variant", "//languages/language[@alt]"),
    ("language-alt-short", '//language[@alt="short"]'),
    ("language-not-alt-short", '//language[@alt!="short"]'),
    ("numeric-type", "//month[@type>=7]"),
    ("numeric-not-equal", "//month[@type!=7]"),
    ("currency-with-both", "//currency[displayName][symbol]"),
    ("currency-of-plural", '//currency[displayName[@count="one"]]/symbol'),
    ("units-anywhere", "//units//unitPattern", "//unitPattern[ancestor::units]"),
    ("unit-with-gender", "//unit[gender]/displayName"),
    ("numeric-small", "//month[@type<3]"),
    ("text-test", '//symbol[text()="€"]'),
    ("text-test-word", '//languages/language[text()="Afar"]'),
    ("text-not-equal", '//gender[text()!="feminine"]'),
    ("string-value", '//gender[.="feminine"]'),
    ("month-of-wide-format", '//monthContext[@type="format"]/monthWidth[@type="wide"]/month'),
    ("calendar-with-eras", "//calendar[eras//era][.//dateFormatItem]/months//month"),
    ("star", "//calendar/*[.//pattern]"),
    ("metazone-long", "//metazone[long[daylight]]//standard"),
    ("nested-predicates", '//fields/field[relative[@type="-1"]][displayName]/relativeTime'),
    ("any-depth", "//dates//pattern[@numbers]", "//pattern[@numbers][ancestor::dates]"),
]
SETS = {
    "cldr": [("absolute", "/ldml/localeDisplayNames/languages/language")] + CLDR,
    "cldr-all": [("absolute", "/cldr/ldml/localeDisplayNames/languages/language")] + CLDR,
    "cldr-collation": [
        ("collations", "/ldml/collations/collation"),
        ("single-quoted", '//collation[@type="pinyin"]'),
        ("with-rules", "//collation[cr]"),
        ("default", '//defaultCollation[text()="pinyin"]'),
    ],
    "iso": [
        ("all", "/iso_639_3_entries/iso_639_3_entry"),
        ("two-letter", "//iso_639_3_entry[@part1_code]"),
        ("extinct", '//iso_639_3_entry[@type="E"]'),
        ("not-living", '//iso_639_3_entry[@type!="L"]'),
        ("both-codes", "//iso_639_3_entry[@part1_code][@part2_code]"),
        ("macro", '/*/iso_639_3_entry[@scope="M"][@part1_code]'),
        ("non-ascii-value", '//iso_639_3_entry[@reference_name="Arbëreshë Albanian"]'),
        ("inverted", '//iso_639_3_entry[@inverted_name="Albanian, Arbëreshë"]'),
        ("no-such-attribute", "//iso_639_3_entry[@nothing]"),
    ],
    "scap": [
        ("rules", "//x:Rule"),
        ("rules-absolute", "/ds:data-stream-collection/ds:component/x:Benchmark//x:Rule"),
        ("rule-severity", '//x:Rule[@severity="medium"]/x:title'),
        ("rule-with-ident", "//x:Rule[x:ident][.//h:code]/x:reference"),
        ("nested-groups", "//x:Group//x:Group"),
        ("group-in-group-with-rule", "//x:Group/x:Group[x:Rule]"),
        ("code-in-description", "//x:description//h:code"),
        ("criteria-in-criteria", "//o:criteria//o:criteria"),
        ("criterion-under-or", '//o:criteria[@operator="OR"]/o:criterion'),
        ("negated", '//o:criteria[o:extend_definition[@negate="true"]]//o:criterion'),
        ("platform", '//o:definition[o:metadata/o:affected[@family="unix"]]/o:criteria'),
        ("version", "//o:definition[@version>=2]"),
        ("select-not", '//x:Profile/x:select[@selected!="true"]'),
        ("any-prefix", "//*:title", "//*[local-name()='title']"),
        ("any-prefix-below", "//ds:component/*:Benchmark/*:title",
         "//ds:component/*[local-name()='Benchmark']/*[local-name()='title']"),
        ("unprefixed", "//Rule"),
        ("string-value", '//cpe:title[.="System architecture is AARCH64"]'),
        ("text-test", '//o:platform[text()="Red Hat Enterprise Linux 8"]'),
        ("prefixed-attribute", "//ds:component-ref[@xlink:href]"),
    ],
    "xmark": [
        ("P1", "/site/closed_auctions/closed_auction/annotation/description/text/keyword"),
        ("P2", "//closed_auction//keyword", "//keyword[ancestor::closed_auction]"),
        ("P3", "/site/closed_auctions/closed_auction[annotation/description/text/keyword]/date"),
        ("P4", "/site/people/person[profile[gender][age]]/name"),
        ("P5", "//item[.//keyword][mailbox/mail//emph]/name"),
        ("P6", "//listitem[.//keyword]//emph", "//emph[ancestor::listitem[.//keyword]]"),
        ("P7", "//open_auction[seller!][.//keyword!]/bidder/personref!", {
            "seller": "//open_auction[.//keyword][bidder/personref]/seller",
            "keyword": "//keyword[ancestor::open_auction[seller][bidder/personref]]",
            "personref": "//open_auction[seller][.//keyword]/bidder/personref",
        }),
    ],
    "dblp": [
        ("P1", "/dblp/inproceedings/title"),
        ("P2", "//article[ee][number]/title"),
        ("P3", "/dblp/inproceedings[cite]/booktitle"),
        ("P4", "//article[cite]//author", "//author[ancestor::article[cite]]"),
        ("P5", "/dblp/*[title//sup]/year"),
    ],
    "treebank": [
        ("P1", "//S/VP/PP/NP"),
        ("P2", "//S[.//SBAR]//NP/NN", "//NP[ancestor::S[.//SBAR]]/NN"),
        ("P3", "//NP[JJ][NN]/PP"),
        ("P4", "//VP//VP//NP", "//NP[ancestor::VP[ancestor::VP]]"),
        ("P5", "//S[NP/DT]/VP//PP[IN]/NP", "//PP[IN][ancestor::VP[parent::S[NP/DT]]]/NP"),
    ],
}
NAMESPACES = {"scap": SCAP}

# What --record evaluates: the set, the committed excerpt or the fetched file.
RECORDED = [
    ("cldr", "excerpt", "cldr-de-excerpt.xml"),
    ("cldr-collation", "excerpt", "cldr-zh-collation-excerpt.xml"),
    ("iso", "excerpt", "iso_639-3-excerpt.xml"),
    ("scap", "excerpt", "scap-excerpt.xml"),
    ("cldr", "fetched", "cldr/de.xml"),
    ("cldr", "fetched", "cldr/en.xml"),
    ("cldr-collation", "fetched", "cldr/zh.xml"),
    ("cldr-all", "fetched", "cldr/all.xml"),
    ("iso", "fetched", "iso/iso_639-3.xml"),
    ("scap", "fetched", "scap/ssg-rhel8-ds.xml"),
]


def load(path):
    parser = etree.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, huge_tree=True
    )
    return etree.parse(path, parser)


def count(tree, expression, namespaces):
    number = tree.xpath(f"count({expression})", namespaces=namespaces or None)
    return int(number)


def evaluate(tree, name):
    """The rows of one set of queries on one document."""
    namespaces = NAMESPACES.get(name, {})
    rows = []
    for identifier, query, *rest in SETS[name]:
        xpath = rest[0] if rest else query
        used = {p: uri for p, uri in namespaces.items() if f"{p}:" in query}
        row = {"id": identifier, "query": query, "xpath": xpath, "same_string": xpath == query}
        row["namespaces"] = used
        if isinstance(xpath, dict):
            row["count"] = {label: count(tree, each, used) for label, each in xpath.items()}
        else:
            row["count"] = count(tree, xpath, used)
        rows.append(row)
    return rows


def fingerprint(path):
    with open(path, "rb") as file:
        return os.path.getsize(path), hashlib.file_digest(file, "sha256").hexdigest()


def record(fetched):
    """Everything that tests/data/real/counts.json holds."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = {"excerpt": os.path.join(here, "..", "data", "real"), "fetched": fetched}
    documents = []
    for name, kind, file in RECORDED:
        path = os.path.join(places[kind], file)
        size, digest = fingerprint(path)
        where = "rpdt/tests/data/real" if kind == "excerpt" else "DIR"
        documents.append({
            "file": file,
            "kind": kind,
            "bytes": size,
            "sha256": digest,
            "command": f"python3 rpdt/tests/real/xpath_counts.py --queries {name} {where}/{file}",
            "queries": evaluate(load(path), name),
        })
    return {
        "engine": "lxml %s, libxml2 %s" % (
            ".".join(map(str, etree.LXML_VERSION)), ".".join(map(str, etree.LIBXML_VERSION))
        ),
        "command": "rpdt/tests/real/fetch.sh DIR && "
                   "python3 rpdt/tests/real/xpath_counts.py --record DIR",
        "documents": documents,
    }


def dump(value, out):
    """JSON with one query a line, so that a change shows as a small difference."""
    if isinstance(value, dict) and "documents" in value:
        out.write("{\n")
        for key in ("engine", "command"):
            out.write(f" {json.dumps(key)}: {json.dumps(value[key])},\n")
        out.write(' "documents": [\n')
        for number, document in enumerate(value["documents"]):
            out.write("  {")
            for key in ("file", "kind", "bytes", "sha256", "command"):
                out.write(f"{json.dumps(key)}: {json.dumps(document[key])},\n   ")
            out.write('"queries": [\n')
            lines = [json.dumps(row, ensure_ascii=False) for row in document["queries"]]
            out.write("    " + ",\n    ".join(lines) + "\n   ]}")
            out.write(",\n" if number + 1 < len(value["documents"]) else "\n")
        out.write(" ]\n}\n")
    else:
        lines = [json.dumps(row, ensure_ascii=False) for row in value]
        out.write("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    what = arguments.add_mutually_exclusive_group(required=True)
    what.add_argument("--queries", choices=sorted(SETS), metavar="SET")
    what.add_argument("--query", metavar="XPATH")
    what.add_argument("--record", metavar="DIR")
    arguments.add_argument("--ns", action="append", default=[], metavar="p=URI")
    arguments.add_argument("file", nargs="?")
    options = arguments.parse_args()
    if options.record:
        dump(record(options.record), sys.stdout)
        return
    if not options.file:
        arguments.error("a FILE is needed")
    tree = load(options.file)
    if options.queries:
        dump(evaluate(tree, options.queries), sys.stdout)
    else:
        namespaces = dict(each.split("=", 1) for each in options.ns)
        row = {"xpath": options.query, "namespaces": namespaces}
        row["count"] = count(tree, options.query, namespaces)
        dump([row], sys.stdout)


if __name__ == "__main__":
    main()
