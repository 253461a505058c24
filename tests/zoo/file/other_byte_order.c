/* V01: a big-endian file, its header says; patched after linking. */
#include "../right.h"

RIGHT_BUT("other_byte_order", .summary = "its header says big endian");
