#!/usr/bin/env python3
"""Counts the answers of regular tree patterns by brute force, straight from the definitions.

    regular_counts.py --queries xmark|dblp|treebank FILE    the regular queries of the experiments
    regular_counts.py --query QUERY [--ns p=URI] FILE       any query in rpdt's syntax
    regular_counts.py --self-test                           the paper's examples
    regular_counts.py --check DIR       the counts of libxml2 in tests/data/real/counts.json, on
                                        the excerpts and on the files that fetch.sh put into DIR

It shares no code and no method with the engine: the document is a tree in memory, satisfaction is
a recursive test, a regular branch is a Thompson automaton that is started afresh at every child,
and tuples are sets. Runs are reported as the policy `peak` says: [cur(i), i] where the next child
has no longest run with the same start. Printed for every query: the number of tuples (distinct
bindings of the return nodes, where a run is one value), of nodes for each label, and for queries
that end in a regular branch the number of reported runs, their children and the longest one.
Needs lxml.
"""

import argparse
import json
import math
import os
import re
import sys

from lxml import etree

SETS = {
    "xmark": [
        ("R1", "//open_auction[.//keyword]/{initial, reserve?, bidder[personref]!, bidder*}"),
        ("R2", "//open_auction/{bidder!, bidder!*}"),
        ("R3", "/site/people/person/{name!, emailaddress, phone, address[province], homepage?, "
               "creditcard!}"),
        ("R4", "//item[mailbox/mail]/{incategory!, incategory, incategory, incategory!*}"),
        ("R5", "//parlist/{listitem[text/keyword]!, listitem[.//emph]!*}"),
        ("R6", "//text/{keyword!, (bold|emph)+, keyword!?}"),
        ("R7", "//closed_auction/{seller!, buyer!, itemref, price!, date, quantity, type, "
               "annotation[.//bold]}"),
    ],
    "dblp": [
        ("R1", "/dblp/inproceedings/{author!, author!, author!*}"),
        ("R2", "/dblp/article/{author+, title!, pages, year!}"),
        ("R3", "//article/{volume!, journal!, number}"),
        ("R4", "//inproceedings[ee]/{cite!, cite!*}"),
        ("R5", "/dblp/{article!, inproceedings[ee]!*}"),
    ],
    "treebank": [
        ("R1", "//S/{NP!, VP!}"),
        ("R2", "//NP/{DT, JJ!*, NN!}"),
        ("R3", "//VP/{VBD!, NP?, PP!*}"),
        ("R4", "//S/{NP[.//PRP]!, VP[.//PP]!}"),
        ("R5", "//NP/{NP!, (CC|_COMMA_), NP!}"),
    ],
}


# ---------------------------------------------------------------- the document


class Element:
    __slots__ = ("number", "name", "uri", "prefixed", "attributes", "children", "texts", "content")

    def descendants(self):
        stack = list(reversed(self.children))
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def string_value(self):
        return "".join(
            part if isinstance(part, str) else part.string_value() for part in self.content
        )


def build(source):
    """The tree of a document as Elements; `texts` are the text nodes, CDATA merged."""
    numbers = iter(range(1 << 60))
    made = {}
    root = None
    for node in source.iter():
        if not isinstance(node.tag, str):
            continue
        name = etree.QName(node)
        element = Element()
        element.number = next(numbers)
        element.name, element.uri = name.localname, name.namespace
        element.prefixed = node.prefix is not None
        element.attributes = dict(node.attrib)
        element.children, element.texts, element.content = [], [], []
        made[node] = element
        if root is None:
            root = element
        else:
            made[node.getparent()].children.append(element)
    for node, element in made.items():
        pieces = [node.text or ""]
        for child in node:
            if isinstance(child.tag, str):
                pieces.append(made[child])
            else:
                pieces.append(None)  # a comment or instruction parts two text nodes
            pieces.append(child.tail or "")
        element.texts = [piece for piece in pieces if isinstance(piece, str) and piece]
        element.content = [piece for piece in pieces if piece]
    return root


# ---------------------------------------------------------------- the query


class Pattern:
    """A pattern node: name test, value tests, branches, axis, mark."""

    def __init__(self, number, axis):
        self.number, self.axis = number, axis
        self.prefix, self.name, self.label = None, None, None
        self.tests = []  # functions from Element to bool
        self.branches = []  # ordinary: Pattern
        self.regular = []  # regular: expressions, see Parser.expression

    def spine(self):
        return (
            self.label is not None
            or any(branch.spine() for branch in self.branches)
            or any(symbol.spine() for each in self.regular for symbol in symbols(each))
        )


