/* Bytes that are read or written all together: calls that were interrupted, or took a part of them,
 * are repeated. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Instead of a place in the file: where the descriptor stands. */
#define RH_BYTES_HERE UINT64_MAX

/* 0, or -1 with errno. */
int rh_write_all(int fd, const void *from, size_t bytes, uint64_t at);
/* *done: how many there were, fewer at the end of the file.  0, or -1 with errno. */
int rh_read_all(int fd, void *to, size_t bytes, uint64_t at, size_t *done);
