#include "list.h"
#include "../core/base/error.h"
#include "../core/base/text.h"

#include <stdlib.h>
#include <string.h>

static rh_status visit_one(const char *option, const char *list, const char *word,
                           rh_visit_word *visit, void *context, rh_error *error) {
  if (*word) return visit(context, word, error);
  if (!*list) return rh_fail(error, RH_E_USAGE, "%s '': nothing is named", option);
  return rh_fail(error, RH_E_USAGE, "%s '%s': nothing before or after a comma", option, list);
}

rh_status rh_list_visit(const char *option, const char *list, rh_visit_word *visit, void *context,
                        rh_error *error) {
  char *words = rh_copy_string(list), *rest = words, *word;
  rh_status status = RH_OK;
  if (!words) return rh_fail(error, RH_E_NOMEM, "no memory for the words of %s", option);
  while (status == RH_OK && (word = strsep(&rest, ",")))
    status = visit_one(option, list, word, visit, context, error);
  free(words);
  return status;
}

rh_status rh_choice_parse(const char *option, const char *word, const char *words, uint32_t *place,
                          rh_error *error) {
  rh_text list = {0};
  const char *at = words;
  for (uint32_t k = 1; *at; k++) {
    size_t length = strcspn(at, " ");
    if (strlen(word) == length && strncmp(word, at, length) == 0) {
      *place = k;
      rh_text_finish(&list);
      return RH_OK;
    }
    rh_text_add(&list, "%s%.*s", k == 1 ? "" : at[length] ? ", " : " or ", (int)length, at);
    at += length + (at[length] == ' ');
  }
  rh_fail(error, RH_E_USAGE, "--%s '%s': expected %s", option, word, rh_text_get(&list));
  rh_text_finish(&list);
  return RH_E_USAGE;
}
