#!/usr/bin/env python3
"""Cuts a well-formed excerpt out of a large XML file, byte for byte.

    excerpt.py FILE --keep N [--keep-name NAME=N ..] [--drop-longer BYTES] > EXCERPT

Of the children of one element that carry the same name only the first N stay (NAME=N overrides
N for the children of that name, 0 drops them all); childless elements longer than BYTES go, too.
A dropped element goes with the white space before it. Everything that stays is copied as it
stands: declaration, DOCTYPE, comments, quotes, references, CDATA sections, line ends. Only
Python's own expat is used, for the byte positions.
"""

import argparse
import re
import sys
from xml.parsers import expat

TAG_END = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")


def dropped_ranges(data, keep, by_name, longest):
    """The byte ranges of the elements to leave out, outermost only, in document order."""
    ranges = []
    # One frame an open element: [name, start, number of kept children by name, has children].
    stack = []
    skipping = 0  # open elements below (and including) one that is dropped
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def start(name, _attributes):
        nonlocal skipping
        if skipping:
            skipping += 1
        elif stack:
            seen = stack[-1][2]
            seen[name] = seen.get(name, 0) + 1
            stack[-1][3] = True
            if seen[name] > by_name.get(name, keep):
                skipping = 1
        stack.append([name, parser.CurrentByteIndex, {}, False])

    def end(_name):
        nonlocal skipping
        name, begin, _seen, has_children = stack.pop()
        # For an empty element tag expat stands behind the tag already.
        stop = TAG_END.match(data, begin).end()
        if data[stop - 2 : stop] != b"/>":
            stop = TAG_END.match(data, parser.CurrentByteIndex).end()
        if skipping:
            skipping -= 1
            if skipping == 0:
                ranges.append((begin, stop))
        elif longest and stack and not has_children and stop - begin > longest:
            ranges.append((begin, stop))
            stack[-1][2][name] -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(data, True)
    return ranges


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("file")
    arguments.add_argument("--keep", type=int, required=True)
    arguments.add_argument("--keep-name", action="append", default=[], metavar="NAME=N")
    arguments.add_argument("--drop-longer", type=int, default=0, metavar="BYTES")
    options = arguments.parse_args()
    by_name = {}
    for rule in options.keep_name:
        name, _, number = rule.rpartition("=")
        by_name[name] = int(number)

    with open(options.file, "rb") as file:
        data = file.read()
    out = bytearray()
    position = 0
    for begin, stop in dropped_ranges(data, options.keep, by_name, options.drop_longer):
        out += data[position:begin].rstrip(b" \t\r\n")
        position = stop
    out += data[position:]
    expat.ParserCreate().Parse(bytes(out), True)  # what we hand out is well-formed
    sys.stdout.buffer.write(out)


if __name__ == "__main__":
    main()
