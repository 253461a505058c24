/* The child's end of the descriptors that spawn.h sets up. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rh_channel {
  int fd; /* answers; a number that plugins which write to any descriptor do not hit */
} rh_channel;

/* The whole request, malloc'ed and null-terminated; null if there is none. */
char *rh_channel_request(size_t *length);
/* Hides the descriptors from plugins, and splits the process (guard.h): the caller continues as the
 * process that ends when `parent` does, even if a plugin hangs, together with everything that the
 * plugin started.  It leaves no core file.  0, or -1. */
int rh_channel_open(rh_channel *channel, int64_t parent);
/* The data, moved to such a number too; or -1. */
int rh_channel_data(void);
/* Sends one line; takes ownership of `frame`, which may be null. 0, or -1. */
int rh_channel_say(const rh_channel *channel, json_t *frame);
/* Sends the bytes unchanged. 0, or -1. */
int rh_channel_write(const rh_channel *channel, const char *text, size_t length);
/* The parent's next line, without its end. 0, or -1 if there is none or it is too long. */
int rh_channel_hear(const rh_channel *channel, char *line, size_t bytes);
void rh_channel_close(rh_channel *channel);
