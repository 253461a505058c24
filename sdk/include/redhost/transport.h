/* redhost/transport.h: transports, version 1.  SPDX-License-Identifier: MIT
 *
 * A transport lets the processes of a job, its *ranks*, exchange small messages.  redhost reduces a
 * part of the data in each rank and gathers the values of the parts: never the data themselves.
 *
 * A transport is a shared object that exports one constant, `redhost_transport_v1`, and nothing
 * else.  It is found in directories called transports-1, as strategies are in redhost-1:
 *
 *     probe  ->  open  ->  gather*  ->  close, or abort
 *
 * This header needs a C11 or C++11 compiler and nothing else.  Rules for all of it:
 *   - Structs begin with what tells their size; fields are only ever appended.
 *   - Strings are UTF-8 and null-terminated.
 *   - A function that fails writes one sentence, without a newline, to text[0] .. text[bytes-1]:
 *     what failed, where, and what to do.  bytes is at least 256, and text is never null.
 *   - redhost calls these functions from one thread at a time, and all but probe from the thread
 *     that called open.  Other threads compute meanwhile.
 *   - All ranks call gather equally often and with the same number of bytes.
 *   - The library that a transport needs is opened by dlopen in probe or open, so that what lacks
 *     it can still be listed, with the reason. */
#ifndef REDHOST_TRANSPORT_H
#define REDHOST_TRANSPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RH_TRANSPORT_MAGIC   0x31545852u /* "RXT1" read as little endian */
#define RH_TRANSPORT_VERSION 1u          /* grows when something is appended */

/* Before the constant that a transport exports. */
#define RH_TRANSPORT_EXPORT __attribute__((visibility("default")))

/* The most bytes of one rank in one gather. */
#define RH_TRANSPORT_MOST_BYTES 65536u

/* What probe returns: the higher, the better. */
enum {
  RH_TRANSPORT_CANNOT = 0, /* it cannot work here, or not in this job; text says why */
  RH_TRANSPORT_CAN = 1,    /* it works, but did not start this process: a job of one rank */
  RH_TRANSPORT_STARTED = 2 /* this process is one of a job that it knows */
};

/* Where a process stands in its job.  redhost sets struct_size, and open the rest. */
typedef struct rh_rank_place {
  uint32_t struct_size; /* sizeof(rh_rank_place) */
  uint32_t rank;        /* 0 .. size-1 */
  uint32_t size;        /* ranks of the job, at least 1 */
  uint32_t local_rank;  /* among the ranks of this host, from 0 in the order of their ranks */
} rh_rank_place;

/* Constant data of the shared object, valid as long as it is loaded, which is until the process
 * ends. */
typedef struct rh_transport {
  uint32_t magic;          /* RH_TRANSPORT_MAGIC */
  uint32_t struct_size;    /* sizeof(rh_transport) */
  uint32_t version;        /* RH_TRANSPORT_VERSION it was built with */
  uint32_t reserved;       /* 0 */
  const char *name;        /* "mpi": a-z, 0-9, - and _, at most 31 bytes.  Several files may have
                              one name; the one whose probe returns most is taken */
  const char *description; /* a line for --list: "Open MPI", at most 127 bytes */

  /* Can it work in this process?  Starts and joins nothing: it may look at the environment and open
   * its library.  text: what it would use, "Open MPI 4.1.4 (libmpi.so.40)", or why it cannot and
   * what to install.  May be called several times.  Returns RH_TRANSPORT_*. */
  int32_t (*probe)(char *text, uint32_t bytes);

  /* Joins the job and fills *place.  All ranks of a job call it.  *self: the transport's own state,
   * which it owns until close.  Returns 0, or -1 with a sentence and nothing left open.  At most
   * one is open in a process at a time. */
  int32_t (*open)(void **self, rh_rank_place *place, char *text, uint32_t bytes);

  /* Copies mine[0] .. mine[n-1] of every rank to every rank: all[r * n] .. all[r * n + n - 1] are
   * those of rank r.  n is the same in all ranks, and from 1 to RH_TRANSPORT_MOST_BYTES.  Both
   * arrays are redhost's; they do not overlap.  Returns 0, or -1 with a sentence if a rank has
   * ended or does not answer within `seconds`; the sentence names the rank where it is known.
   * Only abort may be called then. */
  int32_t (*gather)(void *self, const void *mine, uint32_t n, void *all, double seconds, char *text,
                    uint32_t bytes);

  /* Ends all ranks, this process too, with this exit status (1 .. 255) where that is in its power;
   * ranks that are stopped or do not answer, too.  Prints nothing: `sentence` says why, for a log
   * of the transport's own, and redhost has printed it.  Does not return. */
  void (*abort)(void *self, int32_t exit_status, const char *sentence);

  /* Leaves the job after the last gather, in all ranks.  Releases *self. */
  void (*close)(void *self);
} rh_transport;

#ifdef __cplusplus
}
#endif
#endif
