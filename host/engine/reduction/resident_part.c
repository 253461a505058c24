#include "resident_part.h"
#include "../../core/base/alloc.h"
#include "../../core/base/error.h"
#include "../../core/cl/commands.h"
#include "../../core/cl/memory.h"
#include "../../core/run/operand_data.h"
#include "partition.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- Nodes ---- */

static uint64_t least_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static void list_nodes(rh_resident_part *part, const rh_resident_part_spec *spec) {
  uint64_t tile = rh_partial_tile(spec->job), whole = spec->job->operation.n;
  uint64_t all = whole / tile + (whole % tile != 0);
  for (uint64_t at = spec->first; at < spec->end;) {
    uint32_t level = rh_partition_level(at, spec->end, all);
    uint64_t first = at * tile, tiles = least_of(UINT64_C(1) << level, spec->end - at);
    part->nodes[part->n_nodes++] = (rh_resident_node){
        .first = first, .n = least_of(tiles * tile, whole - first), .level = level};
    at += tiles;
  }
  if (whole == 0) part->n_nodes = 1; /* of nothing: an empty one */
}

static rh_status make_nodes(rh_resident_part *part, const rh_resident_part_spec *spec,
                            rh_error *error) {
  enum { MOST = 128 }; /* one of each level on the way up, and on the way down */
  RH_TRY(RH_NEW(&part->nodes, MOST, "a device's part", error));
  list_nodes(part, spec);
  RH_TRY(rh_alloc(&part->fetched, part->n_nodes, RH_ANY_VALUE_BYTES, "a device's part", error));
  part->first = part->nodes[0].first;
  for (uint32_t k = 0; k < part->n_nodes; k++) part->n += part->nodes[k].n;
  return RH_OK;
}

static uint64_t most_in_a_node(const rh_resident_part *part) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < part->n_nodes; k++)
    if (part->nodes[k].n > most) most = part->nodes[k].n;
  return most;
}

/* ---- Room for the elements ---- */

static int is_in_host_memory(const rh_resident_part *part) {
  return !part->job.device || part->job.device->shares_memory;
}

static rh_status make_room(rh_resident_part *part, rh_error *error) {
  if (part->job.device)
    RH_TRY(rh_cl_input_fits(part->job.device, part->bytes, part->job.spec.operation.what, error));
  if (is_in_host_memory(part)) return rh_region_alloc(&part->region, part->bytes, error);
  return rh_cl_input_reserve(&part->input, part->job.instance_spec.session, part->bytes, 1, error);
}

void *rh_resident_part_place(const rh_resident_part *part, uint32_t k, uint64_t first) {
  if (!is_in_host_memory(part)) return NULL;
  return (char *)part->region.address + part->offsets[k] +
         (first - part->first) * rh_type_size(part->job.spec.operation.op->operands[k].type);
}

rh_status rh_resident_part_write(const rh_resident_part *part, uint32_t k, uint64_t first,
                                 uint64_t n, const void *from, rh_error *error) {
  const rh_cl_session *session = part->job.instance_spec.session;
  uint64_t size = rh_type_size(part->job.spec.operation.op->operands[k].type);
  cl_int code = rh_cl_write(session->queue, part->input.buffer, CL_TRUE,
                            part->offsets[k] + (first - part->first) * size, n * size, from, NULL);
  if (code == CL_SUCCESS) return RH_OK;
  return rh_cl_fail_short(error, code, "copying the input to the device", session->device,
                          part->bytes, 1);
}

rh_status rh_resident_part_loaded(rh_resident_part *part, rh_error *error) {
  if (!part->job.device || part->input.buffer) return RH_OK;
  return rh_cl_input_init(&part->input, part->job.instance_spec.session, part->region.address, 0,
                          part->bytes, 1, error);
}

/* ---- Setting up ---- */

static rh_status set_up(rh_resident_part *part, int check, rh_error *error) {
  rh_job *job = &part->job;
  RH_TRY(rh_job_instantiate(job, error));
  RH_TRY(rh_stream_try(job, check, error));
  rh_status status = make_room(part, error);
  job->context->device_failed |= status != RH_OK;
  RH_TRY(status);
  part->waits = !job->device || job->answer.finishes_on_host;
  if (part->waits) return RH_OK;
  return rh_cl_buffer(job->instance_spec.session, CL_MEM_READ_WRITE,
                      (uint64_t)part->n_nodes * RH_ANY_VALUE_BYTES, NULL,
                      "allocating the parts' values", &part->values, error);
}

rh_status rh_resident_part_init(rh_resident_part *part, const rh_resident_part_spec *spec,
                                rh_error *error) {
  rh_job_spec own = *spec->job;
  *part = (rh_resident_part){.whole_n = own.operation.n};
  rh_status status = make_nodes(part, spec, error);
  own.operation.n = part->n;
  part->bytes = rh_operand_layout(&own, part->offsets);
  own.operation.n = most_in_a_node(part);
  rh_operand_layout(&own, own.offsets);
  if (status == RH_OK) status = rh_job_init(&part->job, spec->context, &own, error);
  if (status == RH_OK) status = set_up(part, spec->check, error);
  if (status != RH_OK) rh_resident_part_finish(part);
  return status;
}

