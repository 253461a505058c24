#include "plot.h"

#include <sys/mman.h>
#include <sys/wait.h>

/* Seconds from one drawing to the next; usually a tenth. */
#define LIMIT_S 60.0

/* The script's exit statuses beside 0: a sentence about the results, or about the machine. */
enum { ABOUT_RESULTS = 3, ABOUT_MACHINE = 4 };

/* ".svg" of "a.b/r.svg"; "" if there is none. */
static const char *suffix_of(const char *file) {
  const char *name = rh_path_name(file);
  const char *dot = strrchr(name, '.');
  return dot && dot != name ? dot : "";
}

int rh_plot_is_picture(const char *file) {
  const char *suffix = suffix_of(file);
  return !strcmp(suffix, ".svg") || !strcmp(suffix, ".png") || !strcmp(suffix, ".pdf");
}

int rh_plot_is_page(const char *file) { return strcmp(suffix_of(file), ".html") == 0; }

/* ---- The child ---- */

typedef struct work {
  const rh_plot_spec *spec;
  const char *name;
  char *python, *script;
  int data, output;    /* unnamed files: drawings, and what the child says */
  rh_plotted *plotted; /* the drawings, one behind the other */
  rh_child child;
} work;

static rh_status no_memory(rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory for pictures");
}

static rh_status prepare(work *w, rh_error *error) {
  RH_FREED(char) library = rh_path_library_dir();
  w->script = library ? rh_path_join(library, REDHOST_DATA_FROM_LIB "/redhost/plot/main.py") : NULL;
  if (!w->script) return rh_fail(error, RH_E_FILE, "the script that draws cannot be found");
  w->python = rh_path_search("python3", X_OK);
  if (!w->python)
    return rh_fail(error, RH_E_FILE,
                   "python3 not found, which draws; install python3, and python3-matplotlib for "
                   "pictures in files");
  w->data = memfd_create("redhost-drawings", MFD_CLOEXEC);
  w->output = memfd_create("redhost-said", MFD_CLOEXEC);
  if (w->data >= 0 && w->output >= 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "no room for pictures: %s", strerror(errno));
}

static rh_status start(work *w, const char *document, size_t bytes, rh_error *error) {
  const rh_plot_spec *plot = w->spec;
  char window[32];
  RH_FINISHED(rh_text) formats = {0};
  for (uint32_t k = 0; k < plot->n_files; k++)
    rh_text_add(&formats, "%s%s", k ? "," : "", suffix_of(plot->files[k]) + 1);
  snprintf(window, sizeof window, "--window=%ux%u", plot->columns, plot->lines);
  const char *const argv[] = {w->python,
                              "-B",
                              w->script,
                              "--pictures",
                              plot->pictures ? plot->pictures : "",
                              "--formats",
                              plot->n_files ? rh_text_get(&formats) : "txt",
                              window,
                              plot->color ? "--color" : NULL,
                              NULL};
  const rh_child_spec spec = {.program = w->python,
                              .stranger = 1,
                              .argv = argv,
                              .request = document,
                              .bytes = bytes,
                              .data = w->data,
                              .output = w->output,
                              .variable = "LC_ALL=C.UTF-8"};
  return formats.failed ? no_memory(error) : rh_child_start(&w->child, &spec, error);
}

/* "rate-sum-f32 1 23456 -rate-sum-f32": for the file spec->files[1], and what its name gets. */
static rh_status note_drawing(work *w, const char *line, rh_error *error) {
  const rh_plot_spec *spec = w->spec;
  rh_plotted *plotted = w->plotted;
  RH_TRY(RH_ROOM(&plotted->files, plotted->n_files, "pictures", error));
  rh_plotted_file *file = &plotted->files[plotted->n_files];
  char middle[100] = "";
  uint32_t k;
  *file = (rh_plotted_file){.bytes = 0};
  if (sscanf(line, "%95s %" SCNu32 " %" SCNu64 " %99s", file->picture, &k, &file->bytes, middle) <
          3 ||
      (spec->n_files && k >= spec->n_files))
    return rh_fail(error, RH_E_FILE, "%s: said '%s'", w->script, rh_quotable(line));
  plotted->n_files++;
  if (!spec->n_files) return RH_OK;
  const char *suffix = suffix_of(spec->files[k]);
  int stem = (int)(suffix - spec->files[k]);
  if (asprintf(&file->path, "%.*s%s%s", stem, spec->files[k], middle, suffix) >= 0) return RH_OK;
  file->path = NULL;
  return no_memory(error);
}

static rh_fate take_line(void *of_work, const char *line, size_t length, rh_error *error) {
  work *w = of_work;
  (void)length;
  rh_child_grant(&w->child);
  return note_drawing(w, line, error) == RH_OK ? RH_GOES_ON : RH_FATE_FAILED;
}

static rh_status listen_to(work *w, rh_error *error) {
  rh_error why = {0};
  rh_fate fate = rh_child_listen(&w->child, &why);
  if (fate == RH_FATE_LATE)
    rh_fail(&why, RH_E_FILE, "%s took longer than %.0f s for a picture and was killed", w->python,
            LIMIT_S);
  return rh_error_pass(error, why.status, &why);
}

