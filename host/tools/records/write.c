#include "records.h"

#include <fcntl.h>

uint32_t rh_format_from_name(const char *name) {
#define RH_X(known, number, ending)                                                                \
  if (strcmp(name, #known) == 0) return number;
  RH_FORMAT_LIST(RH_X)
#undef RH_X
  return 0;
}

static int ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), of_ending = strlen(ending);
  return length > of_ending && strcmp(path + length - of_ending, ending) == 0;
}

uint32_t rh_format_from_path(const char *path) {
#define RH_X(name, number, ending)                                                                 \
  if (ends_in(path, ending)) return number;
  RH_FORMAT_LIST(RH_X)
#undef RH_X
  return 0;
}

/* ---- Formats ---- */

/* Takes over `value`. -1 if it is null or cannot be written. */
static int dump(json_t *value, FILE *out) {
  int failed = !value || json_dumpf(value, out, JSON_ENCODE_ANY) != 0;
  json_decref(value);
  return failed ? -1 : 0;
}

/* Writes each member and row separately: building one tree would take twenty times the file's
 * size. */
static int write_json(const rh_records *results, FILE *out) {
  json_t *header = rh_header_to_json(results), *value;
  const char *key, *between = "\n  ";
  int failed = !header;
  putc('{', out);
  json_object_foreach(header, key, value) {
    fprintf(out, "%s\"%s\": ", between, key);
    failed |= dump(json_incref(value), out);
    between = ",\n  ";
  }
  json_decref(header);
  fputs(",\n  \"results\": [", out);
  for (uint32_t k = 0; k < results->n_rows && !failed; k++) {
    fputs(k ? ",\n    " : "\n    ", out);
    failed = dump(rh_row_to_json(&results->rows[k]), out);
  }
  fputs("\n  ],\n  \"best\": [", out);
  json_t *best = rh_best_to_json(results);
  failed |= !best;
  for (size_t k = 0; k < json_array_size(best); k++) {
    fputs(k ? ",\n    " : "\n    ", out);
    failed |= dump(json_incref(json_array_get(best, k)), out);
  }
  json_decref(best);
  fputs("\n  ]\n}\n", out);
  return failed;
}

static int write_line(json_t *value, FILE *out) {
  int failed = dump(value, out);
  putc('\n', out);
  return failed;
}

static int write_jsonl(const rh_records *results, FILE *out) {
  int failed = write_line(rh_header_to_json(results), out);
  for (uint32_t k = 0; k < results->n_rows && !failed; k++)
    failed = write_line(rh_row_to_json(&results->rows[k]), out);
  return failed;
}

static rh_status cannot(const char *path, rh_error *error) {
  return rh_fail(error, RH_E_FILE, "%s: %s", path,
                 errno ? strerror(errno) : "the results cannot be written");
}

rh_status rh_records_write(const rh_records *results, uint32_t format, FILE *out, const char *name,
                           rh_error *error) {
  int (*const writers[])(const rh_records *, FILE *) = {NULL, write_json, write_jsonl, rh_write_csv,
                                                        rh_write_markdown};
  errno = 0;
  int failed = writers[format](results, out);
  return failed || ferror(out) ? cannot(name, error) : RH_OK;
}

/* ---- Files ---- */

rh_status rh_records_export(const rh_records *results, const char *path, rh_error *error) {
  uint32_t format = rh_format_from_path(path);
  if (!format)
    return rh_fail(error, RH_E_USAGE, "%s: the ending says no format; .json .jsonl .csv .md do",
                   path);
  rh_draft draft;
  if (rh_draft_begin(&draft, path) != 0) return cannot(path, error);
  rh_status status = rh_records_write(results, format, draft.out, path, error);
  if (status == RH_OK && rh_draft_end(&draft) != 0) status = cannot(path, error);
  rh_draft_finish(&draft);
  return status;
}

rh_status rh_records_check_path(const char *path, rh_error *error) {
  rh_draft draft;
  if (rh_draft_begin(&draft, path) != 0) return cannot(path, error);
  rh_draft_finish(&draft);
  return RH_OK;
}

/* ---- JSONL as it grows ---- */

/* Opens the file for appending after the complete lines.  A last line without a newline gets
 * one. */
static int open_behind(const char *path, uint64_t whole_bytes) {
  char last = '\n';
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  if (ftruncate(fd, (off_t)whole_bytes) == 0 && lseek(fd, 0, SEEK_END) >= 0 &&
      pread(fd, &last, 1, (off_t)whole_bytes - 1) == 1 && (last == '\n' || write(fd, "\n", 1) == 1))
    return fd;
  int code = errno;
  close(fd);
  errno = code;
  return -1;
}

rh_status rh_jsonl_begin(FILE **out, const char *path, const rh_records *results,
                         uint64_t whole_bytes, rh_error *error) {
  errno = 0;
  int fd = whole_bytes ? open_behind(path, whole_bytes)
                       : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  *out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!*out) {
    rh_status status = cannot(path, error);
    if (fd >= 0) close(fd);
    return status;
  }
  if (whole_bytes || (write_line(rh_header_to_json(results), *out) == 0 && fflush(*out) == 0))
    return RH_OK;
  rh_status status = cannot(path, error);
  fclose(*out);
  *out = NULL;
  return status;
}

rh_status rh_jsonl_add(FILE *out, const rh_row *row, const char *path, rh_error *error) {
  errno = 0;
  return write_line(rh_row_to_json(row), out) == 0 && fflush(out) == 0 ? RH_OK
                                                                       : cannot(path, error);
}
