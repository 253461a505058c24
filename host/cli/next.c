#include "next.h"
#include "../core/base/path.h"
#include "../core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rh_print_word(const char *word) {
  rh_text text = {0};
  rh_text_add_word(&text, word);
  fputs(rh_text_get(&text), stdout);
  rh_text_finish(&text);
}

int rh_is_in_path(const char *program) {
  const char *path = rh_env("PATH");
  char *own = realpath(program, NULL), *found = NULL;
  while (path && !found) {
    size_t length = strcspn(path, ":");
    char *directory = strndup(path, length);
    char *typed = directory ? rh_path_join(length ? directory : ".", "redhost") : NULL;
    if (typed && access(typed, X_OK) == 0) found = realpath(typed, NULL);
    free(typed);
    free(directory);
    path = path[length] ? path + length + 1 : NULL;
  }
  int is = own && found && strcmp(own, found) == 0;
  free(found);
  free(own);
  return is;
}

/* The pkg-config directory of this redhost; null if its SDK is not installed. */
static char *find_sdk(void) {
  char *library = rh_path_library_dir();
  char *directory = library ? rh_path_join(library, "pkgconfig") : NULL;
  char *file = directory ? rh_path_join(directory, "redhost-plugin.pc") : NULL;
  if (!file || access(file, R_OK) != 0) {
    free(directory);
    directory = NULL;
  }
  free(file);
  free(library);
  return directory;
}

int rh_print_make(const char *program, const char *directory) {
  char *sdk = find_sdk();
  int has_sdk = sdk != NULL;
  printf("\n  cd ");
  rh_print_word(directory);
  printf("\n  ");
  if (sdk && !rh_is_in_path(program)) {
    printf("PKG_CONFIG_PATH=");
    rh_print_word(sdk);
    putchar(' ');
  }
  printf("make\n  ");
  free(sdk);
  return has_sdk;
}

void rh_print_no_sdk(void) {
  printf("\nmake looks for redhost-plugin.pc: name its directory in PKG_CONFIG_PATH.\n");
}
