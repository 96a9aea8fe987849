#!/usr/bin/env bash
# Fetches the PDF documents of documents.json into a folder: from the Debian
# packages that hold them when those are installed, otherwise with apt, without
# root. What is there already stays. Every file is compared with its SHA-256.
#
#   cmd/footnote/gold/fetch.sh FOLDER
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: $0 FOLDER" >&2
    exit 2
fi
list="$(dirname "${BASH_SOURCE[0]}")/documents.json"
mkdir -p "$1"
folder="$(cd "$1" && pwd)"
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT

# field prints a member of a document; the list holds one document per line.
field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" <<<"$line"; }

# holds says whether the file of the first argument has the sum of the second.
holds() { [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d' ' -f1)" = "$2" ]; }

# take copies the file of a package, unpacked, if it is the right one.
take() {
    [ -f "$1" ] || return 1
    case "$1" in
    *.gz) gzip -dc "$1" >"$temporary/document" || return 1 ;;
    *) cp "$1" "$temporary/document" ;;
    esac
    holds "$temporary/document" "$sum" && mv "$temporary/document" "$folder/$name"
}

# download leaves the package's archive in the temporary folder.
download() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
        echo "Debian's apt and dpkg are needed to fetch $package. Without them, unpack version $version of the package by hand and put its file /$path${gzipped:+, unpacked with gzip -d,} at $folder/$name." >&2
        return 1
    fi
    if ! (cd "$temporary" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$package=$version" >apt.log 2>&1); then
        cat "$temporary/apt.log" >&2
        echo "apt-get cannot fetch $package=$version. Run apt-get update as root; on a release other than Debian 12 (bookworm) add bookworm's main to the sources first, or put the file /$path of that version${gzipped:+, unpacked with gzip -d,} at $folder/$name." >&2
        return 1
    fi
}

missing=0
while read -r line; do
    name="$(field name)" package="$(field package)" version="$(field version)" path="$(field path)" sum="$(field sha256)"
    [ -n "$name" ] || continue
    gzipped=
    if [[ "$path" == *.gz ]]; then gzipped=yes; fi
    if holds "$folder/$name" "$sum" || take "/$path"; then
        continue
    fi
    if ! download; then
        missing=1
        continue
    fi
    dpkg-deb -x "$temporary/${package}"_*.deb "$temporary/$package"
    if ! take "$temporary/$package/$path"; then
        echo "/$path in $package=$version is not the file that the questions were written about: its SHA-256 is not $sum." >&2
        missing=1
    fi
    rm -rf "${temporary:?}/$package" "$temporary/${package}"_*.deb
done <"$list"
exit "$missing"
