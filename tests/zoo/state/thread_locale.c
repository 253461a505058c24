/* V58: gives its thread another locale in run, and does not take it back. */
#include "state.h"
#include <locale.h>

IN_RUN("thread_locale", "gives its thread another locale in run") {
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}
