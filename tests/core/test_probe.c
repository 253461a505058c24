/* host/core/plug/examine.c and wire.c: the child process that examines plugins, and
 * misbehaving ones. */
#include "../../host/core/plug/plug.h"
#include "../suite/suite.h"
#include "load_strategy.h"
#include "plug_support.h"

#define HELLO "{\"redhost-probe\":4}\n"

static const struct {
  const char *text, *says;
} strangers[] = {
    {"", "does not speak the probe protocol: it ended the process with exit status 0 at its start"},
    {"mute", "it sends nothing"},
    {"hello, world\n", "it sends something else"},
    {"{\"redhost-probe\":9}\n", "it sends something else"},
    {"flood", "it sends something else"},
};

enum { N_STRANGERS = sizeof strangers / sizeof *strangers };

static rh_status examine_with(const char *text, rh_registry *registry, rh_error *why) {
  rh_options options = options_for(dir);
  copy("fine");
  setenv("REDHOST_TEST_CHILD", text, 1);
  ck_assert_int_eq(rh_registry_begin(registry, &options, NULL, NULL, why), RH_OK);
  registry->limit_s =
      strcmp(text, "mute") == 0 ? 0.5 : 20; /* a busy machine is slow, but not silent */
  registry->limit_bytes = 1 << 20;
  return rh_registry_examine(registry, &gpu, 0, NULL, 0, 1, why);
}

TEST_LOOP(programs_that_are_no_redhost_are_named, 0, N_STRANGERS) {
  rh_registry registry;
  int descriptors = open_descriptors();
  must_fail(examine_with(strangers[_i].text, &registry, &error), RH_E_PLUGIN, self);
  assert_says(error.message, strangers[_i].says);
  rh_registry_finish(&registry);
  assert_nothing_left(descriptors);
}

TEST(a_missing_program_is_named) {
  const rh_strategy *strategy;
  rh_registry registry;
  char *path;
  copy("fine");
  rh_options options = options_for(dir);
  options.program = "/nowhere/redhost";
  must_fail(rh_registry_scan(&registry, &options, NULL, 0, &error), RH_E_PLUGIN,
            "/nowhere/redhost: cannot be started: No such");
  ck_assert_int_eq(load_strategy(&options, NULL, "x", &strategy, &path, &error), RH_E_PLUGIN);
  options.program = NULL; /* this program is not called redhost; a build may have one next to it */
  if (rh_registry_scan(&registry, &options, NULL, 0, &error) == RH_OK) {
    rh_registry_finish(&registry);
    return;
  }
  assert_says(error.message, "no redhost program to examine plugins with: none at ");
}

TEST_LOOP(half_an_answer_is_none, 0, 5) {
  static const char *const texts[] = {
      HELLO "{\"refus", HELLO "{\"plugin\":0,\"strategies\":[{\"texts\":[1]}]}\n",
      HELLO "{\"plugin\":0,\"strategies\":[]}\n",
      HELLO "{\"refused\":1,\"kind\":0,\"reason\":\"so\"}\n", HELLO "{\"end\":0}\n"};
  const char *says = _i ? "wrote to redhost's result channel while loading"
                        : "ended the process with exit status 0 while loading";
  FINISHED(rh_registry) registry = {0};
  must(examine_with(texts[_i], &registry, &error));
  ck_assert_str_eq(registry.search.candidates[0].refused, says);
  ck_assert_uint_eq(registry.n_known, 0);
}

TEST(a_child_lost_behind_the_last_file_is_noted) {
  FINISHED(rh_registry) registry = {0};
  must(examine_with(HELLO "{\"refused\":0,\"kind\":0,\"reason\":\"so\"}\n", &registry, &error));
  ck_assert_str_eq(registry.search.candidates[0].refused, "so");
  ck_assert_uint_eq(registry.search.n_notes, 1);
  assert_says(registry.search.notes[0], "fine.so: it ended the process with exit status 0");
}

TEST(the_device_arrives_whole) {
  rh_device device = {.struct_size = sizeof device,
                      .kind = RH_DEVICE_GPU,
                      .cl_version = 300,
                      .vendor_id = UINT32_MAX,
                      .compute_units = 132,
                      .max_group = 1024,
                      .subgroup_min = 16,
                      .subgroup_max = 32,
                      .local_bytes = 49152,
                      .global_bytes = UINT64_MAX,
                      .max_alloc_bytes = 1ull << 63,
                      .features = 1ull << 63 | RH_FP64,
                      .name = "Ger\xc3\xa4t",
                      .driver = "\xff",
                      .extensions = NULL};
  FINISHED(rh_text) text = {0};
  rh_child_request request;
  rh_device got;
  uint64_t max_n;
  rh_wire_request(&text, &device, UINT64_MAX);
  rh_request_add(&text, "file", "/a");
  rh_request_add(&text, "file", "/\xff\n=");
  ck_assert_int_eq(rh_request_end(&text, NULL), RH_OK);
  for (size_t n = 1; n <= text.length; n++) {
    char *part = malloc(n);
    ck_assert_ptr_nonnull(part);
    memcpy(part, text.s, n);
    ck_assert_int_eq(rh_request_parse(&request, part, n), n < text.length ? -1 : 0);
  }
  ck_assert_int_eq(rh_wire_read_request(&request, &got, &max_n), 0);
  ck_assert_uint_eq(max_n, UINT64_MAX);
  ck_assert_int_eq(request.parent, getpid());
  const char *file = rh_request_next(&request, "file", NULL);
  ck_assert_str_eq(file, "/a");
  file = rh_request_next(&request, "file", file);
  ck_assert_str_eq(file, "/\xff\n=");
  ck_assert_ptr_null(rh_request_next(&request, "file", file));
  ck_assert_int_eq(memcmp(&got, &device, offsetof(rh_device, name)), 0);
  ck_assert_str_eq(got.name, device.name);
  ck_assert_str_eq(got.driver, "\xff");
  ck_assert_str_eq(got.extensions, "");
  rh_request_finish(&request);
}

/* It would join the job, or wait for it. */
TEST(a_child_is_no_part_of_a_parallel_job) {
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  setenv("PMIX_RANK", "1", 1);
  setenv("PMI_RANK", "1", 1);
  setenv("REDHOST_LOCAL_RANK", "1/2", 1);
  setenv("REDHOST_TEST_CHILD", "fine", 1);
  const char **clean = rh_child_environment("REDHOST_TEST_CHILD=other");
  int found = 0;
  ck_assert_ptr_nonnull(clean);
  for (int k = 0; clean[k]; k++) {
    ck_assert_msg(strncmp(clean[k], "OMPI_", 5) != 0 && strncmp(clean[k], "PMI", 3) != 0 &&
                      strncmp(clean[k], "REDHOST_LOCAL", 13) != 0,
                  "%s", clean[k]);
    found += strncmp(clean[k], "REDHOST_TEST_CHILD=", 19) == 0;
  }
  ck_assert_int_eq(found, 1);
  free(clean);
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
