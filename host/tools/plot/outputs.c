#include "outputs.h"
#include "../../core/base/draft.h"
#include "../../core/base/error.h"
#include "../../core/base/path.h"
#include "gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds for gnuplot, plus one for each file; a plot usually takes less than a tenth. */
#define LIMIT_S 30.0

static const char *const suffixes[] = {"svg", "png", "pdf", "txt", "gp"};

static rh_status no_memory(rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory for the names of pictures");
}

static char *join(const char *a, const char *b) {
  char *both;
  return asprintf(&both, "%s%s", a, b) < 0 ? NULL : both;
}

/* ---- Names ---- */

/* ".svg" of "a.b/r.svg"; null if there is none. */
static const char *suffix_of(const char *file) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const char *dot = strrchr(name, '.');
  return dot == name ? NULL : dot;
}

static rh_status format_of(const char *file, uint32_t *format, rh_error *error) {
  const char *dot = suffix_of(file);
  for (uint32_t k = RH_DRAW_SVG; dot && k <= RH_DRAW_PDF; k++)
    if (strcmp(dot + 1, suffixes[k]) == 0) {
      *format = k;
      return RH_OK;
    }
  return rh_fail(error, RH_E_USAGE, "--export '%s': a picture's name ends in .svg, .png or .pdf",
                 file);
}

rh_status rh_outputs_check_name(const char *file, rh_error *error) {
  uint32_t format;
  return format_of(file, &format, error);
}

static rh_status add_format(rh_stem *stem, uint32_t format) {
  for (uint32_t k = 0; k < stem->n_formats; k++)
    if (stem->formats[k] == format) return RH_OK;
  stem->formats[stem->n_formats++] = format;
  return RH_OK;
}

static rh_status add_file(rh_outputs *outputs, const char *file, rh_error *error) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  uint32_t format = 0, k = 0;
  RH_TRY(format_of(file, &format, error));
  char *directory = slash ? strndup(file, (size_t)(name - file)) : strdup("./");
  char *stem = strndup(name, (size_t)(suffix_of(file) - name));
  if (!directory || !stem) {
    free(directory);
    free(stem);
    return no_memory(error);
  }
  while (k < outputs->n_stems && (strcmp(outputs->stems[k].directory, directory) != 0 ||
                                  strcmp(outputs->stems[k].name, stem) != 0))
    k++;
  if (k == outputs->n_stems) {
    outputs->stems[outputs->n_stems++] = (rh_stem){.directory = directory, .name = stem};
  } else {
    free(directory);
    free(stem);
  }
  return add_format(&outputs->stems[k], format);
}

/* ---- Staging directories ---- */

static rh_status make_staging(rh_stem *stem, rh_error *error) {
  char *path = join(stem->directory, ".redhost-XXXXXX");
  if (!path) return no_memory(error);
  /* The name gets a final "/". */
  char *made = mkdtemp(path) ? join(path, "/") : NULL;
  int code = errno;
  free(path);
  stem->staging = made;
  if (made) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: pictures cannot be written there: %s", stem->directory,
                 strerror(code));
}

static void hold_signals(rh_outputs *outputs) {
  sigset_t held, *old = (sigset_t *)(void *)outputs->old_signals;
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGTERM);
  sigaddset(&held, SIGHUP);
  outputs->signals_held = sigprocmask(SIG_BLOCK, &held, old) == 0;
}

static rh_status init(rh_outputs *outputs, uint32_t n, rh_error *error) {
  *outputs = (rh_outputs){.stems = calloc(n, sizeof *outputs->stems)};
  return outputs->stems ? RH_OK : no_memory(error);
}

rh_status rh_outputs_init(rh_outputs *outputs, const char *const *files, uint32_t n,
                          rh_error *error) {
  RH_TRY(init(outputs, n, error));
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < n && status == RH_OK; k++) status = add_file(outputs, files[k], error);
  if (status == RH_OK) hold_signals(outputs);
  for (uint32_t k = 0; k < outputs->n_stems && status == RH_OK; k++)
    status = make_staging(&outputs->stems[k], error);
  if (status != RH_OK) rh_outputs_finish(outputs);
  return status;
}

rh_status rh_outputs_init_text(rh_outputs *outputs, rh_error *error) {
  const char *temporary = rh_env("TMPDIR");
  RH_TRY(init(outputs, 1, error));
  rh_stem *stem = &outputs->stems[outputs->n_stems++];
  *stem = (rh_stem){.directory = join(temporary ? temporary : "/tmp", "/"),
                    .name = strdup("picture"),
                    .formats = {RH_DRAW_TEXT},
                    .n_formats = 1};
  hold_signals(outputs);
  rh_status status = stem->directory && stem->name ? make_staging(stem, error) : no_memory(error);
  if (status != RH_OK) rh_outputs_finish(outputs);
  return status;
}

