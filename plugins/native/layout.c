#include "layout.h"
#include "columns.h"
#include "counters.h"
#include "pool.h"
#include "short.h"
#include <redhost/canonical.h>

enum {
  GIANT_BYTES = 1 << 20,       /* beyond, a segment is worth all threads */
  BLOCKS_OF_A_THREAD = 64,     /* so that uneven segments even out */
  LEAST_BLOCK_BYTES = 1 << 14, /* of a block: taking one costs some 50 ns */
  PANELS_OF_A_THREAD = 2,
  LEAST_PANEL = 1 << 8,  /* columns, of which narrower ones are slower */
  PANEL_BYTES = 1 << 17, /* of columns that are brought into rows at once: half of a small cache */
  MOST_ROWS =
      1 << 23 /* of columns by loops across them: numbers of rows, and exponents, have 32 bits */
};

void rh_native_part_put(const rh_native_part *part, const unsigned char *value,
                        unsigned char *whole) {
  const rh_op *op = part->folder.op;
  if (!(op->flags & RH_OP_INDEXED)) {
    memcpy(whole + part->value_at, value, op->value_size);
    return;
  }
  memcpy(whole + part->value_at, value, part->folder.key_bytes);
  memcpy(whole + part->index_at, value + INDEX_AT, sizeof(uint64_t));
}

/* ---- Setup ---- */

static int is_in_columns(const rh_layout *of) {
  return of->kind == RH_LAYOUT_AXIS && of->inner > 1 && of->length > 1;
}

rh_status rh_native_layout_query(const rh_problem *problem, rh_answer *answer) {
  const rh_layout *of = problem->layout;
  if (of->kind != RH_LAYOUT_AXIS && of->kind != RH_LAYOUT_OFFSETS)
    return rh_decline(answer, RH_WHY_SIZE, "layout kind %u is unknown", of->kind);
  if (is_in_columns(of) && problem->op->n_operands > 0)
    return rh_decline(answer, RH_WHY_OP, "columns of several operands, constants or the index");
  return RH_OK;
}

static uint64_t elements_of(const rh_layout *of) {
  return of->segments > UINT64_MAX / (of->longest + 1) ? UINT64_MAX : of->segments * of->longest;
}

static uint64_t panels_of(const rh_layout *of, uint64_t width) {
  return rh_divide_up(of->inner, width) * (of->segments / of->inner);
}

/* By loops across columns, as many as there is room for; else a line's worth. */
static uint64_t widest_panel(const rh_native_layout *layout) {
  uint64_t widest = UINT64_MAX, width;
  for (uint32_t k = 0; k < layout->n_parts; k++) {
    width = rh_native_columns_width(&layout->parts[k].folder);
    if (width == 0) return LINE_BYTES / layout->whole->element_size;
    if (width < widest) widest = width;
  }
  return widest;
}

/* Rows are cut where there are too few columns for all threads, at nodes of the canonical tree. */
static rh_status cut_columns(rh_native_layout *layout, const rh_host *host, const rh_layout *of,
                             unsigned threads) {
  layout->width = widest_panel(layout);
  while (layout->width > LEAST_PANEL && panels_of(of, layout->width) < PANELS_OF_A_THREAD * threads)
    layout->width /= 2;
  if (layout->width > of->inner) layout->width = of->inner;
  uint64_t panels = panels_of(of, layout->width), most = BLOCKS_OF_A_THREAD * (uint64_t)threads;
  layout->rows = of->length;
  if ((panels < most / 4 && threads > 1) || layout->rows > MOST_ROWS) {
    layout->rows = rh_canonical_tile(layout->whole);
    while (layout->rows < MOST_ROWS && rh_divide_up(of->length, layout->rows) * panels > most)
      layout->rows *= 2;
  }
  layout->n_bands = rh_divide_up(of->length, layout->rows);
  if (layout->n_bands < 2) return RH_OK;
  layout->nodes = host->alloc(host, layout->n_bands * of->segments * layout->whole->value_size);
  return layout->nodes ? RH_OK : RH_E_NOMEM;
}

rh_status rh_native_layout_setup(rh_native_layout *layout, const rh_host *host,
                                 const rh_problem *problem, unsigned threads) {
  const rh_layout *of = problem->layout;
  layout->giant = GIANT_BYTES / (problem->op->element_size ? problem->op->element_size : 1);
  if (threads < 2) layout->giant = UINT64_MAX;
  return is_in_columns(of) && elements_of(of) > 0 ? cut_columns(layout, host, of, threads) : RH_OK;
}

/* ---- Rows ---- */

/* *value = that of elements first .. first+n-1, n >= 1, with indices from `first` on. */
static void reduce_part(const rh_native_folder *folder, uint64_t first, uint64_t n,
                        unsigned char *value) {
  rh_native_folder_block(folder, first, n, 1, value);
  rh_native_folder_place(folder, n, first, n, value);
}

