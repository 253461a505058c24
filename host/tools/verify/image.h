/* A shared object's dynamic section, read from the file without running any of its code. */
#pragma once

#include <redhost/redhost.h>
#include <stddef.h>

/* A plugin and a transport export these. */
#define RH_PLUGIN_SYMBOL    "redhost_plugin_v1"
#define RH_TRANSPORT_SYMBOL "redhost_transport_v1"

enum { RH_MOST_NEEDED = 64 };

typedef struct rh_image_symbol {
  const char *name;
  uint32_t defined, weak, unique; /* unique: STB_GNU_UNIQUE */
} rh_image_symbol;

/* Strings point into `bytes`. */
typedef struct rh_image {
  unsigned char *bytes;
  size_t size;
  rh_image_symbol *symbols; /* global and weak ones */
  uint32_t n_symbols;
  const char *needed[RH_MOST_NEEDED]; /* DT_NEEDED */
  uint32_t n_needed;
  uint64_t strings, strings_size; /* of the dynamic section: an address in memory */
  const char *rpath;              /* DT_RUNPATH, else DT_RPATH; null if there is none */
  uint32_t static_tls, text_relocations, executable_stack, relro, bind_now;
} rh_image;

/* `path` has passed rh_elf_check.  RH_E_PLUGIN if the file contradicts itself. */
rh_status rh_image_read(rh_image *image, const char *path, rh_error *error);
void rh_image_finish(rh_image *image);

int rh_image_defines(const rh_image *image, const char *symbol);

/* A library that every system has, one of the compiler's, or the OpenCL loader. */
int rh_library_is_ordinary(const char *soname);

/* Libraries are found as the loader would find them, without loading any. */
enum { RH_MOST_LIBRARIES = 128 };

/* The needed libraries and, in turn, those that they need. */
typedef struct rh_libraries {
  rh_image images[RH_MOST_LIBRARIES];
  char *paths[RH_MOST_LIBRARIES];
  uint32_t n;
} rh_libraries;

/* RH_E_PLUGIN if a library that the file itself names is not found. */
rh_status rh_libraries_read(rh_libraries *libraries, const rh_image *image, const char *path,
                            rh_error *error);
int rh_libraries_define(const rh_libraries *libraries, const char *symbol);
void rh_libraries_finish(rh_libraries *libraries);
