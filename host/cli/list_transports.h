/* --list --transports: name, file, and what each can open or why not. */
#pragma once

#include "app.h"

rh_status rh_list_transports(const rh_app *app, rh_error *error);
