#include "segments.h"

#include "rows.cl.h"

enum { GROUP = 64 };

static void add_axes(rh_device_rows *rows, const rh_axes *axes, uint32_t is_reduced) {
  for (uint32_t k = 0; k < axes->n; k++) {
    const rh_axis *axis = &axes->list[k];
    if (axis->is_reduced != is_reduced) continue;
    rows->axes.length[rows->axes.n] = axis->length;
    rows->axes.stride[rows->axes.n++] = axis->stride;
    rows->n *= axis->length;
  }
}

static rh_status open_operand(rh_device_rows *rows, const rh_cl_session *session, uint32_t k,
                              uint32_t size, rh_error *error) {
  static const char *const names[] = {
      [1] = "rows_1", [2] = "rows_2", [4] = "rows_4", [8] = "rows_8"};
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE, rows->n * size, NULL,
                      "allocating segments in rows", &rows->buffers[k], error));
  RH_TRY(rh_cl_kernel(rows->program, names[size], &rows->kernels[k], error));
  cl_int code = rh_cl_set(rows->kernels[k], 2, sizeof(cl_mem), &rows->buffers[k]);
  if (code == CL_SUCCESS) code = rh_cl_set(rows->kernels[k], 3, sizeof rows->n, &rows->n);
  if (code == CL_SUCCESS) code = rh_cl_set(rows->kernels[k], 4, sizeof rows->axes, &rows->axes);
  return code == CL_SUCCESS ? RH_OK : rh_cl_fail(error, code, "setting an argument");
}

rh_status rh_device_rows_open(rh_device_rows *rows, rh_cl_session *session, const rh_operator *op,
                              const rh_axes *axes, rh_error *error) {
  *rows = (rh_device_rows){.n_operands = op->n_operands, .n = 1};
  add_axes(rows, axes, 0);
  add_axes(rows, axes, 1);
  RH_TRY(rh_cl_program(session, "rows.cl", "", (const char *)rows_cl, "", &rows->program, error));
  for (uint32_t k = 0; k < op->n_operands; k++)
    RH_TRY(open_operand(rows, session, k, rh_type_size(op->operands[k].type), error));
  return RH_OK;
}

rh_status rh_device_rows_copy(rh_device_rows *rows, const rh_cl_session *session,
                              const cl_mem *from, const uint64_t *first, rh_error *error) {
  uint32_t most = session->device->about.max_group;
  const size_t group = most < GROUP ? most : GROUP;
  const size_t all = (rows->n + group - 1) / group * group;
  for (uint32_t k = 0; k < rows->n_operands; k++) {
    uint64_t at = first ? first[k] : 0;
    RH_CL_TRY(error, rh_cl_set(rows->kernels[k], 0, sizeof from[k], &from[k]),
              "setting an argument");
    RH_CL_TRY(error, rh_cl_set(rows->kernels[k], 1, sizeof at, &at), "setting an argument");
    RH_CL_TRY_IN(session, error,
                 rh_cl_launch(session->queue, rows->kernels[k], all, group,
                              rh_cl_event_for(session, "rows")),
                 "copying segments into rows");
  }
  return RH_OK;
}

void rh_device_rows_finish(rh_device_rows *rows) {
  for (uint32_t k = 0; k < rows->n_operands; k++) {
    rh_cl_release_kernel(rows->kernels[k]);
    rh_cl_release_buffer(rows->buffers[k]);
  }
  rh_cl_release_program(rows->program);
  *rows = (rh_device_rows){0};
}
