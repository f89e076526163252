"""libxml2 on the workloads of `bench-harness compare rpdt`: by lxml, and by its program xmllint.

Arguments: MODE QUERY FILE. A line {"events": N} with the file's length says that the peer is ready. Each
line on standard input asks for one round over the whole document; it prints one JSON line. The end of the
input ends the program. The modes:

  iterparse  lxml's events, one for each end tag, elements cleared behind; QUERY is //NAME or //*
  xpath      a tree by lxml.etree.parse, and an XPath over it
  xmllint    xmllint --stream --pattern QUERY, a process for each round, its lines counted

lxml goes on behind errors, since bibliographies name entities of a DTD that is elsewhere. CPU time is that
of this process, or of xmllint's.
"""

import io
import json
import os
import resource
import subprocess
import sys
import time


def iterparse(query, path):
    from lxml import etree

    with open(path, "rb") as file:
        document = file.read()
    name = query.removeprefix("//")
    wanted = {} if name == "*" else {"tag": name}

    def once():
        count = 0
        for _, element in etree.iterparse(
            io.BytesIO(document), events=("end",), recover=True, **wanted
        ):
            count += 1
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        return count

    return once


def xpath(query, path):
    from lxml import etree

    with open(path, "rb") as file:
        document = file.read()
    parser = etree.XMLParser(huge_tree=True, recover=True)
    search = etree.XPath(query)
    return lambda: len(search(etree.fromstring(document, parser)))


def xmllint(query, path):
    command = ["xmllint", "--huge", "--noout", "--stream", "--pattern", query, path]

    def once():
        # Each node that matches is told by a line.
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            count = sum(block.count(b" matches pattern ") for block in process.stdout)
        if process.returncode != 0:
            sys.exit(f"xmllint ended with {process.returncode}")
        return count

    return once


MODES = {"iterparse": iterparse, "xpath": xpath, "xmllint": xmllint}


def cpu(mode):
    whose = resource.RUSAGE_CHILDREN if mode == "xmllint" else resource.RUSAGE_SELF
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in MODES:
        sys.exit("usage: libxml2_peer.py iterparse|xpath|xmllint QUERY FILE")
    mode, query, path = sys.argv[1:]
    once = MODES[mode](query, path)
    print(json.dumps({"events": os.path.getsize(path)}), flush=True)
    for line in sys.stdin:
        wall, begin = time.perf_counter_ns(), cpu(mode)
        matches = once()
        done = {"ns": time.perf_counter_ns() - wall, "cpu_ns": round((cpu(mode) - begin) * 1e9)}
        print(json.dumps(done | {"matches": matches, "timeouts": 0, "digest": "0"}), flush=True)


if __name__ == "__main__":
    main()
