#include "template.h"
#include "../core/base/bytes.h"
#include "../core/base/error.h"
#include "../core/base/path.h"

#include "operator_code_example_cl.h"
#include "operator_code_example_op_json.h"
#include "operator_example_op_json.h"
#include "template_CMakeLists_txt.h"
#include "template_Makefile.h"
#include "template_README_md.h"
#include "template_example_c.h"
#include "template_example_cl.h"
#include "template_pyproject_toml.h"
#include "transport_CMakeLists_txt.h"
#include "transport_Makefile.h"
#include "transport_README_md.h"
#include "transport_example_c.h"
#include "transport_run_example.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The placeholder for the name, also in the template's file names. */
static const char stand_in[] = "example";

static const struct {
  rh_template kind;
  const char *name, *text;
} template[] = {
    {RH_TEMPLATE_PLUGIN, "example.c", template_example_c},
    {RH_TEMPLATE_PLUGIN, "example.cl", template_example_cl},
    {RH_TEMPLATE_PLUGIN, "CMakeLists.txt", template_CMakeLists_txt},
    {RH_TEMPLATE_PLUGIN, "Makefile", template_Makefile},
    {RH_TEMPLATE_PLUGIN, "README.md", template_README_md},
    {RH_TEMPLATE_PYTHON, "pyproject.toml", template_pyproject_toml},
    {RH_TEMPLATE_TRANSPORT, "example.c", transport_example_c},
    {RH_TEMPLATE_TRANSPORT, "run-example", transport_run_example},
    {RH_TEMPLATE_TRANSPORT, "CMakeLists.txt", transport_CMakeLists_txt},
    {RH_TEMPLATE_TRANSPORT, "Makefile", transport_Makefile},
    {RH_TEMPLATE_TRANSPORT, "README.md", transport_README_md},
    {RH_TEMPLATE_OPERATOR, "example.op.json", operator_example_op_json},
    {RH_TEMPLATE_CODE, "example.op.json", operator_code_example_op_json},
    {RH_TEMPLATE_CODE, "example.cl", operator_code_example_cl},
};
enum { N_FILES = sizeof template / sizeof *template };

/* The name as a C identifier: without dashes or a leading digit, as redhost_add_plugin() makes
 * it. */
static void add_c_name(rh_text *text, const char *name) {
  if (isdigit((unsigned char)name[0])) rh_text_append(text, "x", 1);
  for (; *name; name++) rh_text_append(text, *name == '-' ? "_" : name, 1);
}

/* The kernel's text, NAME_cl, and Python's redhost_NAME need the name as an identifier; elsewhere
 * it is used unchanged. */
static int is_identifier(const char *from, const char *at) {
  static const char package[] = "redhost_";
  size_t length = sizeof package - 1;
  return strncmp(at + strlen(stand_in), "_cl", 3) == 0 ||
         ((size_t)(at - from) >= length && strncmp(at - length, package, length) == 0);
}

static void fill_in(rh_text *text, const char *from, const char *name) {
  for (const char *at; (at = strstr(from, stand_in)); from = at + strlen(stand_in)) {
    rh_text_append(text, from, (size_t)(at - from));
    if (is_identifier(from, at))
      add_c_name(text, name);
    else
      rh_text_add(text, "%s", name);
  }
  rh_text_add(text, "%s", from);
}

/* Creates a new, complete file or none.  A script may be executed. */
static rh_status write_file(const char *path, const rh_text *text, rh_error *error) {
  mode_t mode = strncmp(rh_text_get(text), "#!", 2) == 0 ? 0777 : 0666;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno == EEXIST)
    return rh_fail(error, RH_E_FILE, "%s exists already; name another directory", path);
  if (file < 0) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  int failed = rh_write_all(file, rh_text_get(text), text->length, 0) != 0 ? errno : 0;
  if (close(file) != 0 && !failed) failed = errno;
  if (!failed) return RH_OK;
  unlink(path);
  return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(failed));
}

static rh_status check_empty(const char *directory, rh_error *error) {
  DIR *open_directory = opendir(directory);
  if (!open_directory) return rh_fail(error, RH_E_FILE, "%s: %s", directory, strerror(errno));
  int n = 0;
  for (const struct dirent *entry; (entry = readdir(open_directory));)
    n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(open_directory);
  return n ? rh_fail(error, RH_E_FILE, "%s holds files already; name an empty or a new directory",
                     directory)
           : RH_OK;
}

static rh_status make_directory(rh_template kind, const char *directory, int *made,
                                rh_error *error) {
  *made = mkdir(directory, 0777) == 0;
  if (*made) return RH_OK;
  if (errno != EEXIST) return rh_fail(error, RH_E_FILE, "%s: %s", directory, strerror(errno));
  int is_operator = kind == RH_TEMPLATE_OPERATOR || kind == RH_TEMPLATE_CODE;
  return !is_operator ? check_empty(directory, error) : RH_OK;
}

static int is_part_of(size_t k, rh_template kind) {
  return template[k].kind == kind ||
         (kind == RH_TEMPLATE_PYTHON && template[k].kind == RH_TEMPLATE_PLUGIN);
}

/* *path: the path of the file, or null. */
static rh_status write_one(size_t k, const char *name, const char *directory, char **path,
                           rh_text *files, rh_error *error) {
  rh_text file_name = {0}, text = {0};
  fill_in(&file_name, template[k].name, name);
  fill_in(&text, template[k].text, name);
  rh_text_add(files, " %s", rh_text_get(&file_name));
  *path = rh_path_join(directory, rh_text_get(&file_name));
  rh_status status = !*path || text.failed || file_name.failed || files->failed
                         ? rh_fail(error, RH_E_NOMEM, "no memory for a template")
                         : write_file(*path, &text, error);
  if (status != RH_OK) {
    free(*path);
    *path = NULL;
  }
  rh_text_finish(&file_name);
  rh_text_finish(&text);
  return status;
}

rh_status rh_template_write(rh_template kind, const char *name, const char *directory,
                            rh_text *files, rh_error *error) {
  char *paths[N_FILES] = {0};
  int made;
  RH_TRY(make_directory(kind, directory, &made, error));
  rh_status status = RH_OK;
  for (size_t k = 0; k < N_FILES && status == RH_OK; k++)
    if (is_part_of(k, kind)) status = write_one(k, name, directory, &paths[k], files, error);
  for (size_t k = N_FILES; k-- > 0;) {
    if (paths[k] && status != RH_OK) unlink(paths[k]);
    free(paths[k]);
  }
  if (status != RH_OK && made) rmdir(directory);
  return status;
}
