/* host/tools/plot: which rows are drawn and how, strings for gnuplot, and pictures of changes. */
#include "../../host/tools/plot/gnuplot.h"
#include "../../host/tools/plot/plot.h"
#include "../../host/tools/plot/script.h"
#include "../../host/tools/plot/view.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rh_error error;
static rh_records results;
static rh_view view;

static void add_to(rh_records *to, const char *device, const char *name, int is_peer, rh_type type,
                   uint64_t n, double seconds) {
  rh_row row = {
      .is_peer = (uint32_t)is_peer, .op = RH_OP_sum, .type = type, .n = n, .bytes = 4 * n};
  snprintf(row.device, sizeof row.device, "%s", device);
  snprintf(row.strategy, sizeof row.strategy, "%s", name);
  row.time = (rh_spread){.median = seconds, .samples = 20};
  row.time.ci_low = row.time.q1 = 0.99 * seconds;
  row.time.ci_high = row.time.q3 = 1.01 * seconds;
  ck_assert_int_eq(rh_records_add(to, &row), 0);
}

static void add(const char *name, int is_peer, uint64_t n, double seconds) {
  add_to(&results, "1:0", name, is_peer, RH_TYPE_f32, n, seconds);
}

static void look(void) {
  ck_assert_int_eq(rh_view_init(&view, &results, &error), RH_OK);
}

static void tidy(void) {
  rh_view_finish(&view);
  rh_records_finish(&results);
}

static const rh_curve *curve(const rh_panel *panel, const char *name) {
  for (uint32_t k = 0; k < panel->n_curves; k++)
    if (strcmp(panel->curves[k].name, name) == 0) return &panel->curves[k];
  ck_abort_msg("no curve '%s'", name);
  return NULL;
}

/* ---- The view ---- */

START_TEST(order) {
  add("b", 0, 4096, 2e-6);
  add("a", 0, 1024, 1e-6);
  add("a", 0, 4096, 1e-6);
  add("a", 0, 4096, 9e-6); /* again, and slower: not drawn */
  add("cub", 1, 4096, 5e-7);
  add("b", 0, 1024, 2e-6);
  add("short", 0, 1024, 1e-9);
  add_to(&results, "0:0", "a", 0, RH_TYPE_f32, 1024, 1e-3);
  add_to(&results, "1:0", "a", 0, RH_TYPE_i32, 1024, 1e-3);
  look();
  ck_assert_uint_eq(view.n_panels, 3);
  ck_assert_uint_eq(view.n_devices, 2);
  ck_assert_str_eq(view.panels[0].device, "0:0");
  const rh_panel *panel = &view.panels[view.panels[1].type == RH_TYPE_f32 ? 1 : 2];
  ck_assert_uint_eq(panel->type, RH_TYPE_f32);
  ck_assert_uint_eq(panel->n_cells, 2);
  /* The fastest at the largest n first; strategies that did not get there last. */
  ck_assert_uint_eq(panel->n_curves, 4);
  ck_assert_str_eq(panel->curves[0].name, "cub");
  ck_assert_str_eq(panel->curves[1].name, "a");
  ck_assert_str_eq(panel->curves[2].name, "b");
  ck_assert_str_eq(panel->curves[3].name, "short");
  ck_assert_uint_eq(curve(panel, "a")->n_rows, 2);
  ck_assert_double_eq(rh_curve_at(curve(panel, "a"), 4096)->time.median, 1e-6);
  ck_assert_ptr_null(rh_curve_at(curve(panel, "short"), 4096));
  /* A peer is never the best strategy, but is shown as faster. */
  ck_assert_str_eq(panel->cells[1].best->strategy, "a");
  ck_assert_str_eq(panel->cells[1].faster_peer->strategy, "cub");
  ck_assert_str_eq(panel->cells[0].best->strategy, "short");
  ck_assert_ptr_null(panel->cells[0].faster_peer);
}
END_TEST

