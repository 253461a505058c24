/* The plot "best": a row for each (device, operator, type), with a cell for each n in the colour
 * of the best strategy. */
#include "../../core/base/vocabulary.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Further winners share grey, because more colours or letters cannot be told apart. */
enum { MOST_WINNERS = 16 };

typedef struct winner {
  const rh_curve *curve;
  uint32_t cells;
} winner;

typedef struct board {
  winner winners[MOST_WINNERS + 1];
  uint32_t n_winners;
  uint64_t *sizes; /* the columns */
  uint32_t n_sizes;
} board;

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void find_sizes(board *b, const rh_panel *panels, uint32_t n) {
  uint32_t all = 0;
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t k = 0; k < panels[p].n_cells; k++) b->sizes[all++] = panels[p].cells[k].n;
  qsort(b->sizes, all, sizeof *b->sizes, by_value);
  for (uint32_t k = 0; k < all; k++)
    if (k == 0 || b->sizes[k] != b->sizes[b->n_sizes - 1]) b->sizes[b->n_sizes++] = b->sizes[k];
}

static uint32_t column_of(const board *b, uint64_t n) {
  const uint64_t *at = bsearch(&n, b->sizes, b->n_sizes, sizeof *b->sizes, by_value);
  return at ? (uint32_t)(at - b->sizes) : 0;
}

static int by_cells(const void *a, const void *b) {
  const winner *x = a, *y = b;
  if (x->cells != y->cells) return x->cells > y->cells ? -1 : 1;
  return strcmp(x->curve->name, y->curve->name);
}

/* Finds a winner by its style, which is unique to the name. */
static uint32_t winner_of(const board *b, uint32_t style) {
  uint32_t k = 0;
  while (k < b->n_winners && b->winners[k].curve->style != style) k++;
  return k;
}

/* The winners with the most cells get a colour. */
static int find_winners(board *b, const rh_view *view, const rh_panel *panels, uint32_t n) {
  winner *all = calloc(view->n_curves + 1u, sizeof *all); /* by style */
  uint32_t n_all = 0;
  if (!all) return -1;
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t c = 0; c < panels[p].n_curves; c++) {
      const rh_curve *curve = &panels[p].curves[c];
      if (curve->is_peer || curve->wins == 0) continue;
      all[curve->style].curve = curve;
      all[curve->style].cells += curve->wins;
    }
  for (uint32_t k = 0; k < view->n_curves; k++)
    if (all[k].curve) all[n_all++] = all[k];
  qsort(all, n_all, sizeof *all, by_cells);
  b->n_winners = n_all < MOST_WINNERS ? n_all : MOST_WINNERS;
  memcpy(b->winners, all, b->n_winners * sizeof *all);
  free(all);
  return 0;
}

/* ---- Drawing ---- */

/* Letters repeat what the colours say; `?' for the rest. */
static char letter_of(const board *b, uint32_t which) {
  return which < b->n_winners ? rh_script_letter(b->winners[which].curve) : '?';
}

/* Data blocks. "$w0": the cells of winner 0 as column and row; "$names": a letter, and the name
 * if there is space; "$peers": cells where a peer is faster. */
static uint32_t add_cells(rh_figure *figure, const board *b, const rh_panel *panels, uint32_t n,
                          uint32_t which) {
  uint32_t n_cells = 0;
  rh_text_add(&figure->set, "$w%u << EOD\n", which);
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t k = 0; k < panels[p].n_cells; k++) {
      const rh_cell *cell = &panels[p].cells[k];
      const rh_curve *curve = cell->best ? rh_panel_curve(&panels[p], cell->best) : NULL;
      if (!curve || winner_of(b, curve->style) != which) continue;
      rh_text_add(&figure->set, "%u %u %c\n", column_of(b, cell->n), p, letter_of(b, which));
      n_cells++;
    }
  rh_text_add(&figure->set, "EOD\n");
  return n_cells;
}

static uint32_t add_peers(rh_figure *figure, const board *b, const rh_panel *panels, uint32_t n) {
  uint32_t n_cells = 0;
  rh_text_add(&figure->set, "$peers << EOD\n");
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t k = 0; k < panels[p].n_cells; k++)
      if (panels[p].cells[k].faster_peer && panels[p].cells[k].best) {
        rh_text_add(&figure->set, "%u %u\n", column_of(b, panels[p].cells[k].n), p);
        n_cells++;
      }
  rh_text_add(&figure->set, "EOD\n");
  return n_cells;
}

