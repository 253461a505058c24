#include "plot.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "gnuplot.h"
#include "outputs.h"
#include "pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const picture_names[] = {
#define RH_X(name) #name,
    RH_PICTURE_LIST(RH_X)
#undef RH_X
};
static rh_draw *const draws[] = {
#define RH_X(name) rh_draw_##name,
    RH_PICTURE_LIST(RH_X)
#undef RH_X
};

rh_status rh_pictures_parse(const char *list, uint32_t *pictures, rh_error *error) {
  *pictures = 0;
  while (list) {
    size_t length = strcspn(list, ",");
    uint32_t k = 0;
    while (k < RH_N_PICTURES &&
           (strlen(picture_names[k]) != length || strncmp(picture_names[k], list, length) != 0))
      k++;
    if (k == RH_N_PICTURES)
      return rh_fail(error, RH_E_USAGE, "--picture '%.*s': expected rate, time, peak or best",
                     (int)length, list);
    *pictures |= 1u << k;
    list = list[length] ? list + length + 1 : NULL;
  }
  return RH_OK;
}

/* ---- Choosing the pictures ---- */

/* Which of device, operator and type differ between the pictures of one kind. */
typedef struct varying {
  int devices, ops, types;
} varying;

static varying what_varies(const rh_view *view) {
  varying by = {view->n_devices > 1, 0, 0};
  for (uint32_t k = 1; k < view->n_panels; k++) {
    by.ops |= strcmp(view->panels[k].op, view->panels[0].op) != 0;
    by.types |= view->panels[k].type != view->panels[0].type;
  }
  return by;
}

/* More types cannot be told apart by their bars, so each type gets a separate picture. */
enum { MOST_TYPES = 4 };

/* The number of types of the panel's device and operator, whose panels are adjacent. */
static uint32_t types_around(const rh_view *view, const rh_panel *panel) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < view->n_panels; k++)
    n += strcmp(view->panels[k].op, panel->op) == 0 &&
         strcmp(view->panels[k].device, panel->device) == 0;
  return n;
}

/* The number of panels, from this one on, that one picture shows. */
static uint32_t panels_of(const rh_view *view, uint32_t picture, uint32_t from) {
  if (picture == RH_PICTURE_best) return view->n_panels;
  if (picture != RH_PICTURE_peak) return 1;
  uint32_t n = types_around(view, &view->panels[from]);
  return n <= MOST_TYPES ? n : 1;
}

static int can_be_drawn(uint32_t picture, const rh_panel *panels, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (picture == RH_PICTURE_peak ? panels[k].read_peak > 0 : panels[k].n_curves > 0) return 1;
  return 0;
}

/* "rate-1-0-sum-f32": the kind and what varies; a device's id is reduced to characters for file
 * names. */
static void name_picture(char *name, size_t size, const rh_view *view, uint32_t picture,
                         const rh_panel *panel) {
  varying by = what_varies(view);
  rh_text text = {0};
  uint32_t device = 0;
  for (uint32_t k = 1; &view->panels[k] <= panel && k < view->n_panels; k++)
    device += strcmp(view->panels[k].device, view->panels[k - 1].device) != 0;
  rh_text_add(&text, "%s", picture_names[picture]);
  if (by.devices && picture != RH_PICTURE_best) {
    unsigned p, d;
    int length = 0;
    if (sscanf(panel->device, "%3u:%3u%n", &p, &d, &length) == 2 && !panel->device[length])
      rh_text_add(&text, "-%u-%u", p, d);
    else
      rh_text_add(&text, "-device%u", device);
  }
  if (by.ops && picture != RH_PICTURE_best) rh_text_add(&text, "-%s", panel->op);
  if (by.types && (picture < RH_PICTURE_peak ||
                   (picture == RH_PICTURE_peak && types_around(view, panel) > MOST_TYPES)))
    rh_text_add(&text, "-%s", rh_type_name(panel->type));
  snprintf(name, size, "%s", rh_text_get(&text));
  rh_text_finish(&text);
}

/* Calls `use` for every requested picture that can be drawn. */
typedef rh_status use_picture(void *user, uint32_t picture, const rh_panel *panels, uint32_t n,
                              rh_error *error);
