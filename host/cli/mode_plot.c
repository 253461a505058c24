/* redhost --plot=FILE */
#include "../base/error.h"
#include "../plot/plot.h"
#include "../results/read.h"
#include "app.h"
#include "json.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The window's size, or 80 by 24; a line of it is left to the prompt. */
static void ask_window(rh_plot_spec *spec) {
  struct winsize size = {0};
  spec->columns = 80;
  spec->lines = 24;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
  if (size.ws_col >= 60) spec->columns = size.ws_col < 200 ? size.ws_col : 200;
  if (size.ws_row >= 20) spec->lines = size.ws_row < 60 ? size.ws_row - 1u : 59;
}

/* A line for each script: the picture, its files, and how it is changed. */
static void print_files(const rh_app *app, const rh_plotted *plotted) {
  for (uint32_t k = 0; k < plotted->n_files; k++) {
    const rh_plotted_file *file = &plotted->files[k];
    if (app->typed->quiet && !file->is_script)
      puts(file->path);
    else if (file->is_script && !app->typed->quiet)
      printf("%s%-16s", k ? "\n" : "", file->picture);
    else if (!app->typed->quiet)
      printf("  %s", file->path);
  }
  if (!app->typed->quiet) printf("\n\nTo restyle one, change its .gp and run gnuplot on it.\n");
}

static rh_status print_json(const rh_plotted *plotted, rh_error *error) {
  json_t *document = rh_json_document(), *pictures = json_array(), *picture = NULL;
  for (uint32_t k = 0; k < plotted->n_files; k++) {
    const rh_plotted_file *file = &plotted->files[k];
    if (file->is_script) {
      picture = json_object();
      json_object_set_new(picture, "picture", json_string(file->picture));
      json_object_set_new(picture, "script", rh_json_bytes(file->path));
      json_object_set_new(picture, "files", json_array());
      json_array_append_new(pictures, picture);
    } else {
      json_array_append_new(json_object_get(picture, "files"), rh_json_bytes(file->path));
    }
  }
  json_object_set_new(document, "pictures", pictures);
  return rh_json_print(document, error);
}

static rh_status print(const rh_app *app, const rh_plotted *plotted, rh_error *error) {
  if (*plotted->said) {
    char text[256];
    snprintf(text, sizeof text, "gnuplot says: %s", plotted->said);
    if (!app->typed->quiet) rh_terminal_say(app->terminal, text);
  }
  if (app->typed->json) return print_json(plotted, error);
  if (plotted->text)
    fputs(plotted->text, stdout);
  else
    print_files(app, plotted);
  return RH_OK;
}

rh_status rh_mode_plot(const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  rh_plot_spec spec = {.files = typed->exports.list, .n_files = typed->exports.n};
  rh_results results = {0};
  rh_plotted plotted = {0};
  RH_TRY(rh_pictures_parse(typed->picture, &spec.pictures, error));
  if (typed->json && !spec.n_files)
    return rh_fail(error, RH_E_USAGE, "--json lists the files of --export, and there is none");
  ask_window(&spec);
  spec.color = (uint32_t)app->terminal->color;
  rh_status status = rh_results_read(typed->name, &results, error);
  if (status == RH_OK) status = rh_plot(&results, typed->name, &spec, &plotted, error);
  if (status == RH_OK) status = print(app, &plotted, error);
  rh_plotted_finish(&plotted);
  rh_results_finish(&results);
  return status;
}