static void plot_winner(rh_figure *figure, const board *b, uint32_t k) {
  rh_text title = {0};
  char name[80];
  int is_rest = k == b->n_winners;
  snprintf(name, sizeof name, "%c  %s", letter_of(b, k),
           is_rest ? "another" : b->winners[k].curve->name);
  rh_script_string(&title, name, 30);
  /* If two share a colour, one is pale. */
  int is_pale = !is_rest && rh_script_round(b->winners[k].curve->style) % 2;
  const char *color = is_rest ? "#aaaaaa" : rh_script_color(b->winners[k].curve->style);
  if (figure->as_text) {
    rh_figure_plot(figure,
                   "$w%u using 1:2:3 with labels textcolor rgb \"%s\" notitle, \\\n"
                   "  keyentry with points pointtype \" \" title %s noenhanced",
                   k, color, rh_text_get(&title));
  } else {
    rh_figure_plot(figure,
                   "$w%u using 1:2:(0.5):(0.42) with boxxyerror fillstyle solid %s noborder "
                   "linecolor rgb \"%s\" title %s noenhanced",
                   k, is_pale ? "0.4" : "0.85", color, rh_text_get(&title));
    rh_figure_plot(figure, "$w%u using 1:2:3 with labels font \",11\" textcolor rgb \"%s\" notitle",
                   k, is_pale ? "#222222" : "#ffffff");
  }
  if (title.failed) figure->plot.failed = 1;
  rh_text_finish(&title);
}

static void row_label(char *label, size_t size, const rh_view *view, const rh_panel *panel) {
  snprintf(label, size, "%s%s%s %s", view->n_devices > 1 ? panel->device : "",
           view->n_devices > 1 ? "  " : "", panel->op, rh_type_name(panel->type));
}

static void set_axes(rh_figure *figure, const rh_view *view, const board *b, const rh_panel *panels,
                     uint32_t n) {
  uint32_t step = b->n_sizes / (figure->as_text ? 7 : 20) + 1;
  char label[64];
  rh_text_add(&figure->set, "set yrange [%g:%g]\nset ytics noenhanced scale 0 (",
              figure->as_text ? n : n - 0.4, figure->as_text ? -1 : -0.6);
  for (uint32_t p = 0; p < n; p++) {
    row_label(label, sizeof label, view, &panels[p]);
    rh_text_add(&figure->set, "%s", p ? ", " : "");
    rh_script_tic(&figure->set, label, 40);
    rh_text_add(&figure->set, " %u", p);
  }
  rh_text_add(&figure->set, ")\nset xrange [-0.6:%g]\nset xtics scale 0 (", b->n_sizes - 0.4);
  for (uint32_t k = 0; k < b->n_sizes; k += step) {
    rh_script_size(label, sizeof label, b->sizes[k], (int)figure->as_text);
    rh_text_add(&figure->set, "%s\"%s\" %u", k ? ", " : "", label, k);
  }
  rh_text_add(&figure->set, ")\nunset grid\n");
}

static void frame(rh_figure *figure, const rh_view *view) {
  rh_text title = {0}, note = {0};
  const char *last = NULL;
  rh_text_add(&title, "Best strategy on ");
  for (uint32_t p = 0; p < view->n_panels; p++) {
    const char *device = view->panels[p].device;
    if (last && strcmp(last, device) == 0) continue;
    rh_text_add(&title, "%s%s%s%.40s", last ? "; " : "", view->n_devices > 1 ? device : "",
                view->n_devices > 1 ? " " : "", rh_picture_device(view, device));
    last = device;
  }
  rh_picture_note(&note, view, view->n_devices > 1 ? NULL : last);
  rh_figure_frame(figure, rh_text_get(&title), rh_text_get(&note));
  rh_text_finish(&title);
  rh_text_finish(&note);
  if (!figure->as_text) rh_text_add(&figure->set, "set border 0\nset xlabel \"elements\"\n");
}

void rh_draw_best(rh_figure *figure, const rh_view *view, const rh_panel *panels, uint32_t n) {
  board b = {.sizes = calloc(view->n_rows + 1u, sizeof *b.sizes)};
  if (!b.sizes || find_winners(&b, view, panels, n) != 0) {
    figure->set.failed = 1;
    free(b.sizes);
    return;
  }
  find_sizes(&b, panels, n);
  figure->lines = 7 + (n > b.n_winners ? n : b.n_winners);
  frame(figure, view);
  figure->height = 150 + (n > 20 ? 22.0 : 34.0) * n + rh_figure_key_above(figure, b.n_winners + 2);
  set_axes(figure, view, &b, panels, n);
  for (uint32_t k = 0; k <= b.n_winners; k++)
    if (add_cells(figure, &b, panels, n, k)) plot_winner(figure, &b, k);
  uint32_t beaten = add_peers(figure, &b, panels, n);
  if (beaten && !figure->as_text)
    rh_figure_plot(figure, "$peers using ($1+0.3):($2-0.22) with points pointtype 7 pointsize 0.5 "
                           "linecolor rgb \"#000000\" title \"a peer is faster\"");
  free(b.sizes);
}
