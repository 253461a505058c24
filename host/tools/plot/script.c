#include "script.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Colours that colour-blind readers can distinguish, also in print: Okabe and Ito's, with two of
 * Tol's in place of the yellow, which is too light on white. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#332288", "#8c8c00"};
enum { N_COLORS = sizeof colors / sizeof *colors, N_POINTS = 5 };

const char *rh_script_color(uint32_t style) {
  return colors[style % N_COLORS];
}

uint32_t rh_script_round(uint32_t style) {
  return style / N_COLORS;
}

void rh_figure_init(rh_figure *figure, uint32_t as_text) {
  *figure =
      (rh_figure){.as_text = as_text, .columns = 80, .lines = 24, .width = 800, .height = 500};
}

void rh_figure_finish(rh_figure *figure) {
  rh_text_finish(&figure->set);
  rh_text_finish(&figure->plot);
}

int rh_figure_failed(const rh_figure *figure) {
  return figure->set.failed || figure->plot.failed;
}

/* ---- Strings ---- */

/* In double-quoted strings, gnuplot interprets backslashes and quotes, and runs commands in
 * backquotes.  All bytes except known harmless ones are therefore written as octal escapes. */
static void add_byte(rh_text *text, unsigned char c) {
  static const char itself[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               " .,:;/+-=()<>_^*!?|&[]{}~#%@'$";
  if (c >= 0x80 || (c && strchr(itself, c)))
    rh_text_append(text, (const char *)&c, 1);
  else
    rh_text_add(text, "\\%03o", c);
}

/* The length of the character that begins here; 0 if it cannot be shown. */
static size_t character(const char *s) {
  for (size_t length = 1; length <= 4 && s[length - 1]; length++) {
    if (!rh_is_plain_utf8(s, length)) continue;
    /* U+FFFE and U+FFFF are valid in UTF-8 but not in XML. */
    int is_none = length == 3 && memcmp(s, "\xef\xbf", 2) == 0 && (unsigned char)s[2] >= 0xbe;
    return is_none ? 0 : length;
  }
  return 0;
}

static size_t count_characters(const char *s) {
  size_t n = 0;
  for (; *s; n++) {
    size_t length = character(s);
    s += length ? length : 1;
  }
  return n;
}

static void add_string(rh_text *text, const char *s, size_t most, int is_tic) {
  size_t n = count_characters(s), shown = n <= most ? n : most - 3;
  rh_text_append(text, "\"", 1);
  for (size_t k = 0; k < shown; k++) {
    size_t length = character(s);
    if (length == 0) rh_text_append(text, "?", 1);
    if (is_tic && *s == '%') rh_text_append(text, "%", 1);
    for (size_t j = 0; j < length; j++) add_byte(text, (unsigned char)s[j]);
    s += length ? length : 1;
  }
  rh_text_add(text, shown < n ? "...\"" : "\"");
}

void rh_script_string(rh_text *text, const char *s, size_t most) {
  add_string(text, s, most, 0);
}

void rh_script_tic(rh_text *text, const char *s, size_t most) {
  add_string(text, s, most, 1);
}

void rh_script_bytes(rh_text *text, const char *s) {
  rh_text_append(text, "\"", 1);
  for (; *s; s++) add_byte(text, (unsigned char)*s);
  rh_text_append(text, "\"", 1);
}

/* ---- Parts of a figure ---- */

void rh_figure_plot(rh_figure *figure, const char *format, ...) {
  char *item;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&item, format, args);
  va_end(args);
  if (length < 0) {
    figure->plot.failed = 1;
    return;
  }
  rh_text_add(&figure->plot, "%s%s", figure->n_plotted++ ? ", \\\n  " : "plot ", item);
  free(item);
}

/* The title is at the left of the figure, where a long one fits; gnuplot would centre it on the
 * axes. */
void rh_figure_frame(rh_figure *figure, const char *title, const char *note) {
  rh_text *set = &figure->set;
  size_t most = figure->as_text ? figure->columns - 2 : 82;
  rh_text_add(set, "set label 1 ");
  rh_script_string(set, note, figure->as_text ? most : 130);
  rh_text_add(set, " at character 1, character %s left noenhanced%s\nset label 2 ",
              figure->as_text ? "0" : "0.8",
              figure->as_text ? "" : " font \",9\" textcolor rgb \"#666666\"");
  rh_script_string(set, title, most);
  if (figure->as_text) {
    rh_text_add(set,
                " at character 1, character %u left noenhanced\n"
                "set tmargin 2\nset bmargin 3\n",
                figure->lines - 1);
    return;
  }
  rh_text_add(set, " at character 1.2, screen 1 offset 0, character -1.6 left font \",15\" "
                   "noenhanced\n"
                   "set tmargin 3.2\nset bmargin 5.2\n"
                   "set border 3 linecolor rgb \"#666666\"\n"
                   "set tics nomirror out textcolor rgb \"#333333\"\n"
                   "set grid linecolor rgb \"#e0e0e0\" linetype 1 linewidth 0.7\n");
}

double rh_figure_key_above(rh_figure *figure, uint32_t n) {
  uint32_t rows = (n + 3) / 4;
  if (figure->as_text) {
    rh_text_add(&figure->set, "set key outside right top vertical Left reverse samplen 1\n");
    return 0;
  }
  rh_text_add(&figure->set,
              "set tmargin %.3g\nset key at graph 0, graph 1 left bottom horizontal Left reverse "
              "samplen 1 spacing 1.3 width 2 maxcols 4 textcolor rgb \"#333333\"\n",
              2.9 + 1.35 * rows);
  return 24.0 * rows;
}

