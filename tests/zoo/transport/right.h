/* A right transport, the SDK's template, of which each source here replaces a part:
 *
 *     #include "right.h"
 *     TRANSPORT(.probe = wrong_probe) */
#define redhost_transport_v1 right
#include "../../../sdk/transport/example.c"
#undef redhost_transport_v1

#define TRANSPORT(...)                                                                             \
  extern const rh_transport redhost_transport_v1;                                                  \
  RH_TRANSPORT_EXPORT const rh_transport redhost_transport_v1 = {.magic = RH_TRANSPORT_MAGIC,      \
                                                                 .struct_size =                    \
                                                                     sizeof(rh_transport),         \
                                                                 .version = RH_TRANSPORT_VERSION,  \
                                                                 .name = "zoo",                    \
                                                                 .description = "one of the zoo",  \
                                                                 .probe = probe,                   \
                                                                 .open = open_job,                 \
                                                                 .gather = gather,                 \
                                                                 .abort = abort_job,               \
                                                                 .close = close_job,               \
                                                                 __VA_ARGS__}

#define PROBE static int32_t wrong_probe(char *text, uint32_t bytes)
#define OPEN                                                                                       \
  static int32_t wrong_open(void **self, rh_rank_place *place, char *text, uint32_t bytes)
#define GATHER                                                                                     \
  static int32_t wrong_gather(void *self, const void *mine, uint32_t n, void *all, double seconds, \
                              char *text, uint32_t bytes)
#define ABORT static void wrong_abort(void *self, int32_t exit_status, const char *sentence)
#define CLOSE static void wrong_close(void *self)
