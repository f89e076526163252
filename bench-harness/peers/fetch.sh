#!/usr/bin/env bash
# Fetches and builds the engines that `bench-harness compare` can compare ours with:
#
#   fetch.sh DIR [flink] [varpulis] [duckdb] [libxml2] [simdxml]
#
# All when none is named. `bench-harness compare` looks in .bench-data/peers unless told otherwise.
# Nothing else runs this script: not the tests, not `reproduce`.
#
#   flink      the package apache-flink-libraries from PyPI (330 MB), of which flink-cep and flink-dist
#              are kept (210 MB); needs python3 with pip, and javac and java 17 or newer
#   varpulis   the crate varpulis-sase from crates.io, built with the small program around it; needs
#              cargo
#   duckdb     the packages duckdb and numpy from PyPI (140 MB), and the small program around them;
#              needs python3 with pip
#   libxml2    the package lxml from PyPI (20 MB), and the small program around it; needs python3 with
#              pip, and xmllint, which Debian has in libxml2-utils
#   simdxml    the crate simdxml from crates.io, built with the small program around it; needs cargo
#
# What is there already is kept, so that a second run is cheap. The exit status is 0 when every peer
# that was asked for is there and 1 otherwise.
#
# The functions are called by the peers' names, which shellcheck does not see:
# shellcheck disable=SC2317
set -euo pipefail

if [ $# -lt 1 ] || [ -z "$1" ] || [ "${1#-}" != "$1" ]; then
    echo "usage: fetch.sh DIR [flink] [varpulis] [duckdb] [libxml2] [simdxml]" >&2
    exit 2
fi
mkdir -p -- "$1"
dir=$(cd -- "$1" && pwd)
shift
[ $# -gt 0 ] || set -- flink varpulis duckdb libxml2 simdxml
here=$(cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/peers-fetch.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT
flink=2.3.0
duckdb=2.0.1
numpy=2.4.6
lxml=6.1.3

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

flink() {
    local lib=$dir/flink/lib name
    mkdir -p -- "$lib"
    for name in flink-cep flink-dist; do
        [ -s "$lib/$name-$flink.jar" ] || jars || return 1
    done
    have javac java || return 1
    rm -rf -- "$dir/flink/classes"
    javac -encoding UTF-8 -cp "$lib/*" -d "$scratch/classes" "$here"/flink/*.java || return 1
    mv -- "$scratch/classes" "$dir/flink/classes"
}

# Takes the two jars out of the package; they appear under their names only when they are whole.
jars() {
    have python3 || return 1
    python3 -m pip download --quiet --no-deps --only-binary=:all: --dest "$scratch" \
        "apache-flink-libraries==$flink" || return 1
    python3 - "$scratch" "$lib" "$flink" <<'PYTHON'
import pathlib, shutil, sys, zipfile

scratch, lib, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
(wheel,) = scratch.glob("*.whl")
with zipfile.ZipFile(wheel) as package:
    for name in ("flink-cep", "flink-dist"):
        jar = f"{name}-{version}.jar"
        (member,) = [n for n in package.namelist() if n.endswith("/" + jar)]
        with package.open(member) as source, open(lib / (jar + ".partial"), "wb") as target:
            shutil.copyfileobj(source, target)
        (lib / (jar + ".partial")).rename(lib / jar)
PYTHON
}

# built NAME : the program NAME-peer around a crate, from its own workspace.
built() {
    have cargo || return 1
    local target=$dir/$1/target suffix=
    [ "${OS:-}" != Windows_NT ] || suffix=.exe
    cargo build --quiet --release --locked --manifest-path "$here/$1/Cargo.toml" \
        --target-dir "$target" || return 1
    cp -- "$target/release/$1-peer$suffix" "$dir/$1/"
}

# python NAME PACKAGE==VERSION.. : the program NAME_peer.py and packages of PyPI for it, the first of
# which tells whether they are there.
python() {
    have python3 || return 1
    local name=$1 lib=$dir/$1/lib
    shift
    if [ ! -d "$lib/${1/==/-}.dist-info" ]; then
        mkdir -p -- "$dir/$name"
        python3 -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
            --target "$scratch/$name" "$@" || return 1
        rm -rf -- "$lib"
        mv -- "$scratch/$name" "$lib"
    fi
    cp -- "$here/$name/${name}_peer.py" "$dir/$name/"
}

varpulis() {
    built varpulis
}

simdxml() {
    built simdxml
}

duckdb() {
    python duckdb "duckdb==$duckdb" "numpy==$numpy"
}

libxml2() {
    have xmllint || return 1
    python libxml2 "lxml==$lxml"
}

for peer in "$@"; do
    case $peer in
        flink | varpulis | duckdb | libxml2 | simdxml) ;;
        *)
            echo "fetch.sh: no peer is called $peer; there are flink, varpulis, duckdb, libxml2 and simdxml" >&2
            exit 2
            ;;
    esac
done
missing=0
for peer in "$@"; do
    if "$peer"; then
        echo "$peer: ready in $dir/$peer"
    else
        echo "fetch.sh: $peer could not be had" >&2
        missing=1
    fi
done
exit "$missing"
