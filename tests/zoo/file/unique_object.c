/* V07: its descriptor is an STB_GNU_UNIQUE object, as inline statics of C++ are: dlclose() then
 * does nothing. */
#include "../right.h"

/* The symbol is another name of the descriptor: the compiler would give it a type of its own. */
#define redhost_plugin_v1 zoo_descriptor
RIGHT_BUT("unique_object", .summary = "its symbol is STB_GNU_UNIQUE");
#undef redhost_plugin_v1
__asm__(".globl redhost_plugin_v1\n.type redhost_plugin_v1, %gnu_unique_object\n"
        ".set redhost_plugin_v1, zoo_descriptor");
