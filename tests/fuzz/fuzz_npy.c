/* host/engine/io: a file, .npy or raw.  Mapped and through a pipe it must give the same array, or
 * be rejected both times. */
#include <fcntl.h>

#include "../../host/engine/io/io.h"
#include "fuzz.h"

enum { MOST = 65536 }; /* bytes: what a pipe holds without a reader */

/* Only printable parts of the input go into a message. */
static void check_refusal(rh_status status, const rh_error *error, rh_status expected) {
  fuzz_check_refusal(status, error, expected);
  for (const char *c = error->message; *c; c++) RULE(*c >= 0x20 && *c < 0x7f);
}

/* The header alone, on a block that ends where the input ends. */
static void parse_header(const uint8_t *data, size_t size) {
  rh_error error = {0};
  rh_npy npy;
  memset(&npy, 0x55, sizeof npy);
  RULE(rh_npy_wanted(data, size) > 0);
  rh_status status = rh_npy_parse(&npy, data, size, "x.npy", &error);
  if (status != RH_OK) {
    check_refusal(status, &error, RH_E_FILE);
    return;
  }
  RULE(rh_npy_has_magic(data, size));
  RULE(rh_npy_wanted(data, size) == npy.data_offset);
  RULE(npy.data_offset <= size);
  RULE(rh_type_size(npy.type) > 0);
  RULE(npy.data_bytes / rh_type_size(npy.type) == npy.n);
  RULE(npy.data_bytes % rh_type_size(npy.type) == 0);
  RULE(npy.swapped <= 1 && npy.fortran_order <= 1);
  RULE(npy.shape[0] == '(' && memchr(npy.shape, 0, sizeof npy.shape));
  RULE(npy.shape[strlen(npy.shape) - 1] == ')');
}

/* The input as standard input, which ends after it. */
static void as_standard_input(const uint8_t *data, size_t size) {
  int ends[2];
  RULE(pipe2(ends, O_CLOEXEC) == 0);
  RULE(write(ends[1], data, size) == (ssize_t)size);
  RULE(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  close(ends[0]);
  close(ends[1]);
}

static void check_array(const rh_array *array, rh_type type) {
  uint32_t size = rh_type_size(array->type);
  RULE(size > 0);
  RULE(!type || array->type == type);
  RULE(array->offset_bytes % size == 0);
  RULE(array->offset_bytes <= array->region.bytes);
  RULE(array->n <= (array->region.bytes - array->offset_bytes) / size);
}

static void check_same(const rh_array *one, const rh_array *other) {
  RULE(one->type == other->type && one->n == other->n);
  RULE(one->dimensions == other->dimensions && one->fortran_order == other->fortran_order);
  RULE(strcmp(one->shape, other->shape) == 0);
  RULE(memcmp(rh_array_data(one), rh_array_data(other), one->n * rh_type_size(one->type)) == 0);
}

static void open_both_ways(const uint8_t *data, size_t size, rh_type type) {
  rh_error error = {0}, error_of_stream = {0};
  rh_array array, of_stream;
  rh_status status = rh_array_open(&array, as_file(data, size), type, NULL, &error);
  as_standard_input(data, size);
  rh_status status_of_stream = rh_array_open(&of_stream, "-", type, NULL, &error_of_stream);
  RULE(status == status_of_stream);
  if (status == RH_OK) {
    check_array(&array, type);
    check_array(&of_stream, type);
    check_same(&array, &of_stream);
  } else {
    rh_status expected = status == RH_E_USAGE && type ? RH_E_USAGE : RH_E_FILE;
    check_refusal(status, &error, expected);
    check_refusal(status_of_stream, &error_of_stream, expected);
    RULE(!array.region.address && !of_stream.region.address);
  }
  rh_array_finish(&array);
  rh_array_finish(&of_stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > MOST) return 0;
  parse_header(data, size);
  open_both_ways(data, size, 0);
  open_both_ways(data, size, RH_TYPE_u16);
  return 0;
}
