#!/bin/sh
# run_then_install.sh ROOT: the README's first commands work: scripts/run, then cmake --install, then the program from where it
# was installed.  Builds a copy of the project, in which a build folder remains from where the project stood before.
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/redhost"
(cd "$root" && tar -cf - --exclude='./build*' --exclude=./.git .) | tar -xf - -C "$work/redhost"
cd "$work"
mkdir redhost/build
echo 'CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere' >redhost/build/CMakeCache.txt
echo 'redhost_product:; @echo made by the old Makefile >&2; exit 1' >redhost/build/Makefile
redhost/scripts/run --version >/dev/null
cmake --install redhost/build --prefix "$work/prefix" >/dev/null
rm -rf redhost
"$work/prefix/bin/redhost" --list -q | grep -qx cascade
test "$("$work/prefix/bin/redhost" --run native -n 1000 --data ramp --op max -t i32 -q)" = "$("$work/prefix/bin/redhost" --run serial -n 1000 --data ramp --op max -t i32 -q)"
echo "scripts/run and cmake --install: ok"
