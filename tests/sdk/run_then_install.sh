#!/bin/sh
# run_then_install.sh ROOT: what the README says for a newcomer works: scripts/run, then cmake --install, then the program from
# where it was installed.  Builds a copy of the project from nothing.
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/redhost"
(cd "$root" && tar -cf - --exclude='./build*' --exclude=./.git .) | tar -xf - -C "$work/redhost"
cd "$work"
redhost/scripts/run --version >/dev/null
cmake --install redhost/build --prefix "$work/prefix" >/dev/null
rm -rf redhost
"$work/prefix/bin/redhost" --list -q | grep -qx cascade
test "$("$work/prefix/bin/redhost" --run native -n 1000 --data ramp --op max -t i32 -q)" = "$("$work/prefix/bin/redhost" --run serial -n 1000 --data ramp --op max -t i32 -q)"
echo "scripts/run and cmake --install: ok"
