/* redhost --new-transport NAME [DIR] */
#include "../core/base/error.h"
#include "../engine/ranks/transports.h"
#include "app.h"
#include "next.h"
#include "template.h"

#include <string.h>

/* Several files may offer one transport, as the two of MPI do; a new one that is not meant to
 * should not be taken for them. */
static rh_status check_is_new(const char *name, rh_error *error) {
  rh_transport_list list;
  RH_TRY(rh_transports_list(&list, error));
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < list.n && status == RH_OK; k++) {
    const rh_transport_entry *entry = &list.entries[k];
    if (entry->transport && strcmp(entry->transport->name, name) == 0)
      status = rh_fail(
          error, RH_E_USAGE, "there is a transport '%s' already, %s%s; choose another name", name,
          entry->path ? "in " : "which comes with ", entry->path ? entry->path : "redhost");
  }
  rh_transports_finish(&list);
  return status;
}

static void print_next(const char *program, const char *name, const char *directory) {
  int has_sdk = rh_print_make(program, directory);
  const char *redhost = rh_is_in_path(program) ? "redhost" : program;
  printf("./run-%s 3 ", name);
  rh_print_word(redhost);
  printf(" --run auto -n 1e6 --transport ./%s.so\n  ", name);
  rh_print_word(redhost);
  printf(" --verify ./%s.so --launch './run-%s {n}'\n", name, name);
  if (!has_sdk) rh_print_no_sdk();
}

rh_status rh_mode_new_transport(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  const char *directory = app->typed->n_operands ? app->typed->operands[0] : name;
  rh_text files = {0};
  if (!rh_transport_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-transport '%s': a name is made of a-z, 0-9, - and _, and is not longer "
                   "than 31",
                   name);
  RH_TRY(check_is_new(name, error));
  rh_status status = rh_template_write(RH_TEMPLATE_TRANSPORT, name, directory, &files, error);
  if (status == RH_OK) {
    printf("%s:%s\n", directory, rh_text_get(&files));
    print_next(app->context->options.program, name, directory);
  }
  rh_text_finish(&files);
  return status;
}