static void reduce_segment(const rh_native_layout *layout, uint64_t first, uint64_t n,
                           unsigned char *value) {
  _Alignas(16) unsigned char one[RH_ANY_VALUE_BYTES];
  const rh_native_folder *folder = &layout->parts->folder;
  if (layout->n_parts == 1 && n > 0 && !folder->sum_of && rh_native_folder_is_direct(folder)) {
    folder->fold(folder->input + first * folder->op->element_size, n, 1, value);
    return;
  }
  if (layout->n_parts == 1 && n > 0) {
    reduce_part(folder, first, n, value);
    return;
  }
  memcpy(value, layout->whole->identity, layout->whole->value_size);
  for (uint32_t k = 0; k < layout->n_parts && n > 0; k++) {
    reduce_part(&layout->parts[k].folder, first, n, one);
    rh_native_part_put(&layout->parts[k], one, value);
  }
}

void rh_native_layout_row(const rh_native_layout *layout, uint64_t s) {
  uint64_t n = rh_layout_length(layout->of, s);
  if (!rh_native_layout_is_giant(layout, n))
    reduce_segment(layout, rh_layout_first(layout->of, s), n,
                   layout->values + s * layout->whole->value_size);
}

/* ---- Columns ---- */

/* Some columns, and some of their rows. */
typedef struct panel {
  const unsigned char *at; /* the first column's first element */
  uint64_t width, row, rows;
} panel;

/* As many rows at a time as stay in a cache, of which each piece is a node of the tree. */
static uint64_t piece_of(const rh_op *op, uint64_t width) {
  uint64_t piece = rh_canonical_tile(op);
  while (2 * piece * width * op->element_size <= PANEL_BYTES) piece *= 2;
  return piece;
}

static void add_to_index(uint64_t more, unsigned char *at) {
  uint64_t index;
  memcpy(&index, at, sizeof index);
  if (index != UINT64_MAX) index += more;
  memcpy(at, &index, sizeof index);
}

/* Of one operator: its value of column j at values + j * apart, with indices from row 0 on. */
static void reduce_columns(const rh_native_layout *layout, const rh_native_part *part,
                           const panel *p, unsigned char *values, uint64_t apart) {
  _Alignas(64) unsigned char room[PANEL_BYTES + LINE_BYTES * LINE_BYTES];
  _Alignas(16) unsigned char one[RH_ANY_VALUE_BYTES];
  const rh_op *op = part->folder.op;
  uint32_t size = layout->whole->element_size;
  uint64_t piece = piece_of(layout->whole, p->width), stride = layout->of->inner * size;
  uint64_t levels = rh_log2_up(rh_divide_up(p->rows, piece) + 1) + 1;
  _Alignas(16) unsigned char nodes[p->width * levels * op->value_size];
  rh_native_counters all = {.op = op, .levels = levels, .nodes = nodes};
  rh_native_folder folder = part->folder;
  for (uint64_t row = 0; row < p->rows; row += piece, all.count++) {
    uint64_t count = p->rows - row < piece ? p->rows - row : piece;
    /* Not a power of two apart, or all would fight for the same lines of a cache. */
    uint64_t pitch = count * size + LINE_BYTES;
    rh_native_turn(p->at + row * stride, NULL, stride, count, p->width, size, pitch, room);
    for (uint64_t j = 0; j < p->width; j++) {
      folder.input = folder.operands[0] = folder.operands[1] = room + j * pitch;
      reduce_part(&folder, 0, count, one);
      if (op->flags & RH_OP_INDEXED) add_to_index(p->row + row, one + INDEX_AT);
      if (count == p->rows) rh_native_part_put(part, one, values + j * apart);
      else rh_native_append(&all, j, one);
    }
  }
  for (uint64_t j = 0; p->rows > piece && j < p->width; j++) {
    rh_native_join(&all, j, one);
    rh_native_part_put(part, one, values + j * apart);
  }
}

/* A panel of columns, of all rows or of a band. */
static void reduce_panel(const rh_native_layout *layout, uint64_t block) {
  const rh_layout *of = layout->of;
  uint64_t size = layout->whole->value_size;
  uint64_t panels = rh_divide_up(of->inner, layout->width), column = block % panels * layout->width;
  uint64_t band = block / panels % layout->n_bands, outer = block / panels / layout->n_bands;
  uint64_t s = outer * of->inner + column;
  panel p = {.width = layout->width, .row = band * layout->rows, .rows = layout->rows};
  if (p.width > of->inner - column) p.width = of->inner - column;
  if (p.rows > of->length - p.row) p.rows = of->length - p.row;
  unsigned char *values =
      layout->nodes ? layout->nodes + (band * of->segments + s) * size : layout->values + s * size;
  for (uint64_t j = 0; layout->n_parts > 1 && j < p.width; j++)
    memcpy(values + j * size, layout->whole->identity, size); /* with its padding */
  for (uint32_t k = 0; k < layout->n_parts; k++) {
    const rh_native_part *part = &layout->parts[k];
    uint64_t first = (outer * of->length + p.row) * of->inner + column;
    p.at = part->folder.input + first * layout->whole->element_size;
    if (part->folder.across) {
      const rh_native_columns columns = {first, of->inner, p.rows, p.width, part->folder.input, 0};
      rh_native_part_across(part, &columns, values, size);
      for (uint64_t j = 0; j < p.width && p.row > 0 && part->folder.op->flags & RH_OP_INDEXED; j++)
        add_to_index(p.row, values + j * size + part->index_at);
    } else {
      reduce_columns(layout, part, &p, values, size);
    }
  }
}

