/* V58: changes the locale of the process in teardown. */
#include "state.h"
#include <locale.h>

IN_TEARDOWN("process_locale", "changes the locale of the process in teardown") {
  setlocale(LC_ALL, "C.UTF-8");
}
