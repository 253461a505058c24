#include "list.h"
#include "../core/base/error.h"
#include "../core/base/text.h"

#include <stdlib.h>
#include <string.h>

static rh_status visit_one(const char *option, const char *list, const char *word,
                           rh_visit_word *visit, void *context, rh_error *error) {
  if (*word) return visit(context, word, error);
  if (!*list) return rh_fail(error, RH_E_USAGE, "%s '': nothing is named", option);
  return rh_fail(error, RH_E_USAGE, "%s '%s': there is nothing before or behind a comma", option,
                 list);
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
