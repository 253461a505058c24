/* The child's end of the descriptors that spawn.h gives it. */
#ifndef RH_CHILD_CHANNEL_H
#define RH_CHILD_CHANNEL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rh_channel {
  int fd; /* answers; out of the way of plugins that write to any descriptor */
} rh_channel;

/* The whole request, malloc'ed and with a 0 behind it; null where there is none. */
char *rh_channel_request(size_t *length);
/* Hides the descriptors from plugins, and splits the process (guard.h): the caller goes on as the
 * one that ends when `parent` does, even where a plugin hangs, with all that the plugin started.
 * It leaves no core file.  0, or -1. */
int rh_channel_open(rh_channel *channel, int64_t parent);
/* The data, out of the way too; or -1. */
int rh_channel_data(void);
/* One line; takes over `frame`, which may be null.  0, or -1. */
int rh_channel_say(const rh_channel *channel, json_t *frame);
/* So many bytes as they are.  0, or -1. */
int rh_channel_write(const rh_channel *channel, const char *text, size_t length);
/* The next line that the parent sends, without its end.  0, or -1 where there is none or it is too
 * long. */
int rh_channel_hear(const rh_channel *channel, char *line, size_t bytes);
void rh_channel_close(rh_channel *channel);

#endif
