/* Lists with commas between, as options take them. */
#ifndef RH_CLI_LIST_H
#define RH_CLI_LIST_H

#include <redhost/redhost.h>

/* Gets one word, which is never empty and is gone after the call. */
typedef rh_status rh_visit_word(void *context, const char *word, rh_error *error);

/* Shows each word of the list in turn, until one is refused.  A word of no letters: RH_E_USAGE, naming `option`. */
rh_status rh_list_visit(const char *option, const char *list, rh_visit_word *visit, void *context,
                        rh_error *error);

#endif
