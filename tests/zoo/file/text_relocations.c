/* V06: an absolute address in the code, which the loader must relocate. */
#include "../right.h"

extern const void *const zoo_address;
__asm__(".pushsection .text\n.balign 8\n.hidden zoo_address\n.globl zoo_address\n"
        "zoo_address: .quad zoo_address\n.popsection");

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = zoo_address == &zoo_address;
  return RH_OK;
}

RIGHT_BUT(text_relocations, .summary = "its code is written to when it loads", .query = query);

RH_PLUGIN(&strategy_text_relocations);
