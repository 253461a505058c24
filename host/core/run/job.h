/* One reduction of one array by one strategy, from the strategy's name to the checked answer. */
#pragma once

#include "../check/reference.h"
#include "../operation/operation.h"
#include "context.h"
#include "instance.h"
#include "settings.h"

/* Where the data are when the clock starts: in the host's memory, so that an upload counts; where
 * the strategy reads them, so that on a device with memory of its own only its strategies compare;
 * or on the device, where the result may have to stay, too. */
enum { RH_JOB_ON_HOST, RH_JOB_IN_PLACE, RH_JOB_DATA_ON_DEVICE, RH_JOB_RESULT_ON_DEVICE };

typedef struct rh_job_spec {
  const char *strategy; /* or "auto", for rh_locate() alone */
  const char *plugin;   /* the strategy's file; null: it was not located yet */
  rh_remote *remote;    /* null, or what runs it instead of this process */
  rh_operation operation;
  uint32_t unchecked_op; /* 1: a user's operator is not examined before its first use */
  uint64_t offsets[RH_MOST_OPERANDS]; /* of its operands: bytes behind the data's beginning */
  const rh_setting *settings;
  uint64_t n_settings;
  /* 1: ignore settings that the strategy does not have */
  uint32_t others_too;
  /* 1: parameters are the plugin's defaults and the settings, without tuned values */
  uint32_t untuned;
  /* 1: an array that the device cannot hold is brought there in pieces, and segments of one that
   * the memory cannot hold are taken where it is mapped, so that neither is refused */
  uint32_t in_pieces;
  uint32_t on_device; /* what `auto` must find: RH_JOB_* */
  /* 1: nothing else is asked of this process, so that opening a device counts, too */
  uint32_t once;
} rh_job_spec;

/* Fields from `strategy` on are read-only. */
typedef struct rh_job {
  rh_context *context;
  rh_job_spec spec;
  const rh_strategy *strategy;
  char *path;                  /* the plugin's file */
  const rh_cl_device *device;  /* that has the data; null for a host strategy */
  const rh_cl_device *runs_on; /* the same, but of a remote strategy its own */
  rh_instance_spec instance_spec;
  rh_origin params_from;
  rh_answer answer;
  rh_cl_input input;
  rh_data data;
  rh_operands operands; /* where data.operands points */
  rh_instance *instance;
  double setup_s; /* query, build and allocation, without the upload */
} rh_job;

/* RH_E_USAGE if spec->settings are invalid for spec->strategy in spec->plugin.  Opens the plugin in
 * this process. */
rh_status rh_job_check_settings(const rh_context *context, const rh_job_spec *spec,
                                rh_error *error);

/* The device for a strategy of these kinds, null for one that runs on the host; RH_E_DEVICE if it
 * does not support the type or cannot hold the elements. */
rh_status rh_job_device(rh_context *context, const rh_job_spec *spec, uint32_t device_kinds,
                        const rh_cl_device **device, rh_error *error);

/* Opens the strategy, which was located, finds the device, and queries the strategy.  Touches no
 * data and creates nothing on the device, so that every refusal comes early.  In two steps, or in
 * one. */
rh_status rh_job_open(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error);
rh_status rh_job_ask(rh_job *job, rh_error *error);
rh_status rh_job_init(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error);

/* Between the plugin's defaults and the settings: a tuned value, unless the caller gave one.  1: it
 * is used.  One that is invalid for the plugin is logged, as information, and ignored. */
int rh_job_use_tuned(rh_job *job, const char *key, const char *value);

/* RH_DECLINED if the strategy that was asked cannot read data on the device, or leave its result
 * there, as spec.on_device wants it. */
rh_status rh_job_check_place(const rh_job *job, rh_error *error);

/* Only sets up the strategy, in instance_spec.session, or if that is null in the context's.  If
 * tuned parameters fail, such as those of another device of the kind, the plugin's defaults are
 * used. */
rh_status rh_job_instantiate(rh_job *job, rh_error *error);

/* Brings the data, spec.n elements `offset` bytes after the page-aligned `region`, to the device
 * and sets up. */
rh_status rh_job_setup(rh_job *job, void *region, uint64_t offset, rh_error *error);

/* Is the strategy's value only near the answer that is asked for, rounded once?  It promises that
 * of built-in operators alone. */
int rh_job_is_near(const rh_job *job);

/* Converts the operator's value to a result. */
void rh_job_result(const rh_job_spec *spec, const char *strategy, const void *value,
                   rh_result *result);

/* The exact answer, computed before the strategy runs: a strategy that writes to its input must not
 * change its own reference. */
rh_status rh_job_reference(const rh_job_spec *spec, const void *data, const rh_reporter *reporter,
                           rh_reference *reference, rh_error *error);
/* operands[k] = where operand k of the data lies */
void rh_job_operands_at(const rh_job_spec *spec, const void *data, const void **operands);
/* Elements first .. first+n-1 of whole_n. */
typedef struct rh_job_part {
  const void *const *operands; /* where they lie, each operand's */
  uint64_t first, n, whole_n;
  uint32_t threads; /* 0: one per processor */
  int may_change;   /* 1: others than the strategy can write to them */
} rh_job_part;
/* The arrays as the operator reads them; `constants` is room for its own. */
void rh_job_arrays(const rh_job_spec *spec, const rh_job_part *part, rh_arrays *arrays,
                   uint64_t constants[RH_MOST_CONSTANT_WORDS]);
rh_status rh_job_reference_of(const rh_job_spec *spec, const rh_job_part *part,
                              const rh_reporter *reporter, rh_reference *reference,
                              rh_error *error);
/* Judges an answer by it. device: null for the host; depth: from query's answer. */
void rh_job_judge(const rh_job_spec *spec, const rh_cl_device *device, uint64_t depth,
                  const rh_reference *reference, const rh_result *result, rh_verdict *verdict);
/* The value of a part of the data, by the part's reference. */
void rh_job_judge_value(const rh_job_spec *spec, const rh_cl_device *device, uint64_t depth,
                        const rh_reference *reference, const void *value, rh_verdict *verdict);

void rh_job_finish(rh_job *job); /* zero-initialised is fine */