/* The last line that the child wrote, where Python has the message of an exception. */
static void last_line(int output, char *line, size_t size) {
  char text[4096];
  off_t end = lseek(output, 0, SEEK_END);
  off_t from = end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0;
  ssize_t got = pread(output, text, sizeof text - 1, from);
  text[got > 0 ? got : 0] = 0;
  size_t length = strlen(text);
  while (length && strchr(" .\n\r", text[length - 1])) text[--length] = 0;
  const char *last = strrchr(text, '\n');
  snprintf(line, size, "%s", last ? last + 1 : text);
  rh_make_plain(line);
}

static rh_status judge_end(const work *w, int ended, rh_error *error) {
  char said[400];
  last_line(w->output, said, sizeof said);
  int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  if (code == 0) return RH_OK;
  if (code == ABOUT_RESULTS && *said) return rh_fail(error, RH_E_FILE, "%s: %s", w->name, said);
  if (code == ABOUT_MACHINE && *said) return rh_fail(error, RH_E_FILE, "%s", said);
  if (*said) return rh_fail(error, RH_E_FILE, "%s failed: %s", w->python, said);
  if (code >= 0) return rh_fail(error, RH_E_FILE, "%s failed: exit status %d", w->python, code);
  return rh_fail(error, RH_E_FILE, "%s failed: signal %d", w->python, WTERMSIG(ended));
}

static rh_status draw(work *w, const char *document, size_t bytes, rh_error *error) {
  w->child = (rh_child){.user = w, .take = take_line, .limit_s = LIMIT_S, .limit_bytes = 1 << 20};
  RH_TRY(prepare(w, error));
  RH_TRY(start(w, document, bytes, error));
  rh_status status = listen_to(w, error);
  rh_child_end(&w->child, RH_CHILD_DONE_S);
  if (status == RH_OK) status = judge_end(w, w->child.status, error);
  uint64_t bytes_said = 0;
  for (uint32_t k = 0; k < w->plotted->n_files; k++) bytes_said += w->plotted->files[k].bytes;
  off_t size = lseek(w->data, 0, SEEK_END);
  if (status == RH_OK && (size <= 0 || bytes_said != (uint64_t)size))
    status = rh_fail(error, RH_E_FILE, "%s: the drawings are incomplete", w->script);
  return status;
}

/* ---- Delivering ---- */

static rh_status deliver(const work *w, rh_error *error) {
  rh_plotted *plotted = w->plotted;
  RH_FREED(char) drawings = NULL; /* and a null byte */
  off_t size = lseek(w->data, 0, SEEK_END);
  size_t had;
  RH_TRY(RH_NEW(&drawings, (uint64_t)size + 1, "pictures", error));
  if (rh_read_all(w->data, drawings, (size_t)size, 0, &had) != 0)
    return rh_fail(error, RH_E_FILE, "%s: the drawings cannot be read", w->script);
  const char *at = drawings;
  for (uint32_t k = 0; w->spec->n_files && k < plotted->n_files; k++) {
    const rh_plotted_file *file = &plotted->files[k];
    int why = rh_save(file->path, at, file->bytes);
    if (why) return rh_fail(error, RH_E_FILE, "%s: %s", file->path, strerror(why));
    at += file->bytes;
  }
  if (w->spec->n_files) return RH_OK;
  plotted->text = drawings;
  plotted->n_files = 0;
  drawings = NULL;
  return RH_OK;
}

rh_status rh_plot(const char *document, size_t bytes, const char *name, const rh_plot_spec *spec,
                  rh_plotted *plotted, rh_error *error) {
  work w = {.spec = spec, .name = name, .data = -1, .output = -1, .plotted = plotted};
  *plotted = (rh_plotted){0};
  rh_status status = draw(&w, document, bytes, error);
  if (status == RH_OK) status = deliver(&w, error);
  if (status != RH_OK) rh_plotted_finish(plotted);
  if (w.data >= 0) close(w.data);
  if (w.output >= 0) close(w.output);
  free(w.script);
  free(w.python);
  return status;
}

rh_status rh_plot_results(const rh_records *results, const char *name, const rh_plot_spec *spec,
                          rh_plotted *plotted, rh_error *error) {
  RH_FREED(char) document = NULL;
  size_t bytes = 0;
  *plotted = (rh_plotted){0};
  FILE *out = open_memstream(&document, &bytes);
  if (!out) return no_memory(error);
  rh_status status = rh_records_write(results, RH_FORMAT_json, out, name, error);
  if (fclose(out) != 0 && status == RH_OK) status = no_memory(error);
  return status == RH_OK ? rh_plot(document, bytes, name, spec, plotted, error) : status;
}

void rh_plotted_finish(rh_plotted *plotted) {
  for (uint32_t k = 0; k < plotted->n_files; k++) free(plotted->files[k].path);
  free(plotted->files);
  free(plotted->text);
  memset(plotted, 0, sizeof *plotted);
}