static char *made_path(const rh_outputs *outputs, const rh_output *output) {
  return join(outputs->stems[output->stem].staging, output->name);
}

void rh_outputs_finish(rh_outputs *outputs) {
  for (uint32_t k = 0; k < outputs->n; k++) {
    char *path = made_path(outputs, &outputs->list[k]);
    if (path) unlink(path);
    free(path);
    free(outputs->list[k].name);
  }
  for (uint32_t k = 0; k < outputs->n_stems; k++) {
    rh_stem *stem = &outputs->stems[k];
    if (stem->staging) rmdir(stem->staging);
    free(stem->staging);
    free(stem->directory);
    free(stem->name);
  }
  free(outputs->list);
  free(outputs->stems);
  if (outputs->signals_held)
    sigprocmask(SIG_SETMASK, (sigset_t *)(void *)outputs->old_signals, NULL);
  memset(outputs, 0, sizeof *outputs);
}

/* ---- Scripts ---- */

static rh_output *add_output(rh_outputs *outputs, uint32_t stem, uint32_t format,
                             const char *picture, int several) {
  if (outputs->n == outputs->capacity) {
    uint32_t capacity = 2 * outputs->capacity + 16;
    rh_output *grown = realloc(outputs->list, capacity * sizeof *grown);
    if (!grown) return NULL;
    outputs->list = grown;
    outputs->capacity = capacity;
  }
  rh_output *output = &outputs->list[outputs->n];
  *output = (rh_output){.stem = stem, .format = format};
  snprintf(output->picture, sizeof output->picture, "%s", picture);
  if (asprintf(&output->name, "%s%s%s.%s", outputs->stems[stem].name, several ? "-" : "",
               several ? picture : "", suffixes[format]) < 0)
    return NULL;
  outputs->n++;
  return output;
}

/* Only regular files are replaced, which is checked before anything is drawn. */
static rh_status check_target(const rh_outputs *outputs, const rh_output *output, rh_error *error) {
  struct stat st;
  rh_status status = RH_OK;
  char *path = rh_output_path(outputs, output);
  if (!path) return no_memory(error);
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    status = rh_fail(error, RH_E_FILE, "%s: exists and is not a regular file", path);
  free(path);
  return status;
}

static rh_status write_text(const char *path, const char *shown, const rh_text *text,
                            rh_error *error) {
  FILE *file = fopen(path, "we");
  int good = file && fwrite(text->s, 1, text->length, file) == text->length;
  if (file && fclose(file) != 0) good = 0;
  return good ? RH_OK : rh_fail(error, RH_E_FILE, "%s: %s", shown, strerror(errno));
}

static rh_status add_for_stem(rh_outputs *outputs, uint32_t k, const rh_figure *figure,
                              const char *picture, int several, rh_error *error) {
  const rh_stem *stem = &outputs->stems[k];
  const char *names[4];
  char comment[160];
  rh_text script = {0};
  uint32_t first = outputs->n;
  if (!add_output(outputs, k, RH_DRAW_SCRIPT, picture, several)) return no_memory(error);
  for (uint32_t j = 0; j < stem->n_formats; j++) {
    rh_output *output = add_output(outputs, k, stem->formats[j], picture, several);
    if (!output) return no_memory(error);
    names[j] = output->name;
  }
  for (uint32_t j = first; j < outputs->n; j++)
    RH_TRY(check_target(outputs, &outputs->list[j], error));
  snprintf(comment, sizeof comment, "redhost %s: %s", rh_version(), picture);
  rh_script_compose(&script, figure, comment, names, stem->formats, stem->n_formats);
  char *path = made_path(outputs, &outputs->list[first]);
  rh_status status = script.failed || !path
                         ? no_memory(error)
                         : write_text(path, outputs->list[first].name, &script, error);
  free(path);
  rh_text_finish(&script);
  return status;
}

rh_status rh_outputs_add(rh_outputs *outputs, const rh_figure *figure, const char *picture,
                         int several, rh_error *error) {
  for (uint32_t k = 0; k < outputs->n_stems; k++)
    RH_TRY(add_for_stem(outputs, k, figure, picture, several, error));
  return RH_OK;
}

/* ---- Drawing ---- */

/* gnuplot does not report a full disk, so the end of each file is checked. */
static rh_status check_whole(const rh_outputs *outputs, const rh_output *output, rh_error *error) {
  static const char *const ends[] = {"</svg>", "IEND", "%%EOF", "\n"};
  char end[33] = "";
  char *path = made_path(outputs, output);
  FILE *file = path ? fopen(path, "re") : NULL;
  size_t got = 0;
  if (file && fseek(file, -(long)(sizeof end - 1), SEEK_END) == 0)
    got = fread(end, 1, sizeof end - 1, file);
  if (file) fclose(file);
  free(path);
  const char *wanted = ends[output->format];
  if (memmem(end, got, wanted, strlen(wanted))) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: gnuplot left it unfinished; is the disk full?",
                 output->name);
}