START_TEST(left_out) {
  add("a", 0, 1024, 1e-6);
  add("tiny", 0, 1024, 1e-300);
  add("none", 0, 0, 1e-6);
  add("nan", 0, 1024, 0.0 / 0.0);
  add("wrong", 0, 1024, 1e-6);
  results.rows[4].status = RH_ROW_wrong;
  add("unmeasured", 0, 1024, 1e-6);
  results.rows[5].time.samples = 0;
  add("operator", 0, 1024, 1e-6);
  results.rows[6].op = 99;
  add("type", 0, 1024, 1e-6);
  results.rows[7].type = 99;
  add("interval", 0, 1024, 1e-6);
  results.rows[8].time.ci_low = 5;
  results.rows[8].time.ci_high = -1;
  look();
  ck_assert_uint_eq(view.n_panels, 1);
  ck_assert_uint_eq(view.panels[0].n_curves, 2);
  const rh_row *row = curve(&view.panels[0], "interval")->rows[0];
  ck_assert_double_eq(row->time.ci_low, 1e-6);
  ck_assert_double_eq(row->time.ci_high, 1e-6);
}
END_TEST

START_TEST(empty) {
  look();
  ck_assert_uint_eq(view.n_panels, 0);
}
END_TEST

/* Eight of many: winners at some size first, then by the time at the largest; up to ten are all
 * shown. */
START_TEST(key) {
  char name[16];
  uint32_t in_key = 0;
  for (int k = 0; k < 20; k++) {
    snprintf(name, sizeof name, "s%02d", k);
    add(name, 0, 1024, k == 19 ? 1e-7 : 1e-6);
    add(name, 0, 4096, 1e-6 * (1 + k));
  }
  look();
  const rh_panel *panel = &view.panels[0];
  for (uint32_t k = 0; k < panel->n_curves; k++) in_key += panel->curves[k].in_key;
  ck_assert_uint_eq(in_key, 8);
  ck_assert_uint_eq(curve(panel, "s19")->in_key, 1);
  ck_assert_uint_eq(curve(panel, "s19")->wins, 1);
  ck_assert_uint_eq(curve(panel, "s06")->in_key, 1);
  ck_assert_uint_eq(curve(panel, "s07")->in_key, 0);
  tidy();
  for (int k = 0; k < 10; k++) {
    snprintf(name, sizeof name, "s%02d", k);
    add(name, 0, 1024, 1e-6 * (1 + k));
  }
  look();
  for (uint32_t k = 0; k < 10; k++) ck_assert_uint_eq(view.panels[0].curves[k].in_key, 1);
}
END_TEST

/* A name has one style in all panels, and no two names have the same. */
START_TEST(styles) {
  char name[16];
  for (int type = RH_TYPE_i8; type <= RH_TYPE_f64; type++)
    for (int k = 0; k < 12; k++) {
      snprintf(name, sizeof name, "s%d", k);
      add_to(&results, "1:0", name, k >= 9, (rh_type)type, 1024, 1e-6 * (1 + (k * type) % 7));
    }
  look();
  ck_assert_uint_eq(view.n_panels, 11);
  for (int peers = 0; peers < 2; peers++) {
    uint32_t seen = 0, n = peers ? 3 : 9;
    for (uint32_t p = 0; p < view.n_panels; p++)
      for (uint32_t k = 0; k < view.panels[p].n_curves; k++) {
        const rh_curve *here = &view.panels[p].curves[k];
        if (here->is_peer != (uint32_t)peers) continue;
        ck_assert_uint_lt(here->style, n);
        ck_assert_uint_eq(here->style, curve(&view.panels[0], here->name)->style);
        seen |= 1u << here->style;
      }
    ck_assert_uint_eq(seen, (1u << n) - 1);
  }
}
END_TEST

/* ---- Strings ---- */

static void becomes(const char *s, size_t most, const char *expected) {
  rh_text text = {0};
  rh_script_string(&text, s, most);
  ck_assert_str_eq(rh_text_get(&text), expected);
  rh_text_finish(&text);
}

START_TEST(strings) {
  becomes("two_stage", 20, "\"two_stage\"");
  becomes("`date` \"\\n\"", 20, "\"\\140date\\140 \\042\\134n\\042\"");
  becomes("a\nb\x7f\x01", 20, "\"a?b??\"");
  becomes("\xc3\xa9\xff\xc3", 20, "\"\xc3\xa9??\"");
  becomes("\xef\xbf\xbe|\xef\xbf\xbd", 20, "\"???|\xef\xbf\xbd\"");
  becomes("0123456789", 10, "\"0123456789\"");
  becomes("0123456789x", 10, "\"0123456...\"");
  becomes("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4, "\"\xc3\xa9...\"");
  becomes("100 %", 20, "\"100 %\"");
  rh_text text = {0};
  rh_script_tic(&text, "100 %d", 20);
  ck_assert_str_eq(rh_text_get(&text), "\"100 %%d\"");
  rh_text_finish(&text);
  rh_script_bytes(&text, "a`\xff\n");
  ck_assert_str_eq(rh_text_get(&text), "\"a\\140\xff\\012\"");
  rh_text_finish(&text);
}
END_TEST