def symbols(expression):
    kind, *parts = expression
    if kind == "symbol":
        return [parts[0]]
    if kind == "repeat":
        return symbols(parts[0])
    return [symbol for part in parts[0] for symbol in symbols(part)]


NAME = re.compile(r"[^\W\d][\w.\-]*")
LITERAL = re.compile(r'"([^"]*)"|\'([^\']*)\'|(-?(?:\d+(?:\.\d*)?|\.\d+))')
OPERATOR = re.compile(r"!=|<=|>=|=|<|>")
NUMBER = re.compile(r"[ \t\r\n]*(-?(?:\d+(?:\.\d*)?|\.\d+))[ \t\r\n]*\Z")


def number(text):
    found = NUMBER.match(text)
    return float(found.group(1)) if found else math.nan


def comparison(operator, literal):
    """The test `value operator literal` of XPath 1.0, on the string value."""
    if isinstance(literal, float) or operator not in ("=", "!="):
        right = literal if isinstance(literal, float) else number(literal)
        compare = {
            "=": lambda left: left == right,
            "!=": lambda left: left != right,
            "<": lambda left: left < right,
            "<=": lambda left: left <= right,
            ">": lambda left: left > right,
            ">=": lambda left: left >= right,
        }[operator]
        return lambda text: compare(number(text))
    if operator == "=":
        return lambda text: text == literal
    return lambda text: text != literal


