#include "say_error.h"
#include "hints.h"

#include <stdio.h>

void rh_say_error(rh_terminal *terminal, rh_error *error) {
  char place[512];
  rh_add_hint(error);
  rh_terminal_say(terminal, error->message);
  rh_point_at_place(place, sizeof place, error->message);
  fputs(place, stderr);
}