static int is_power(uint64_t n) {
  return (n & (n - 1)) == 0;
}

void rh_script_size(char *text, size_t size, uint64_t n, int as_text) {
  int exponent = 63 - __builtin_clzll(n | 1);
  if (is_power(n) && n >= 1024)
    snprintf(text, size, as_text ? "2^%d" : "2^{%d}", exponent);
  else if (n < 1000000)
    snprintf(text, size, "%" PRIu64, n);
  else
    snprintf(text, size, "%.3g", (double)n);
}

void rh_figure_sizes(rh_figure *figure, uint64_t n_min, uint64_t n_max) {
  double low = log2((double)n_min), high = log2((double)n_max);
  double margin = n_min == n_max ? 1 : 0.02 * (high - low);
  int octaves = (int)(floor(high + margin) - ceil(low - margin)), most = figure->as_text ? 6 : 10;
  int step = octaves / most + 1, first = 1;
  rh_text_add(&figure->set, "set logscale x 2\nset xrange [%.8g:%.8g]\nset xtics (",
              exp2(low - margin), exp2(high + margin));
  for (int k = (int)ceil(low - margin); k <= high + margin; k++) {
    if (k % step != 0) continue;
    rh_text_add(&figure->set, figure->as_text ? "%s\"2^%d\" %.20g" : "%s\"2^{%d}\" %.20g",
                first ? "" : ", ", k, exp2(k));
    first = 0;
  }
  rh_text_add(&figure->set, ")\n");
}

char rh_script_letter(const rh_curve *curve) {
  uint32_t style = curve->style;
  if (curve->is_peer) return (char)('a' + style % 26);
  return style < 26 ? (char)('A' + style) : (char)('0' + style % 10);
}

void rh_script_style(rh_text *text, const rh_curve *curve, int as_text) {
  static const int filled[N_POINTS] = {7, 5, 9, 13, 11}, open[N_POINTS] = {6, 4, 8, 12, 10};
  static const char *const greys[] = {"#000000", "#666666"};
  uint32_t style = curve->style;
  if (as_text) {
    rh_text_add(text, "linecolor rgb \"%s\" pointtype \"%c\"",
                curve->is_peer ? "#888888" : rh_script_color(style), rh_script_letter(curve));
    return;
  }
  if (curve->is_peer) {
    rh_text_add(text, "linecolor rgb \"%s\" dashtype %u linewidth 1.5 pointtype %d",
                greys[style % 2], 2 + style % 4, open[style % N_POINTS]);
    return;
  }
  uint32_t round = rh_script_round(style);
  rh_text_add(text, "linecolor rgb \"%s\" dashtype %u linewidth 1.8 pointtype %d",
              rh_script_color(style), 1 + round % 5, (round % 2 ? open : filled)[style % N_POINTS]);
}

/* ---- The whole script ---- */

static void set_terminal(rh_text *script, const rh_figure *figure, uint32_t format) {
  double width = figure->width, height = figure->height;
  switch (format) {
  case RH_DRAW_TEXT:
    rh_text_add(script, "set terminal dumb size %u,%u noenhanced %s\n", figure->columns,
                figure->lines, figure->color ? "ansi256" : "mono");
    break;
  case RH_DRAW_SVG:
    rh_text_add(script,
                "set terminal svg size %.0f,%.0f enhanced font \"sans-serif,12\" background "
                "\"#ffffff\"\n",
                width, height);
    break;
  case RH_DRAW_PNG: /* doubled resolution for high-density screens and print */
    rh_text_add(
        script,
        "set terminal pngcairo size %.0f,%.0f enhanced font \"sans-serif,12\" fontscale 1.5 "
        "linewidth 2 pointscale 2 background \"#ffffff\"\n",
        2 * width, 2 * height);
    break;
  default:
    rh_text_add(
        script,
        "set terminal pdfcairo size %.2fin,%.2fin enhanced font \"sans-serif,12\" fontscale "
        "0.7 background \"#ffffff\"\n",
        width / 100, height / 100);
  }
}

void rh_script_compose(rh_text *script, const rh_figure *figure, const char *comment,
                       const char *const *names, const uint32_t *formats, uint32_t n) {
  rh_text_add(
      script,
      "# %s\n"
      "# Change what you like and draw it again with gnuplot; -e 'directory=\"DIR/\"' draws "
      "elsewhere.\n"
      "if (!exists(\"directory\")) directory = \"./\"\n"
      "reset\nset encoding utf8\n",
      comment);
  rh_text_append(script, rh_text_get(&figure->set), figure->set.length);
  for (uint32_t k = 0; k < n; k++) {
    rh_text_add(script, "\n");
    set_terminal(script, figure, formats[k]);
    rh_text_add(script, "set output directory.");
    rh_script_bytes(script, names[k]);
    rh_text_add(script, "\n");
    if (k)
      rh_text_add(script, "replot\n");
    else
      rh_text_add(script, "%s\n", rh_text_get(&figure->plot));
  }
  rh_text_add(script, "unset output\n");
  if (rh_figure_failed(figure)) script->failed = 1;
}
