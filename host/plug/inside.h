/* The child's side of spawn.h: what it was asked, and how it answers. */
#ifndef RH_PLUG_INSIDE_H
#define RH_PLUG_INSIDE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* The request's bytes, malloc'ed; null where there is none. */
char *rh_inside_request(size_t *length);

/* From here on this process ends with its parent, even where a plugin hangs, and leaves no core file behind.
 * 0, or -1 where the parent is gone already. */
int rh_inside_tie(int64_t parent);

/* The channel, out of the way of plugins that write to any descriptor, and of the programs they start; or -1. */
int rh_inside_channel(void);

/* The data, out of the way too; or -1. */
int rh_inside_data(void);

/* One line; takes over `frame`, which may be null.  0, or -1. */
int rh_inside_say(int channel, json_t *frame);

/* The next line that the parent sends, without its end.  0, or -1 where there is none or it is too long. */
int rh_inside_hear(int channel, char *line, size_t bytes);

#endif
