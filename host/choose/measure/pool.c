#include "measure.h"

rh_status rh_pool_host(rh_pool *pool, const rh_bench_data *data, const void **first,
                       rh_error *error) {
  uint64_t bytes = data->copies * data->stride;
  if (data->copies <= 1) {
    *first = pool->host = data->elements;
    return RH_OK;
  }
  if (pool->region.bytes < bytes) {
    rh_region_finish(&pool->region);
    pool->region_of = 0;
    RH_TRY(rh_region_alloc(&pool->region, bytes, error));
  }
  if (pool->region_of != data->serial)
    for (uint64_t k = 0; k < data->copies; k++)
      memcpy((char *)pool->region.address + k * data->stride, data->elements,
             rh_bench_data_bytes(data));
  pool->region_of = data->serial;
  *first = pool->host = pool->region.address;
  return RH_OK;
}

/* Wraps the host's copies in a buffer without copying. */
static rh_status share(rh_pool *pool, const rh_bench_data *data, rh_cl_session *session,
                       rh_error *error) {
  const void *first;
  uint64_t bytes = data->copies <= 1 ? rh_bench_data_bytes(data) : data->copies * data->stride;
  rh_cl_input_finish(&pool->input);
  RH_TRY(rh_pool_host(pool, data, &first, error));
  pool->upload_s = 0;
  return rh_cl_input_init(&pool->input, session, (void *)(uintptr_t)first, 0, bytes, 1, error);
}

/* Uploads one copy; the device then doubles the copies until there are enough. */
static rh_status upload(rh_pool *pool, const rh_bench_data *data, rh_bench_device *bench_device,
                        rh_error *error) {
  cl_command_queue queue = bench_device->plain;
  double start = rh_now();
  cl_int code = rh_cl_write(queue, pool->input.buffer, CL_TRUE, 0, rh_bench_data_bytes(data),
                            data->elements, NULL);
  if (code != CL_SUCCESS)
    return rh_cl_fail_short(error, code, "copying the input to the device",
                            bench_device->session->device, pool->input.bytes, 1);
  pool->upload_s = rh_now() - start;
  for (uint64_t there = 1; there < data->copies;) {
    uint64_t more = data->copies - there < there ? data->copies - there : there;
    RH_CL_TRY_IN(bench_device->session, error,
                 rh_cl_copy(queue, pool->input.buffer, 0, there * data->stride,
                            (more - 1) * data->stride + rh_bench_data_bytes(data)),
                 "copying the input on the device");
    there += more;
  }
  RH_CL_TRY_IN(bench_device->session, error, rh_cl_finish(queue), "waiting for the device");
  return RH_OK;
}

rh_status rh_pool_device(rh_pool *pool, const rh_bench_data *data, rh_bench_device *bench_device,
                         cl_mem *buffer, rh_error *error) {
  if (!pool->input.buffer || pool->input_of != data->serial) {
    if (bench_device->session->device->shares_memory) {
      RH_TRY(share(pool, data, bench_device->session, error));
    } else {
      uint64_t bytes = data->copies * data->stride;
      if (pool->input.bytes < bytes) {
        rh_cl_input_finish(&pool->input);
        RH_TRY(rh_cl_input_reserve(&pool->input, bench_device->session, bytes, 1, error));
      }
      RH_TRY(upload(pool, data, bench_device, error));
    }
    pool->input_of = data->serial;
  }
  *buffer = pool->input.buffer;
  return RH_OK;
}

void rh_pool_finish(rh_pool *pool) {
  rh_cl_input_finish(&pool->input);
  rh_region_finish(&pool->region);
  *pool = (rh_pool){0};
}
