/* Notes on integers that wrap where a user may not expect it. */
#pragma once

#include "../operators/custom/custom.h"
#include "app.h"

/* n: the number of elements; UINT64_MAX: not known yet. */
void rh_wrap_note(const rh_app *app, const rh_custom *self, uint64_t n);