static rh_status each_picture(const rh_view *view, uint32_t pictures, use_picture *use, void *user,
                              rh_error *error) {
  for (uint32_t picture = 0; picture < RH_N_PICTURES; picture++) {
    uint32_t n = 0;
    if (pictures && !(pictures & 1u << picture)) continue;
    for (uint32_t k = 0; k < view->n_panels; k += n) {
      n = panels_of(view, picture, k);
      if (can_be_drawn(picture, &view->panels[k], n))
        RH_TRY(use(user, picture, &view->panels[k], n, error));
    }
  }
  return RH_OK;
}

static rh_status count_one(void *user, uint32_t picture, const rh_panel *panels, uint32_t n,
                           rh_error *error) {
  (void)picture;
  (void)panels;
  (void)n;
  (void)error;
  ++*(uint32_t *)user;
  return RH_OK;
}

/* ---- Drawing ---- */

typedef struct work {
  const rh_view *view;
  const rh_plot_spec *spec;
  rh_outputs outputs;
  uint32_t n_pictures;
} work;

static rh_status add_picture(void *user, uint32_t picture, const rh_panel *panels, uint32_t n,
                             rh_error *error) {
  work *w = user;
  rh_figure figure;
  char name[96];
  rh_figure_init(&figure, w->spec->n_files == 0);
  figure.columns = w->spec->columns ? w->spec->columns : 80;
  figure.lines = w->spec->lines ? w->spec->lines : 24;
  figure.color = w->spec->color;
  name_picture(name, sizeof name, w->view, picture, panels);
  draws[picture](&figure, w->view, panels, n);
  rh_status status = rh_outputs_add(&w->outputs, &figure, name, w->n_pictures > 1, error);
  rh_figure_finish(&figure);
  return status;
}

/* The scripts have been written; the message says how to draw them. */
static rh_status no_gnuplot(const rh_outputs *outputs, int as_text, rh_error *error) {
  uint32_t n = 0;
  if (as_text)
    return rh_fail(error, RH_E_FILE,
                   "gnuplot not found; install it (gnuplot-nox, for one), or write its script with "
                   "--export=r.svg");
  RH_TRY(rh_outputs_deliver(outputs, 0, error));
  for (uint32_t k = 0; k < outputs->n; k++) n += outputs->list[k].format == RH_DRAW_SCRIPT;
  const rh_stem *stem = &outputs->stems[outputs->list[0].stem];
  char *path = rh_output_path(outputs, &outputs->list[0]);
  int is_here = strcmp(stem->directory, "./") == 0;
  char more[40] = "";
  if (n > 1) snprintf(more, sizeof more, " and %u more", n - 1);
  rh_status status = rh_fail(error, RH_E_FILE, "gnuplot not found; wrote %s%s, run%s%s: gnuplot %s",
                             path ? path : "scripts", more, is_here ? "" : " in ",
                             is_here ? "" : stem->directory, outputs->list[0].name);
  free(path);
  return status;
}

static rh_status collect(const rh_outputs *outputs, int as_text, rh_plotted *plotted,
                         rh_error *error) {
  rh_text text = {0};
  rh_status status = RH_OK;
  plotted->files = as_text ? NULL : calloc(outputs->n + 1u, sizeof *plotted->files);
  if (!as_text && !plotted->files) return rh_fail(error, RH_E_NOMEM, "no memory for names");
  for (uint32_t k = 0; k < outputs->n && status == RH_OK; k++) {
    const rh_output *output = &outputs->list[k];
    int is_script = output->format == RH_DRAW_SCRIPT;
    if (as_text) {
      if (!is_script && text.length) rh_text_add(&text, "\n");
      if (!is_script) status = rh_outputs_read(outputs, output, &text, error);
      continue;
    }
    rh_plotted_file *file = &plotted->files[plotted->n_files++];
    file->path = rh_output_path(outputs, output);
    file->is_script = (uint32_t)is_script;
    memcpy(file->picture, output->picture, sizeof file->picture);
    if (!file->path) status = rh_fail(error, RH_E_NOMEM, "no memory for names");
  }
  plotted->text = text.s;
  return status;
}

/* Moves the drawings to their files, or reads them as text. */
static rh_status make_plots(rh_outputs *outputs, int as_text, rh_plotted *plotted,
                            rh_error *error) {
  char *gnuplot = rh_gnuplot_find();
  if (!gnuplot) return no_gnuplot(outputs, as_text, error);
  rh_status status = rh_outputs_draw(outputs, gnuplot, plotted->said, sizeof plotted->said, error);
  free(gnuplot);
  if (status == RH_OK && !as_text) status = rh_outputs_deliver(outputs, 1, error);
  return status == RH_OK ? collect(outputs, as_text, plotted, error) : status;
}

