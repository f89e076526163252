#!/usr/bin/env bash
# Cuts the committed excerpts again from the files that fetch.sh brought:
#
#   excerpts.sh DIR      (DIR: where fetch.sh put them)
#
# The files under tests/data/real change only when the packages do.
set -euo pipefail
from=${1:?usage: excerpts.sh DIR}
here=$(cd -- "$(dirname -- "$0")" && pwd)
to=$here/../data/real

cut_out() {
    python3 "$here/excerpt.py" "$@"
}

cut_out "$from/cldr/de.xml" --keep 6 --keep-name unit=3 >"$to/cldr-de-excerpt.xml"
cut_out "$from/cldr/zh.xml" --keep 20 --drop-longer 4000 >"$to/cldr-zh-collation-excerpt.xml"
cut_out "$from/iso/iso_639-3.xml" --keep 200 >"$to/iso_639-3-excerpt.xml"
cut_out "$from/scap/ssg-rhel8-ds.xml" --keep 1 --drop-longer 500 \
    --keep-name ds:component=3 \
    --keep-name xccdf-1.2:Group=2 --keep-name xccdf-1.2:Rule=2 --keep-name xccdf-1.2:reference=2 \
    --keep-name xccdf-1.2:Profile=2 --keep-name xccdf-1.2:select=3 \
    --keep-name xccdf-1.2:Value=0 --keep-name xccdf-1.2:rationale=0 --keep-name dc:contributor=0 \
    --keep-name xccdf-1.2:fix=0 --keep-name xccdf-1.2:warning=0 --keep-name html:code=2 \
    --keep-name oval-def:definition=3 --keep-name oval-def:criteria=2 \
    --keep-name oval-def:criterion=2 --keep-name oval-def:tests=0 --keep-name oval-def:states=0 \
    --keep-name oval-def:objects=0 \
    >"$to/scap-excerpt.xml"
# Needs lxml for the verdicts of libxml2.
python3 "$here/conformance.py" "$from/xmlconf/package" --excerpt >"$to/conformance.json"
ls -l "$to"
