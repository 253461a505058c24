/* REDHOST_PLUGIN_DISABLE: disables plugins that did not come with redhost. */
#pragma once

#include <stddef.h>

/* Does a pattern of the variable match the file's name, with or without its suffix?  1: *reason is
 * the message. */
int rh_is_disabled_file(const char *path, char *reason, size_t bytes);
/* Asks the same of the name of a strategy in the file. */
int rh_is_disabled_strategy(const char *name, char *reason, size_t bytes);
