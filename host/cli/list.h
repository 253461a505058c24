/* Words as arguments of options: one of a few, and comma-separated lists. */
#pragma once

#include <redhost/redhost.h>

/* *place: which of `words`, with spaces between, the word is, from 1.  Any other word: RH_E_USAGE,
 * naming `option` and all words. */
rh_status rh_choice_parse(const char *option, const char *word, const char *words, uint32_t *place,
                          rh_error *error);

/* Receives one word, which is never empty and is valid only during the call. */
typedef rh_status rh_visit_word(void *context, const char *word, rh_error *error);

/* Passes each word of the list in turn, until one is rejected.  An empty word: RH_E_USAGE, naming
 * `option`. */
rh_status rh_list_visit(const char *option, const char *list, rh_visit_word *visit, void *context,
                        rh_error *error);
