/* --list --transports: name, file, and what each can open or why not. */
#ifndef RH_CLI_LIST_TRANSPORTS_H
#define RH_CLI_LIST_TRANSPORTS_H

#include "app.h"

rh_status rh_list_transports(const rh_app *app, rh_error *error);

#endif
