/* redhost --plot=FILE */
#include <sys/ioctl.h>

#include "../tools/plot/plot.h"
#include "app.h"

/* The terminal's size, or 80 by 24; one line is left for the prompt. */
static void get_window_size(rh_plot_spec *spec) {
  struct winsize size = {0};
  spec->columns = 80;
  spec->lines = 24;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
  if (size.ws_col >= 60) spec->columns = size.ws_col < 200 ? size.ws_col : 200;
  if (size.ws_row >= 20) spec->lines = size.ws_row < 60 ? size.ws_row - 1u : 59;
}

/* ---- Selecting rows: --strategy, --op, --type, --device ---- */

/* list: ids or parts of names, separated by commas; null: all. */
static int is_device(const rh_records *results, const char *id, const char *list) {
  const char *name = rh_records_device_text(results, id, "name");
  if (!list) return 1;
  for (const char *word; (word = rh_list_next(&list));)
    if (strcmp(word, id) == 0 || (*word && name && strcasestr(name, word))) return 1;
  return 0;
}

static rh_status keep_wanted(const rh_typed *typed, rh_records *results, rh_error *error) {
  rh_numbers ops, types; /* of what was typed */
  uint32_t n = results->n_rows;
  RH_FREED(const char *) names = NULL;
  RH_FREED(unsigned char) keep = NULL;
  RH_TRY(rh_words_parse(&rh_op_words, typed->texts.op, &ops, error));
  RH_TRY(rh_words_parse(&rh_type_words, typed->type, &types, error));
  RH_TRY(RH_NEW(&names, n + 1u, "names", error));
  RH_TRY(RH_NEW(&keep, n + 1u, "names", error));
  for (uint32_t k = 0; k < n; k++) names[k] = results->rows[k].strategy;
  RH_TRY(rh_strategies_select(typed->strategy, names, n, keep, error));
  results->n_rows = 0;
  for (uint32_t k = 0; k < n; k++) {
    rh_row row = results->rows[k];
    if (keep[k] && (!typed->texts.op || rh_numbers_have(&ops, row.op)) &&
        (!typed->type || rh_numbers_have(&types, row.type)) &&
        is_device(results, row.device, typed->device))
      results->rows[results->n_rows++] = row;
    else rh_row_finish(&row);
  }
  if (!n || results->n_rows) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%s: no results match --strategy, --op, --type and --device",
                 typed->name);
}

/* A line for each picture and its files; --quiet: the files. */
static void print_files(const rh_app *app, const rh_plotted *plotted) {
  for (uint32_t k = 0; k < plotted->n_files; k++) {
    const rh_plotted_file *file = &plotted->files[k];
    int is_first = k == 0 || strcmp(file[-1].picture, file->picture) != 0;
    if (app->typed->quiet) {
      rh_print_path(file->path);
      continue;
    }
    if (is_first) printf("%s%-16s", k ? "\n" : "", file->picture);
    printf("  %s", rh_plain(file->path));
  }
  if (!app->typed->quiet) printf("\n");
}

static rh_status print_json(const rh_plotted *plotted, rh_error *error) {
  json_t *pictures = json_array(), *files = NULL;
  for (uint32_t k = 0; k < plotted->n_files; k++) {
    const rh_plotted_file *file = &plotted->files[k];
    if (k == 0 || strcmp(file[-1].picture, file->picture) != 0) {
      files = json_array();
      json_array_append_new(pictures, rh_json("picture:s files:o", file->picture, files));
    }
    json_array_append_new(files, rh_json_bytes(file->path));
  }
  return rh_json_print(rh_json("pictures:o", pictures), error);
}

rh_status rh_exports_check(const rh_typed *typed, int kinds, rh_error *error) {
  for (uint32_t k = 0; k < typed->exports.n; k++) {
    const char *path = typed->exports.list[k];
    int kind = rh_plot_is_picture(path)    ? RH_EXPORT_PICTURE
               : rh_plot_is_page(path)     ? RH_EXPORT_PAGE
               : rh_format_from_path(path) ? RH_EXPORT_ROWS
                                           : 0;
    if (!(kind & kinds))
      return rh_fail(error, RH_E_USAGE,
                     "--export '%s': expected a name that ends in %s.svg, .png%s", path,
                     kinds & RH_EXPORT_ROWS ? ".json, .jsonl, .csv, .md, " : "",
                     kinds & RH_EXPORT_PAGE ? ", .pdf or .html" : " or .pdf");
    RH_TRY(rh_records_check_path(path, error));
  }
  return RH_OK;
}

/* Before anything is read. */
static rh_status check(const rh_typed *typed, rh_error *error) {
  int any_picture = typed->exports.n == 0;
  uint32_t place;
  for (const char *left = typed->picture, *word; (word = rh_list_next(&left));)
    RH_TRY(rh_choice_parse("picture", word, "rate time peak best", &place, error));
  RH_TRY(rh_exports_check(typed, RH_EXPORT_PICTURE | RH_EXPORT_PAGE, error));
  for (uint32_t k = 0; k < typed->exports.n; k++)
    any_picture |= rh_plot_is_picture(typed->exports.list[k]);
  if (any_picture || !typed->picture) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--picture is for pictures, and a report has all curves; leave it out, or "
                 "export a .svg, .png or .pdf too");
}

rh_status rh_mode_plot(const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  rh_plot_spec spec = {.pictures = typed->picture,
                       .files = typed->exports.list,
                       .n_files = typed->exports.n,
                       .color = (uint32_t)rh_terminal.color};
  RH_FINISHED(rh_records) results = {0};
  RH_FINISHED(rh_plotted) plotted = {0};
  RH_TRY(check(typed, error));
  get_window_size(&spec);
  RH_TRY(rh_records_read(typed->name, &results, error));
  RH_TRY(keep_wanted(typed, &results, error));
  RH_TRY(rh_plot_results(&results, typed->name, &spec, &plotted, error));
  if (typed->json) return print_json(&plotted, error);
  if (plotted.text) fputs(plotted.text, stdout);
  else print_files(app, &plotted);
  return RH_OK;
}
