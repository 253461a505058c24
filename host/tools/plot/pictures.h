/* The kinds of plots; each function writes one figure. plot.c decides which panels go together. */
#pragma once

#include "script.h"

/* Draws `n` panels from `panels` on: one for rate and time, those of one device and operator for
 * peak, all for best. */
typedef void rh_draw(rh_figure *figure, const rh_view *view, const rh_panel *panels, uint32_t n);
rh_draw rh_draw_rate, rh_draw_time, rh_draw_peak, rh_draw_best;

/* A point that both files have. */
typedef struct rh_changed {
  const rh_row *old, *new_;
} rh_changed;
void rh_draw_change(rh_figure *figure, const rh_view *old, const rh_view *new_,
                    const rh_changed *pairs, uint32_t n);

/* "NVIDIA H200", or the id if the name is unknown. */
const char *rh_picture_device(const rh_view *view, const char *id);
/* "cold input, driver 580.159.04, 2026-11-20, redhost 0.1.0 (a1b2c3d)", as far as known. */
void rh_picture_note(rh_text *note, const rh_view *view, const char *device);
/* The same without the state of the input.  `device` may be null. */
void rh_picture_origin(rh_text *note, const rh_view *view, const char *device);
