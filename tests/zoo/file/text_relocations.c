/* V06: an absolute address in the code, which the loader must relocate. */
#include "../right.h"

extern const void *const zoo_address;
__asm__(".pushsection .text\n.balign 8\n.hidden zoo_address\n.globl zoo_address\n"
        "zoo_address: .quad zoo_address\n.popsection");

BUT_ANSWER(text_relocations, answer->score = zoo_address == &zoo_address);

RIGHT_PLUGIN;