/* A value of each segment onto another: by a loop where that is of values as they stand. */
static void combine_all(const rh_native_layout *layout, unsigned char *to,
                        const unsigned char *from) {
  const rh_op *op = layout->whole;
  const rh_native_across *across = layout->n_parts == 1 ? layout->parts->folder.across : NULL;
  uint64_t n = layout->of->segments;
  if (across && across->parts == 1 && across->bytes == op->value_size) {
    across->merge(to, from, 0, n, 0);
    return;
  }
  for (uint64_t at = 0; at < n * op->value_size; at += op->value_size)
    rh_op_combine(op, to + at, from + at);
}

/* Neighbours in the order of the rows: nodes of the canonical tree. */
static void combine_bands(const rh_native_layout *layout) {
  uint64_t bytes = layout->of->segments * layout->whole->value_size;
  for (uint64_t apart = 1; apart < layout->n_bands; apart *= 2)
    for (uint64_t k = 0; k + apart < layout->n_bands; k += 2 * apart)
      combine_all(layout, layout->nodes + k * bytes, layout->nodes + (k + apart) * bytes);
  memcpy(layout->values, layout->nodes, bytes);
}

/* ---- A run ---- */

void rh_native_layout_begin(rh_native_layout *layout, const rh_run *run, unsigned threads,
                            uint32_t *blocks) {
  const rh_layout *of = layout->of = run->layout;
  layout->values = run->host_result;
  uint64_t bytes = run->n * layout->whole->element_size + of->segments * layout->whole->value_size;
  uint64_t most = threads * (uint64_t)BLOCKS_OF_A_THREAD, wanted = bytes / LEAST_BLOCK_BYTES;
  layout->pieces = of->segments;
  if (layout->width) layout->pieces = panels_of(of, layout->width) * layout->n_bands;
  if (most > POOL_MOST_BLOCKS) most = POOL_MOST_BLOCKS;
  if (wanted > most) wanted = most;
  if (wanted > layout->pieces) wanted = layout->pieces;
  layout->at_once = rh_divide_up(layout->pieces, wanted ? wanted : 1);
  *blocks = layout->pieces ? (uint32_t)rh_divide_up(layout->pieces, layout->at_once) : 0;
}

/* Segments s .. end-1 between offsets, of a folder that takes each by one call. */
static void reduce_directly(const rh_native_layout *layout, uint64_t most, uint64_t s,
                            uint64_t end) {
  const rh_layout *of = layout->of;
  const rh_native_folder *folder = &layout->parts->folder;
  uint64_t size = layout->whole->value_size, element = folder->op->element_size;
  unsigned char *value = layout->values + s * size;
  for (; s < end; s++, value += size) {
    uint64_t first = of->starts[s], n = of->stops[s] - first;
    if (n == 0) memcpy(value, layout->whole->identity, size);
    else if (n > most && !rh_native_layout_is_giant(layout, n))
      folder->fold(folder->input + first * element, n, 1, value);
  }
}

void rh_native_layout_block(const rh_native_layout *layout, uint32_t block) {
  const rh_native_folder *folder = &layout->parts->folder;
  uint64_t at = block * layout->at_once, left = layout->pieces - at;
  uint64_t end = at + (left < layout->at_once ? left : layout->at_once);
  uint64_t most = layout->width ? 0 : rh_native_short(layout);
  int is_axis = layout->of->kind == RH_LAYOUT_AXIS, are_short = layout->of->length - 1 < most;
  int is_direct = !is_axis && layout->n_parts == 1 && !folder->sum_of;
  if (is_direct && rh_native_folder_is_direct(folder)) reduce_directly(layout, most, at, end);
  else if (!layout->width && !(is_axis && are_short))
    for (uint64_t s = at; s < end; s++)
      if (rh_layout_length(layout->of, s) - 1 >= most) rh_native_layout_row(layout, s);
  if (most > 0) rh_native_short_rows(layout, most, at, end);
  for (; layout->width && at < end; at++) reduce_panel(layout, at);
}

void rh_native_layout_end(const rh_native_layout *layout) {
  if (layout->nodes) combine_bands(layout);
}
