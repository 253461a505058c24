/* V12: changes the locale when it is loaded. */
#include "zoo.h"
#include <locale.h>

ZOO_STRATEGY(sets_locale, "sets_locale", zoo_query);
ZOO_PLUGIN(sets_locale);

ZOO_ON_LOAD {
  const char *now = setlocale(LC_ALL, NULL);
  setlocale(LC_ALL, now && strcmp(now, "C") == 0 ? "C.UTF-8" : "C");
}
