/* Plugins with nothing wrong in their source: CMakeLists.txt links them, or changes the file. */
#include "../right.h"

/* V08: an empty element of the run path, which means the current directory. */
VARIANT(empty_run_path, .summary = "has the run path /usr/lib:");

/* V06: requests an executable stack (-z execstack), as assembler objects often do by accident. */
VARIANT(executable_stack, .summary = "makes the stacks executable");

/* V04 warn: linked to a library that may not be installed. */
VARIANT(links_a_library, .summary = "needs libjansson");

/* V04 warn: linked to an OpenMP runtime, of which a process should have only one. */
VARIANT(links_openmp, .summary = "needs libgomp");

/* V06: its tables stay writable after relocation (-z norelro). */
VARIANT(no_relro, .summary = "has no RELRO");

/* V01 fail|refused: its header is patched to say big-endian. */
VARIANT(other_byte_order, .summary = "its header says big endian");

/* V01 fail|refused: its header is patched to say 32 bits. */
VARIANT(other_class, .summary = "its header says ELFCLASS32");

/* V01 fail|refused: its header is patched to say S/390. */
VARIANT(other_machine, .summary = "its header says S/390");

/* V08: searches for libraries in lib/ of the current directory. */
VARIANT(relative_run_path, .summary = "has the run path lib");

/* V08: searches for libraries in a directory that everybody can write to. */
VARIANT(writable_run_path, .summary = "has the run path /tmp");

RH_PLUGIN(&ZOO_STRATEGY);
