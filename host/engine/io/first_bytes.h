/* Checks of every input file, however it is read: mapped, into memory, or in pieces. */
#pragma once

#include "npy.h"
#include <sys/stat.h>
#include <time.h>

/* A path for messages: printable, and short enough to leave room for the error. */
enum { RH_ARRAY_NAME_BYTES = 256 };
void rh_array_name(char name[static RH_ARRAY_NAME_BYTES], const char *path);

/* Enough to tell what kind of file it is that is not a .npy file. */
enum { RH_FIRST_BYTES = 512, RH_LEAST_NPY_BYTES = 12 };
/* How many bytes of the file are to be known, judging by those that are: ask again when they are.
 */
uint64_t rh_file_wanted(const void *bytes, uint64_t length);

/* In all of these, `name` is for messages, and `type` is what the caller asked for; 0: nothing.
 *
 * Can the file, which begins with these bytes, be raw elements?  RH_E_FILE if no type was asked
 * for, saying what the file is if that is known, or if it resembles a damaged .npy file. */
rh_status rh_file_check_raw(const char *name, rh_type type, const void *bytes, uint64_t length,
                            rh_error *error);
/* Warns of raw elements that are a file of another kind, such as a compressed one. */
void rh_file_note_kind(const char *name, rh_type type, const void *bytes, uint64_t length,
                       const rh_reporter *reporter);
/* RH_E_USAGE if the file holds another type. */
rh_status rh_file_check_npy(const char *name, rh_type type, const rh_npy *npy, rh_error *error);

/* RH_E_FILE, with advice, for a directory, a FIFO, a socket or a device. */
rh_status rh_file_check_regular(const char *name, const struct stat *info, rh_error *error);

/* RH_E_FILE for a file without a size: it is empty, or the kernel generates it on reading. */
rh_status rh_file_without_bytes(const char *name, int fd, rh_error *error);

/* RH_E_FILE if the file has another size or was written to since it was opened. */
rh_status rh_file_check_unchanged(const char *name, int fd, uint64_t bytes,
                                  const struct timespec *modified, rh_error *error);

/* Turns the bytes of each element of `size` bytes around. */
void rh_file_swap(void *elements, uint64_t bytes, uint32_t size);
