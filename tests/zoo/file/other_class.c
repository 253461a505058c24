/* V01: a 32-bit file, its header says; patched after linking. */
#include "../right.h"

RIGHT_BUT("other_class", .summary = "its header says ELFCLASS32");
