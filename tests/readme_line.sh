#!/bin/sh
# Do what the README's first line says, as printed there, on a clean copy of what is committed.
set -eu
cd "$(dirname "$0")/.."
line=$(sed -n '/^<!-- the one line -->$/,/^```$/p' README.md | grep -v -e '^<!--' -e '^```')
[ -n "$line" ] || { echo "README.md has no line after '<!-- the one line -->'" >&2; exit 1; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git archive HEAD | tar -x -C "$copy"
cd "$copy"
sh -euc "$line" >"$copy/.out" 2>&1 || { cat "$copy/.out"; exit 1; }
cat "$copy/.out"
grep -q '^high\[' "$copy/.out"
grep -q '^Not read' "$copy/.out"
