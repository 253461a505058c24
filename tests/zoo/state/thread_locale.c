/* V58: changes its thread's locale in run, and does not restore it. */
#include "state.h"
#include <locale.h>

IN_RUN("thread_locale", "gives its thread another locale in run") {
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}