class Parser:
    def __init__(self, text, namespaces):
        self.text, self.at, self.namespaces = text, 0, namespaces
        self.count = 0

    def fail(self, expected):
        sys.exit(f"regular_counts.py: {expected} expected at byte {self.at} of {self.text}")

    def space(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def take(self, token):
        self.space()
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def need(self, token):
        if not self.take(token):
            self.fail(token)

    def match(self, pattern):
        self.space()
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def query(self):
        root = self.chain(self.axis() or self.fail("/"))
        self.space()
        if self.at != len(self.text):
            self.fail("the end")
        if not root.spine():
            last = root
            while last.trunk is not None:
                last = last.trunk
            last.label = last.name
        return root

    def axis(self):
        return "//" if self.take("//") else "/" if self.take("/") else None

    def chain(self, axis):
        """step { axis step } [ "/{" regex "}" ] as nested branches."""
        first = node = self.step(axis)
        while True:
            node.trunk = None
            axis = self.axis()
            if axis is None:
                return first
            if axis == "/" and self.take("{"):
                node.regular.append(self.expression())
                self.need("}")
                return first
            node.trunk = self.step(axis)
            node.branches.append(node.trunk)
            node = node.trunk

    def name(self):
        if self.take("*"):
            # `*:local`: any namespace. After a bare `*` a colon cannot stand otherwise.
            if self.text.startswith(":", self.at):
                self.at += 1
                return "*", self.match(NAME).group()
            return None, "*"
        first = self.match(NAME) or self.fail("a name")
        if self.text.startswith(":", self.at) and NAME.match(self.text, self.at + 1):
            self.at += 1
            return first.group(), self.match(NAME).group()
        return None, first.group()

    def mark(self, node):
        if self.text.startswith("!", self.at):
            self.at += 1
            label = NAME.match(self.text, self.at)
            if label:
                self.at = label.end()
            node.label = label.group() if label else node.name

    def step(self, axis):
        node = Pattern(self.count, axis)
        self.count += 1
        node.trunk = None
        node.prefix, node.name = self.name()
        self.mark(node)
        while self.take("["):
            self.predicate(node)
            self.need("]")
        self.mark(node)
        return node

    def predicate(self, node):
        if self.take("{"):
            node.regular.append(self.expression())
            self.need("}")
        elif self.take("@"):
            prefix, name = self.name()
            key = f"{{{self.namespaces[prefix]}}}{name}" if prefix else name
            operator = self.match(OPERATOR)
            if operator:
                test = comparison(operator.group(), self.literal())
                node.tests.append(
                    lambda element: key in element.attributes and test(element.attributes[key])
                )
            else:
                node.tests.append(lambda element: key in element.attributes)
        elif self.take("text()"):
            test = comparison(self.operator(), self.literal())
            node.tests.append(lambda element: any(test(text) for text in element.texts))
        elif self.take(".//"):
            node.branches.append(self.chain("//"))
        elif self.take("."):
            test = comparison(self.operator(), self.literal())
            node.tests.append(lambda element: test(element.string_value()))
        else:
            node.branches.append(self.chain("/"))

    def operator(self):
        return (self.match(OPERATOR) or self.fail("an operator")).group()

    def literal(self):
        found = self.match(LITERAL) or self.fail("a literal")
        if found.group(3) is not None:
            return float(found.group(3))
        return found.group(1) if found.group(1) is not None else found.group(2)

    def expression(self):
        options = [self.concatenation()]
        while self.take("|"):
            options.append(self.concatenation())
        return ("choice", options)

    def concatenation(self):
        parts = [self.repetition()]
        while self.take(",") or self.match(re.compile(r":(?=\s)")):
            parts.append(self.repetition())
        return ("sequence", parts)

    def repetition(self):
        if self.take("("):
            item = self.expression()
            self.need(")")
        else:
            item = ("symbol", self.step("/"))
        while True:
            if self.take("*"):
                item = ("repeat", item, 0, None)
            elif self.take("+"):
                item = ("repeat", item, 1, None)
            elif self.take("?"):
                item = ("repeat", item, 0, 1)
            else:
                bounds = self.match(re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}"))
                if bounds is None:
                    return item
                low = high = int(bounds.group(1))
                if bounds.group(2):
                    high = int(bounds.group(3)) if bounds.group(3) else None
                item = ("repeat", item, low, high)


# ---------------------------------------------------------------- the automaton of an expression


class Automaton:
    """Thompson's construction: empty moves and moves that read one symbol."""

    def __init__(self, expression):
        self.empty = []  # state -> states
        self.moves = []  # state -> (symbol, state)
        self.start, self.end = self.make(expression)

    def state(self):
        self.empty.append([])
        self.moves.append([])
        return len(self.empty) - 1

    def make(self, expression):
        kind, *parts = expression
        begin, end = self.state(), self.state()
        if kind == "symbol":
            self.moves[begin].append((parts[0], end))
        elif kind == "choice":
            for part in parts[0]:
                inner, outer = self.make(part)
                self.empty[begin].append(inner)
                self.empty[outer].append(end)
        elif kind == "sequence":
            last = begin
            for part in parts[0]:
                inner, outer = self.make(part)
                self.empty[last].append(inner)
                last = outer
            self.empty[last].append(end)
        else:
            item, low, high = parts
            last = begin
            for _ in range(low):
                inner, outer = self.make(item)
                self.empty[last].append(inner)
                last = outer
            if high is None:
                inner, outer = self.make(item)
                self.empty[last].append(inner)
                self.empty[outer].append(last)
            else:
                for _ in range(high - low):
                    self.empty[last].append(end)
                    inner, outer = self.make(item)
                    self.empty[last].append(inner)
                    last = outer
            self.empty[last].append(end)
        return begin, end

    def closure(self, states):
        reached, stack = set(states), list(states)
        while stack:
            for target in self.empty[stack.pop()]:
                if target not in reached:
                    reached.add(target)
                    stack.append(target)
        return reached

    def nullable(self):
        return self.end in self.closure({self.start})


# ---------------------------------------------------------------- satisfaction, runs, answers


class Evaluation:
    def __init__(self, query, root, namespaces):
        self.root, self.namespaces = root, namespaces
        self.pattern = Parser(query, namespaces).query()
        self.satisfied, self.bound, self.automata = {}, {}, {}

    def automaton(self, expression):
        key = id(expression)
        if key not in self.automata:
            self.automata[key] = Automaton(expression)
        return self.automata[key]

    def named(self, node, element):
        if node.prefix == "*":
            return element.name == node.name
        if node.prefix is not None:
            uri = self.namespaces[node.prefix]
            return element.uri == uri and element.name == node.name
        return node.name == "*" or (element.name == node.name and not element.prefixed)

    def sat(self, node, element):
        """Section "satisfaction": the tests hold, every branch has what it needs."""
        if not self.named(node, element):
            return False
        key = (node.number, element.number)
        if key not in self.satisfied:
            self.satisfied[key] = (
                all(test(element) for test in node.tests)
                and all(any(True for _ in self.matches(b, element)) for b in node.branches)
                and all(self.has_run(each, element) for each in node.regular)
            )
        return self.satisfied[key]

    def matches(self, branch, element):
        among = element.children if branch.axis == "/" else element.descendants()
        return (each for each in among if self.sat(branch, each))

    def has_run(self, expression, element):
        if self.automaton(expression).nullable():
            return True
        return any(start is not None for start in self.longest(expression, element))

    def longest(self, expression, element):
        """cur(i) for every child: the smallest start of a run that ends there, or None."""
        automaton, children = self.automaton(expression), element.children
        found = [None] * len(children)
        for start in range(len(children)):
            states = automaton.closure({automaton.start})
            for position in range(start, len(children)):
                read = {
                    target
                    for state in states
                    for symbol, target in automaton.moves[state]
                    if self.sat(symbol, children[position])
                }
                states = automaton.closure(read)
                if not states:
                    break
                if automaton.end in states and found[position] is None:
                    found[position] = start
        return found

    def peaks(self, expression, element):
        found = self.longest(expression, element)
        for position, start in enumerate(found):
            follows = found[position + 1] if position + 1 < len(found) else None
            if start is not None and follows != start:
                yield start, position

    def readings(self, expression, element, start, stop):
        """For each child of a run the symbols as which an accepting reading may take it."""
        automaton, children = self.automaton(expression), element.children
        forward = [automaton.closure({automaton.start})]
        for position in range(start, stop + 1):
            forward.append(automaton.closure({
                target
                for state in forward[-1]
                for symbol, target in automaton.moves[state]
                if self.sat(symbol, children[position])
            }))
        # States from which the rest of the run can be accepted.
        everything = range(len(automaton.moves))
        backward = {s for s in everything if automaton.end in automaton.closure({s})}
        result = []
        for position in range(stop, start - 1, -1):
            steps = [
                (state, symbol)
                for state in everything
                for symbol, target in automaton.moves[state]
                if target in backward and self.sat(symbol, children[position])
            ]
            before = forward[position - start]
            result.append({symbol for state, symbol in steps if state in before})
            useful = {state for state, _ in steps}
            backward = {s for s in everything if automaton.closure({s}) & useful}
        return list(reversed(result))

    def run_values(self, expression, element):
        """The values that a regular branch on the spine binds: one for each reported run."""
        marked = [symbol for symbol in symbols(expression) if symbol.spine()]
        values = set()
        for start, stop in self.peaks(expression, element):
            read = self.readings(expression, element, start, stop)
            values.add(tuple(
                (symbol.number, tuple(
                    self.bindings(symbol, element.children[start + offset])
                    for offset, taken in enumerate(read)
                    if symbol in taken
                ))
                for symbol in marked
            ))
        if not values and self.automaton(expression).nullable():
            values.add(tuple((symbol.number, ()) for symbol in marked))
        return values

    def bindings(self, node, element):
        """The distinct bindings of the return nodes at and below `node`, bound to `element`."""
        key = (node.number, element.number)
        if key in self.bound:
            return self.bound[key]
        own = ((node.label, element.number),) if node.label is not None else ()
        found = {own}
        for branch in node.branches:
            if branch.spine():
                options = set()
                for each in self.matches(branch, element):
                    options |= self.bindings(branch, each)
                found = {left + right for left in found for right in options}
        for expression in node.regular:
            if any(symbol.spine() for symbol in symbols(expression)):
                options = self.run_values(expression, element)
                found = {left + (right,) for left in found for right in options}
        self.bound[key] = frozenset(found)
        return self.bound[key]

    def roots(self):
        if self.pattern.axis == "/":
            candidates = [self.root]
        else:
            candidates = [self.root, *self.root.descendants()]
        return (each for each in candidates if self.sat(self.pattern, each))

    def tuples(self):
        found = set()
        for element in self.roots():
            found |= self.bindings(self.pattern, element)
        return found

    def report(self):
        tuples = self.tuples()
        nodes = {}

        def collect(value):
            if isinstance(value, (tuple, frozenset)):
                if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
                    nodes.setdefault(value[0], set()).add(value[1])
                else:
                    for each in value:
                        collect(each)

        collect(frozenset(tuples))
        result = {
            "tuples": len(tuples),
            "nodes": {label: len(each) for label, each in sorted(nodes.items())},
        }
        last, elements = self.pattern, list(self.roots())
        while last.trunk is not None:
            below = {}
            for element in elements:
                for each in self.matches(last.trunk, element):
                    below[each.number] = each
            last, elements = last.trunk, list(below.values())
        if last.regular:
            runs = [
                stop - start + 1
                for element in elements
                for start, stop in self.peaks(last.regular[-1], element)
            ]
            result["runs"] = len(runs)
            result["run_children"] = sum(runs)
            result["longest"] = max(runs, default=0)
        return result


# ---------------------------------------------------------------- the paper's examples


FIG5 = (
    '<a id="a1"><b id="b1"/><x><c><e id="e1"/><d><f/><g/></d><d><f/><h><g/></h></d></c></x>'
    '<a id="a2"><c><e id="e2"/><d><f/></d><e id="e3"/></c><b id="b3"/></a>'
    '<a id="a3"><c><e id="e4"/><d><g/></d></c></a><b id="b2"/><c><d><f/><g/></d></c></a>'
)


def self_test():
    def run(query, text):
        return Evaluation(query, build(etree.fromstring(text)), {})

    def check(what, found, wanted):
        if found != wanted:
            sys.exit(f"regular_counts.py: {what}: {found} instead of {wanted}")

    # Table 1: E:D* over a e d c e d d a b d.
    letters = "aedceddabd"
    table = run("//r/{e!, d*}", "<r>" + "".join(f"<{each}/>" for each in letters) + "</r>")
    starts = table.longest(table.pattern.regular[0], table.root)
    words = [letters[s : i + 1] if s is not None else None for i, s in enumerate(starts)]
    check("Table 1", words, [None, "e", "ed", None, "e", "ed", "edd", None, None, None])
    # Runs may overlap.
    overlap = run("//r/{a!, b, a}", "<r><a/><b/><a/><b/><a/></r>")
    check("a,b,a on ababa", list(overlap.peaks(overlap.pattern.regular[0], overlap.root)),
          [(0, 2), (2, 4)])
    # The document of Fig. 5 with the pattern of Fig. 1.
    report = run("//a[b!]//c/{ e! , d[f][.//g]* }", FIG5).report()
    check("Fig. 5", report["tuples"], 10)
    check("Fig. 5, nodes", report["nodes"], {"b": 3, "e": 4})
    check("Fig. 5, runs", (report["runs"], report["longest"]), (4, 3))
    check("Fig. 5 from /a", run("/a[b!]//c/{ e! , d[f][.//g]* }", FIG5).report()["tuples"], 8)
    # An element is reported wherever some accepting reading puts it.
    check("several readings", run("//r/{b!x*, b*}", "<r><b/><b/></r>").report()["nodes"], {"x": 2})
    print("all examples hold")


def load(path):
    parser = etree.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, huge_tree=True
    )
    return build(etree.parse(path, parser).getroot())