/* "-e 'directory=...' script" for all scripts; the caller frees the array. */
static int build_words(const rh_outputs *outputs, const char *gnuplot, char ***words, uint32_t *n) {
  if (rh_strings_add(words, n, "%s", gnuplot) != 0 || rh_strings_add(words, n, "-d") != 0) return 0;
  for (uint32_t k = 0; k < outputs->n; k++) {
    const rh_output *output = &outputs->list[k];
    const char *staging = outputs->stems[output->stem].staging;
    rh_text setting = {0};
    if (output->format != RH_DRAW_SCRIPT) continue;
    rh_text_add(&setting, "directory=");
    rh_script_bytes(&setting, staging);
    int added = !setting.failed && rh_strings_add(words, n, "-e") == 0 &&
                rh_strings_add(words, n, "%s", setting.s) == 0 &&
                rh_strings_add(words, n, "%s%s", staging, output->name) == 0;
    rh_text_finish(&setting);
    if (!added) return 0;
  }
  return 1;
}

rh_status rh_outputs_draw(rh_outputs *outputs, const char *gnuplot, char *said, size_t size,
                          rh_error *error) {
  char **words = NULL;
  uint32_t n = 0;
  rh_status status = RH_OK;
  const char **argv = NULL;
  if (build_words(outputs, gnuplot, &words, &n)) argv = calloc(n + 1u, sizeof *argv);
  for (uint32_t k = 0; argv && k < n; k++) argv[k] = words[k];
  status = argv ? rh_gnuplot_run(argv, LIMIT_S + outputs->n, said, size, error) : no_memory(error);
  for (uint32_t k = 0; k < outputs->n && status == RH_OK; k++)
    if (outputs->list[k].format != RH_DRAW_SCRIPT)
      status = check_whole(outputs, &outputs->list[k], error);
  for (uint32_t k = 0; k < n; k++) free(words[k]);
  free(words);
  free(argv);
  return status;
}

/* ---- Delivering ---- */

char *rh_output_path(const rh_outputs *outputs, const rh_output *output) {
  const char *directory = outputs->stems[output->stem].directory;
  return join(strcmp(directory, "./") == 0 ? "" : directory, output->name);
}

static rh_status cannot_write(const char *path, rh_error *error) {
  return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
}

static int copy(const char *from, FILE *out) {
  char bytes[1 << 14];
  FILE *file = fopen(from, "re");
  size_t got = 0;
  if (!file) return -1;
  while ((got = fread(bytes, 1, sizeof bytes, file)) > 0 && fwrite(bytes, 1, got, out) == got) {}
  int failed = got > 0 || ferror(file);
  fclose(file);
  return failed ? -1 : 0;
}

static rh_status deliver(const char *from, const char *path, rh_error *error) {
  rh_draft draft;
  if (rh_draft_begin(&draft, path) != 0) return cannot_write(path, error);
  rh_status status = RH_OK;
  if (copy(from, draft.out) != 0 || rh_draft_end(&draft) != 0) status = cannot_write(path, error);
  rh_draft_finish(&draft);
  return status;
}

rh_status rh_outputs_deliver(const rh_outputs *outputs, int drawings, rh_error *error) {
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < outputs->n && status == RH_OK; k++) {
    const rh_output *output = &outputs->list[k];
    if (output->format != RH_DRAW_SCRIPT && !drawings) continue;
    char *from = made_path(outputs, output), *path = rh_output_path(outputs, output);
    status = from && path ? deliver(from, path, error) : no_memory(error);
    free(from);
    free(path);
  }
  return status;
}

rh_status rh_outputs_read(const rh_outputs *outputs, const rh_output *output, rh_text *text,
                          rh_error *error) {
  char *path = made_path(outputs, output), *line = NULL;
  FILE *file = path ? fopen(path, "re") : NULL;
  size_t size = 0;
  ssize_t length;
  while (file && (length = getline(&line, &size, file)) >= 0) {
    /* gnuplot fills lines with spaces, and pages begin or end with a form feed. */
    size_t begin = *line == '\f', end = (size_t)length;
    while (end > begin && strchr(" \n\f", line[end - 1])) end--;
    rh_text_append(text, line + begin, end - begin);
    rh_text_append(text, "\n", 1);
  }
  int good = file && !ferror(file) && !text->failed;
  if (file) fclose(file);
  free(line);
  free(path);
  return good ? RH_OK : rh_fail(error, RH_E_FILE, "gnuplot's output cannot be read");
}
