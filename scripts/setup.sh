# shellcheck shell=sh disable=SC2154
# Sourced by run and test: what must be there before anything can be built.  $root is the project's folder.
# Nothing here writes to standard output: that belongs to the program.

say() {
  printf 'scripts/%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
  say "$*"
  exit 1
}

# What is missing

# need PACKAGES WHAT COMMAND...: the Debian packages that are wanted where the command fails.
need() {
  need_packages=$1 need_what=$2
  shift 2
  "$@" >/dev/null 2>&1 && return
  missing_packages="${missing_packages:+$missing_packages }$need_packages"
  missing_what="${missing_what:+$missing_what, }$need_what"
}

has_header() {
  printf '#include <%s>\n' "$1" | "${CC:-cc}" -E -x c -
}

# Debian has the headers and the programs in packages of their own.
has_mpi() {
  command -v "mpirun.$1" && printf '#include <mpi.h>\n' | "mpicc.$1" -E -x c -
}

has_pocl() {
  ls "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*pocl*.icd || pkg-config --exists pocl
}

# has_module MODULE [CODE]: by Debian's Python, which has Debian's NumPy, before any other; as in tests/CMakeLists.txt.
has_module() {
  python=python3
  [ -x /usr/bin/python3 ] && python=/usr/bin/python3
  "$python" -c "import $1; ${2-}"
}

is_debian() {
  grep -qx 'ID=debian' /etc/os-release 2>/dev/null
}

# The loader's list, or where Debian's library stands: ldconfig may not be in the user's path.
has_openblas() {
  { ldconfig -p || /sbin/ldconfig -p; } | grep libopenblas.so.0
}

# Python and matplotlib are not among these: redhost starts them for --plot, pictures of --compare and the report only,
# and says so where they are missing.
needs_to_build() {
  need 'gcc libc6-dev' 'a C compiler' has_header stdlib.h
  need cmake CMake command -v cmake
  need make make command -v make
  need pkg-config pkg-config command -v pkg-config
  need libjansson-dev 'jansson with its headers' pkg-config --exists 'jansson >= 2.11'
  need libffi-dev 'libffi with its headers' pkg-config --exists libffi
  need opencl-c-headers 'the OpenCL headers' has_header CL/cl.h
  need ocl-icd-opencl-dev 'an OpenCL ICD loader' pkg-config --exists OpenCL
  need pocl-opencl-icd 'PoCL (OpenCL on any CPU)' has_pocl
}

# What CPack finds out by: which packages have the libraries that a program needs, and which files are programs.
needs_to_pack() {
  needs_to_build
  need dpkg-dev 'dpkg-shlibdeps (for the Debian packages)' command -v dpkg-shlibdeps
  need file 'file (for the Debian packages)' command -v file
}

needs_to_test() {
  needs_to_pack
  need check 'Check (unit tests)' pkg-config --exists 'check >= 0.15'
  need libmpfr-dev 'MPFR (exact sums are rounded by it, too)' pkg-config --exists mpfr
  need python3 'Python 3' command -v python3
  need python3-numpy NumPy has_module numpy
  need python3-jsonschema 'jsonschema of Python' has_module jsonschema 'jsonschema.Draft202012Validator'
  need locales 'the sources of locales' [ -e /usr/share/i18n/locales/de_DE ]
  need python3-venv 'venv of Python 3' python3 -c 'import ensurepip'
  need oclgrind Oclgrind command -v oclgrind
  need clang clang command -v clang++
  need groff-base 'groff (for the manual page)' command -v groff
  need g++ 'a C++ compiler (the headers are for C++ too)' command -v g++
  need gcc-aarch64-linux-gnu 'a compiler for ARM (native is tested with its vectors, too)' command -v aarch64-linux-gnu-gcc
  need libc6-dev-arm64-cross "ARM's C library (that test is linked with it)" test -d /usr/aarch64-linux-gnu/include
  need qemu-user-static 'an emulated ARM processor (it runs that test)' command -v qemu-aarch64-static
  # Every picture is drawn, in every format, by the matplotlib that people have.
  need python3-matplotlib matplotlib has_module matplotlib
  # The Python package: arrays on devices, hints, progress bars, the example with two workers, and the notebook.
  need python3-pyopencl PyOpenCL has_module pyopencl
  need mypy mypy has_module mypy
  need python3-tqdm tqdm has_module tqdm
  need python3-distributed Dask has_module distributed
  need python3-nbclient 'nbclient (it runs the notebook)' has_module nbclient
  need python3-ipykernel "Python's kernel for notebooks" has_module ipykernel
  # A browser reads back what the report shows.  Ubuntu has it as a snap only; that test is skipped without it.
  if is_debian; then need chromium Chromium command -v chromium; fi
  need libopenblas0-pthread OpenBLAS has_openblas
  # Both: ranks are tested with either, and with the mpirun of the other.
  need 'libopenmpi-dev openmpi-bin' 'Open MPI' has_mpi openmpi
  need 'libmpich-dev mpich' MPICH has_mpi mpich
}

# A program that links.
has_fuzzer() {
  fuzzer=$(mktemp) || return
  echo 'int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { return !data && size; }' |
    clang -fsanitize=fuzzer,address,undefined -o "$fuzzer" -x c -
  has=$?
  rm -f "$fuzzer"
  return "$has"
}

needs_to_fuzz() {
  needs_to_test
  need 'clang libclang-rt-dev' "clang's libFuzzer" has_fuzzer
}

# Installing it

# as_root COMMAND...
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}

# set_up NEEDS: installs what the function NEEDS finds missing.
set_up() {
  missing_packages='' missing_what=''
  "$1"
  [ -z "$missing_packages" ] && return
  wanted=$missing_packages
  if ! command -v apt-get >/dev/null 2>&1; then
    die "this system has no apt-get; please install $missing_what, then run this again."
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    die "not root and no sudo; please have these packages installed, then run this again: $wanted."
  fi

  say "installing the packages $wanted."
  # Some other source that cannot be reached does not matter if the packages can.
  apt update || say "apt-get update failed; trying with the package lists that are here."
  # Word splitting is what makes a list of the names.
  # shellcheck disable=SC2086
  apt install -y --no-install-recommends $wanted || die "apt-get could not install $wanted."

  missing_packages='' missing_what=''
  "$1"
  [ -z "$missing_packages" ] || die "still missing after installing $wanted: $missing_what."
}

# Building

processors() {
  nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

# lock DIRECTORY: one build at a time there, until this process ends or calls unlock.
lock() {
  mkdir -p "$1" 2>/dev/null || :
  [ -w "$1" ] || die "cannot write to $1."
  exec 9>"$1/.lock"
  if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    say "waiting for another build in $1."
    flock 9
  fi
}

unlock() {
  exec 9>&-
}

# fresh DIRECTORY: forgets what CMake found out when the project stood elsewhere.  Without a Makefile it is configured anew.
fresh() {
  [ -f "$1/CMakeCache.txt" ] || return 0
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt" && return 0
  rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles" "$1/Makefile" "$1/build.ninja"
}

# quietly COMMAND...: passes on to standard error what the command says, less what says that all is well.
quietly() {
  quietly_status=$({
    if "$@" 2>&1; then echo 0 >&3; else echo 1 >&3; fi | while IFS= read -r line; do
      case $line in
        '[100%] Built target '* | '['*'] Built target '* | 'Consolidate compiler generated '*) ;;
        '-- '*) ;;
        *) printf '%s\n' "$line" >&2 ;;
      esac
    done
  } 3>&1)
  return "$quietly_status"
}