def check(fetched):
    here = os.path.dirname(os.path.abspath(__file__))
    data = os.path.join(here, "..", "data", "real")
    with open(os.path.join(data, "counts.json"), encoding="utf-8") as file:
        counts = json.load(file)
    wrong = 0
    for document in counts["documents"]:
        folder = data if document["kind"] == "excerpt" else fetched
        root = load(os.path.join(folder, document["file"]))
        for row in document["queries"]:
            found = Evaluation(row["query"], root, row["namespaces"]).report()["tuples"]
            if found != row["count"]:
                wrong += 1
                print(f"{document['file']}: {row['query']}: {found} here, {row['count']} there")
        print(f"{document['file']}: {len(document['queries'])} queries compared", flush=True)
    sys.exit(1 if wrong else 0)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    what = arguments.add_mutually_exclusive_group(required=True)
    what.add_argument("--queries", choices=sorted(SETS))
    what.add_argument("--query")
    what.add_argument("--self-test", action="store_true")
    what.add_argument("--check", metavar="DIR")
    arguments.add_argument("--ns", action="append", default=[], metavar="p=URI")
    arguments.add_argument("file", nargs="?")
    options = arguments.parse_args()
    sys.setrecursionlimit(100_000)
    if options.check:
        check(options.check)
    if options.self_test:
        self_test()
        return
    if not options.file:
        arguments.error("a FILE is needed")
    root = load(options.file)
    namespaces = dict(each.split("=", 1) for each in options.ns)
    queries = SETS[options.queries] if options.queries else [("query", options.query)]
    for identifier, query in queries:
        row = {"id": identifier, "query": query}
        row.update(Evaluation(query, root, namespaces).report())
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