void rh_resident_part_finish(rh_resident_part *part) {
  if (part->job.instance_spec.session) rh_cl_finish(part->job.instance_spec.session->queue);
  rh_job_finish(&part->job);
  rh_cl_release_buffer(part->values);
  rh_cl_input_finish(&part->input);
  rh_region_finish(&part->region);
  free(part->nodes);
  free(part->fetched);
  *part = (rh_resident_part){0};
}

/* ---- Reducing ---- */

static rh_data data_of(rh_resident_part *part, const rh_resident_node *node) {
  rh_operands *operands = &part->job.operands;
  const rh_operator *op = part->job.spec.operation.op;
  uint64_t offsets[RH_MOST_OPERANDS], before = node->first - part->first;
  if (!rh_operator_has_operands(op))
    return (rh_data){.buffer = part->input.buffer,
                     .host = rh_resident_part_place(part, 0, node->first),
                     .first = part->job.device ? before : 0};
  for (uint32_t k = 0; k < op->n_operands; k++)
    offsets[k] = part->offsets[k] + before * rh_type_size(op->operands[k].type);
  rh_operands_place(operands, op, offsets, part->input.buffer, 0, part->region.address);
  operands->whole_n = part->whole_n;
  rh_operator_set_base(op, operands->constants, node->first);
  return (rh_data){.operands = operands};
}

static unsigned char *value_of(const rh_resident_part *part, uint32_t k) {
  return part->fetched + (size_t)k * rh_instance_op(part->job.instance)->value_size;
}

/* A single node's value can arrive without a command that reads it. */
static int is_watched(const rh_resident_part *part) {
  return part->n_nodes == 1 && rh_instance_shows(part->job.instance);
}

static rh_status run_now(rh_resident_part *part, rh_error *error) {
  for (uint32_t k = 0; k < part->n_nodes; k++) {
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
    const rh_data data = data_of(part, &part->nodes[k]);
    RH_TRY(rh_instance_call(part->job.instance, &data, part->nodes[k].n, value, error));
    memcpy(value_of(part, k), value, rh_instance_op(part->job.instance)->value_size);
  }
  return RH_OK;
}

static rh_status flush(const rh_resident_part *part, rh_error *error) {
  const rh_cl_session *session = part->job.instance_spec.session;
  RH_CL_TRY_IN(session, error, rh_cl_flush(session->queue), "starting the device");
  return RH_OK;
}

static rh_status enqueue_nodes(rh_resident_part *part, rh_error *error) {
  for (uint32_t k = 0; k < part->n_nodes; k++) {
    const rh_data data = data_of(part, &part->nodes[k]);
    RH_TRY(rh_instance_run_to(part->job.instance, &data, part->nodes[k].n, part->values, k, error));
  }
  return RH_OK;
}

static rh_status read_values(rh_resident_part *part, cl_bool blocking, rh_error *error) {
  const rh_cl_session *session = part->job.instance_spec.session;
  size_t bytes = (size_t)part->n_nodes * rh_instance_op(part->job.instance)->value_size;
  RH_CL_TRY_IN(session, error,
               rh_cl_read(session->queue, part->values, blocking, 0, bytes, part->fetched, NULL),
               "reading the result from the device");
  return RH_OK;
}

rh_status rh_resident_part_begin(rh_resident_part *part, rh_error *error) {
  if (part->waits) return run_now(part, error);
  if (is_watched(part)) {
    const rh_data data = data_of(part, &part->nodes[0]);
    RH_TRY(rh_instance_begin(part->job.instance, &data, part->n, error));
    return flush(part, error);
  }
  RH_TRY(enqueue_nodes(part, error));
  RH_TRY(read_values(part, CL_FALSE, error));
  return flush(part, error);
}

rh_status rh_resident_part_await(const rh_resident_part *part, rh_error *error) {
  const rh_cl_session *session = part->job.instance_spec.session;
  RH_CL_TRY_IN(session, error, rh_cl_finish(session->queue), "waiting for the device");
  return RH_OK;
}

rh_status rh_resident_part_end(rh_resident_part *part, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  if (part->waits) return RH_OK;
  if (!is_watched(part)) return rh_resident_part_await(part, error);
  RH_TRY(rh_instance_end(part->job.instance, value, error));
  memcpy(value_of(part, 0), value, rh_instance_op(part->job.instance)->value_size);
  return RH_OK;
}

rh_status rh_resident_part_enqueue(rh_resident_part *part, rh_error *error) {
  RH_TRY(enqueue_nodes(part, error));
  return flush(part, error);
}

rh_status rh_resident_part_read(rh_resident_part *part, rh_error *error) {
  return read_values(part, CL_TRUE, error);
}

rh_status rh_resident_part_add(const rh_resident_part *part, rh_partial *partial, rh_error *error) {
  for (uint32_t k = 0; k < part->n_nodes; k++) {
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
    const rh_resident_node *node = &part->nodes[k];
    const rh_partial_chunk chunk = {
        .first = node->first, .n = node->n, .level = node->level, .value = value};
    memcpy(value, value_of(part, k), partial->fold.op->value_size);
    RH_TRY(rh_partial_add(partial, &part->job, &chunk, error));
  }
  return RH_OK;
}