START_TEST(picture_names) {
  uint32_t pictures = 7;
  ck_assert_int_eq(rh_pictures_parse(NULL, &pictures, &error), RH_OK);
  ck_assert_uint_eq(pictures, 0);
  ck_assert_int_eq(rh_pictures_parse("best,rate", &pictures, &error), RH_OK);
  ck_assert_uint_eq(pictures, 1 << RH_PICTURE_best | 1 << RH_PICTURE_rate);
  static const char *const wrong[] = {"", "rates", "rat", "rate,", ",rate", "rate time"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    ck_assert_int_eq(rh_pictures_parse(wrong[k], &pictures, &error), RH_E_USAGE);
}
END_TEST

/* ---- Changes ---- */

/* The file's text; freed by the caller. */
static char *read_file(const char *path) {
  char *text = calloc(1, 1 << 20);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s is missing", path);
  ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 0);
  fclose(file);
  return text;
}

START_TEST(change) {
  char directory[] = "/tmp/redhost-plot-XXXXXX", path[64], script[64], *gnuplot = rh_gnuplot_find();
  rh_records new_ = {0};
  if (!gnuplot) return; /* cli.plot says so */
  free(gnuplot);
  ck_assert_ptr_nonnull(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/change.svg", directory);
  snprintf(script, sizeof script, "%s/change.gp", directory);
  add("same", 0, 1024, 1e-6);
  add("slower", 0, 1024, 1e-6);
  add("faster", 0, 1024, 1e-6);
  add("gone", 0, 1024, 1e-6);
  /* Another machine's device: files with one device each are compared. */
  add_to(&new_, "0:0", "same", 0, RH_TYPE_f32, 1024, 1.05e-6);
  add_to(&new_, "0:0", "slower", 0, RH_TYPE_f32, 1024, 1.5e-6);
  add_to(&new_, "0:0", "faster", 0, RH_TYPE_f32, 1024, 5e-7);
  add_to(&new_, "0:0", "same", 0, RH_TYPE_f32, 4096, 1e-6);
  rh_status status = rh_plot_change(&results, &new_, path, &error);
  ck_assert_msg(status == RH_OK, "%s", error.message);
  char *svg = read_file(path), *gp = read_file(script);
  ck_assert_ptr_nonnull(strstr(svg, "slower  sum f32  2^10"));
  ck_assert_ptr_null(strstr(svg, "gone"));
  /* In %, with the range that the intervals leave; slower first. */
  ck_assert_ptr_nonnull(strstr(gp, "$k2 << EOD\n50 0 47.0297 53.0303\nEOD\n"));
  ck_assert_ptr_nonnull(strstr(gp, "$k1 << EOD\n-50 2 -50.9901 -48.9899\nEOD\n"));
  /* Beyond the intervals, but one process shows no such difference at 1 us. */
  ck_assert_ptr_nonnull(strstr(gp, "$k0 << EOD\n5 1 "));
  free(svg);
  free(gp);
  unlink(path);
  unlink(script);
  rh_records none = {0};
  ck_assert_int_eq(rh_plot_change(&results, &none, path, &error), RH_E_FILE);
  ck_assert_ptr_nonnull(strstr(error.message, "no point in common"));
  ck_assert_int_eq(rh_plot_change(&results, &new_, "change.gif", &error), RH_E_USAGE);
  ck_assert_int_eq(rmdir(directory), 0); /* nothing else was left */
  rh_records_finish(&new_);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("plot");
  TCase *all = tcase_create("plot");
  tcase_add_checked_fixture(all, NULL, tidy);
  tcase_add_test(all, order);
  tcase_add_test(all, left_out);
  tcase_add_test(all, empty);
  tcase_add_test(all, key);
  tcase_add_test(all, styles);
  tcase_add_test(all, strings);
  tcase_add_test(all, picture_names);
  tcase_add_test(all, change);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
