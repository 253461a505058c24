/* V07: its descriptor is an STB_GNU_UNIQUE object, like C++ inline statics, so dlclose() does
 * nothing. */
#include "../right.h"

/* The symbol is an alias of the descriptor, because the compiler sets the type of the descriptor
 * itself. */
#define redhost_plugin_v1 zoo_descriptor
RIGHT_BUT(unique_object, .summary = "its symbol is STB_GNU_UNIQUE");
RIGHT_PLUGIN;
#undef redhost_plugin_v1
__asm__(".globl redhost_plugin_v1\n.type redhost_plugin_v1, %gnu_unique_object\n"
        ".set redhost_plugin_v1, zoo_descriptor");
