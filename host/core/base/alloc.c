#include "base.h"

static rh_status no_memory(const char *what, rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory for %s", what);
}

/* Pointers are copied as bytes, for `to` and `list` need not point to a void *. */

rh_status rh_alloc(void *to, uint64_t n, size_t size, const char *what, rh_error *error) {
  void *memory = n <= SIZE_MAX / size ? calloc(n ? (size_t)n : 1, size) : NULL;
  memcpy(to, &memory, sizeof memory);
  return memory ? RH_OK : no_memory(what, error);
}

/* The room is the next power of two, 8 at least: so it is known from n. */
rh_status rh_make_room(void *list, uint64_t n, size_t size, const char *what, rh_error *error) {
  void *memory;
  if (n && (n < 8 || (n & (n - 1)))) return RH_OK;
  uint64_t room = n ? 2 * n : 8;
  memcpy(&memory, list, sizeof memory);
  void *grown = room <= SIZE_MAX / size ? realloc(memory, (size_t)room * size) : NULL;
  if (!grown) return no_memory(what, error);
  memcpy(list, &grown, sizeof grown);
  return RH_OK;
}

rh_status rh_copy(char **to, const char *s, const char *what, rh_error *error) {
  *to = s ? strdup(s) : NULL;
  return *to || !s ? RH_OK : no_memory(what, error);
}