static rh_status draw_all(work *w, rh_plotted *plotted, rh_error *error) {
  const rh_plot_spec *spec = w->spec;
  int as_text = spec->n_files == 0;
  if (as_text)
    RH_TRY(rh_outputs_init_text(&w->outputs, error));
  else
    RH_TRY(rh_outputs_init(&w->outputs, spec->files, spec->n_files, error));
  /* Names of text are never shown, but each picture needs its own. */
  if (as_text) w->n_pictures = 2;
  rh_status status = each_picture(w->view, spec->pictures, add_picture, w, error);
  if (status == RH_OK) status = make_plots(&w->outputs, as_text, plotted, error);
  rh_outputs_finish(&w->outputs);
  return status;
}

rh_status rh_plot(const rh_records *results, const char *name, const rh_plot_spec *spec,
                  rh_plotted *plotted, rh_error *error) {
  rh_view view;
  work w = {.view = &view, .spec = spec};
  *plotted = (rh_plotted){0};
  RH_TRY(rh_view_init(&view, results, error));
  rh_status status = each_picture(&view, spec->pictures, count_one, &w.n_pictures, error);
  if (status == RH_OK && view.n_panels == 0)
    status =
        rh_fail(error, RH_E_FILE, "%s: nothing to draw: of %u results, none is ok and has a time",
                name, results->n_rows);
  else if (status == RH_OK && w.n_pictures == 0)
    status =
        rh_fail(error, RH_E_FILE,
                "%s: --picture=peak needs the device's read peak, which it does not hold", name);
  if (status == RH_OK) status = draw_all(&w, plotted, error);
  if (status != RH_OK) rh_plotted_finish(plotted);
  rh_view_finish(&view);
  return status;
}

void rh_plotted_finish(rh_plotted *plotted) {
  for (uint32_t k = 0; k < plotted->n_files; k++) free(plotted->files[k].path);
  free(plotted->files);
  free(plotted->text);
  memset(plotted, 0, sizeof *plotted);
}

/* ---- Comparing two files ---- */

/* Merges the two sorted lists.  Devices are compared only if a file has several of them: single
 * devices may belong to different machines. */
static uint32_t pair_up(const rh_view *old, const rh_view *new_, rh_changed *pairs) {
  int any_device = old->n_devices == 1 && new_->n_devices == 1;
  uint32_t n = 0, i = 0, j = 0;
  while (i < old->n_rows && j < new_->n_rows) {
    int by = rh_row_order(&old->rows[i], &new_->rows[j], any_device);
    if (by == 0) pairs[n++] = (rh_changed){&old->rows[i], &new_->rows[j]};
    i += by <= 0;
    j += by >= 0;
  }
  return n;
}

static rh_status draw_change(const rh_view *old, const rh_view *new_, const rh_changed *pairs,
                             uint32_t n, const char *path, rh_error *error) {
  rh_outputs outputs;
  rh_figure figure;
  rh_plotted plotted = {0};
  RH_TRY(rh_outputs_init(&outputs, &path, 1, error));
  rh_figure_init(&figure, 0);
  rh_draw_change(&figure, old, new_, pairs, n);
  rh_status status = rh_outputs_add(&outputs, &figure, "change", 0, error);
  rh_figure_finish(&figure);
  if (status == RH_OK) status = make_plots(&outputs, 0, &plotted, error);
  rh_plotted_finish(&plotted);
  rh_outputs_finish(&outputs);
  return status;
}

rh_status rh_plot_change(const rh_records *old, const rh_records *new_, const char *path,
                         rh_error *error) {
  rh_view before, after;
  RH_TRY(rh_view_init(&before, old, error));
  rh_status status = rh_view_init(&after, new_, error);
  if (status != RH_OK) {
    rh_view_finish(&before);
    return status;
  }
  rh_changed *pairs = calloc(before.n_rows + 1u, sizeof *pairs);
  uint32_t n = pairs ? pair_up(&before, &after, pairs) : 0;
  if (!pairs)
    status = rh_fail(error, RH_E_NOMEM, "no memory for %u changes", before.n_rows);
  else if (n == 0)
    status =
        rh_fail(error, RH_E_FILE, "%s: nothing to draw: the files have no point in common", path);
  else
    status = draw_change(&before, &after, pairs, n, path, error);
  free(pairs);
  rh_view_finish(&before);
  rh_view_finish(&after);
  return status;
}
