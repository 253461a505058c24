#include "image.h"
#include "../../core/base/error.h"
#include "../../core/base/path.h"
#include "../../core/base/text.h"
#include "../../core/plug/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_BIND(info) ELF64_ST_BIND(info)
#else
#define SYMBOL_BIND(info) ELF32_ST_BIND(info)
#endif

enum { MOST_BYTES = 256 << 20 };

static const char *const ordinary[] = {"libc.so.",      "libm.so.",      "libpthread.so.",
                                       "libdl.so.",     "librt.so.",     "libgcc_s.so.",
                                       "libstdc++.so.", "libOpenCL.so.", "ld-linux"};

int rh_library_is_ordinary(const char *soname) {
  for (size_t k = 0; k < sizeof ordinary / sizeof *ordinary; k++)
    if (strncmp(soname, ordinary[k], strlen(ordinary[k])) == 0) return 1;
  return 0;
}

/* ---- Pieces of the file; null if the file is too short for what its headers say ---- */

static const void *piece(const rh_image *image, uint64_t offset, uint64_t bytes) {
  if (offset > image->size || bytes > image->size - offset) return NULL;
  return image->bytes + offset;
}

static ElfW(Ehdr) header_of(const rh_image *image) {
  ElfW(Ehdr) header;
  memcpy(&header, image->bytes, sizeof header);
  return header;
}

static int segment_at(const rh_image *image, unsigned k, ElfW(Phdr) * segment) {
  ElfW(Ehdr) header = header_of(image);
  const void *from = piece(image, header.e_phoff + k * sizeof *segment, sizeof *segment);
  if (k >= header.e_phnum || !from) return 0;
  memcpy(segment, from, sizeof *segment);
  return 1;
}

/* Converts an address in memory to an offset in the file. */
static int offset_of(const rh_image *image, uint64_t address, uint64_t *offset) {
  ElfW(Phdr) segment;
  for (unsigned k = 0; segment_at(image, k, &segment); k++)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      *offset = address - segment.p_vaddr + segment.p_offset;
      return 1;
    }
  return 0;
}

/* ---- The dynamic section ---- */

typedef struct dynamic {
  uint64_t strings, strings_size, rpath, runpath, flags, flags_1;
  uint64_t needed[RH_MOST_NEEDED];
  uint32_t n_needed, has_rpath, has_runpath, has_textrel, has_bind_now;
} dynamic;

static void take_entry(dynamic *d, const ElfW(Dyn) * entry) {
  uint64_t value = entry->d_un.d_val;
  switch (entry->d_tag) {
  case DT_STRTAB: d->strings = value; break;
  case DT_STRSZ: d->strings_size = value; break;
  case DT_NEEDED:
    if (d->n_needed < RH_MOST_NEEDED) d->needed[d->n_needed++] = value;
    break;
  case DT_RPATH:
    d->rpath = value;
    d->has_rpath = 1;
    break;
  case DT_RUNPATH:
    d->runpath = value;
    d->has_runpath = 1;
    break;
  case DT_TEXTREL: d->has_textrel = 1; break;
  case DT_BIND_NOW: d->has_bind_now = 1; break;
  case DT_FLAGS: d->flags = value; break;
  case DT_FLAGS_1: d->flags_1 = value; break;
  default: break;
  }
}

static int read_dynamic(rh_image *image, dynamic *d) {
  ElfW(Phdr) segment;
  *d = (dynamic){0};
  for (unsigned k = 0; segment_at(image, k, &segment); k++) {
    if (segment.p_type == PT_GNU_STACK) image->executable_stack = (segment.p_flags & PF_X) != 0;
    if (segment.p_type == PT_GNU_RELRO) image->relro = 1;
    if (segment.p_type != PT_DYNAMIC) continue;
    const unsigned char *from = piece(image, segment.p_offset, segment.p_filesz);
    if (!from) return 0;
    for (uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= segment.p_filesz; at += sizeof(ElfW(Dyn))) {
      ElfW(Dyn) entry;
      memcpy(&entry, from + at, sizeof entry);
      if (entry.d_tag == DT_NULL) break;
      take_entry(d, &entry);
    }
  }
  return 1;
}

/* A string that ends inside the table, else null. */
static const char *string_at(const rh_image *image, const dynamic *d, uint64_t at) {
  uint64_t offset;
  if (!offset_of(image, d->strings, &offset) || at >= d->strings_size) return NULL;
  const char *s = piece(image, offset + at, d->strings_size - at);
  return s && memchr(s, 0, d->strings_size - at) ? s : NULL;
}

static int take_dynamic(rh_image *image, const dynamic *d) {
  for (uint32_t k = 0; k < d->n_needed; k++)
    if (!(image->needed[image->n_needed++] = string_at(image, d, d->needed[k]))) return 0;
  if (d->has_runpath || d->has_rpath) {
    image->rpath = string_at(image, d, d->has_runpath ? d->runpath : d->rpath);
    if (!image->rpath) return 0;
  }
  image->static_tls = (d->flags & DF_STATIC_TLS) != 0;
  image->text_relocations = d->has_textrel || d->flags & DF_TEXTREL;
  image->bind_now = d->has_bind_now || d->flags & DF_BIND_NOW || d->flags_1 & DF_1_NOW;
  return 1;
}

/* ---- Symbols ---- */

static int take_symbols(rh_image *image, const dynamic *d, const ElfW(Shdr) * section) {
  uint64_t n = section->sh_size / sizeof(ElfW(Sym));
  const unsigned char *from = piece(image, section->sh_offset, section->sh_size);
  if (!from || image->symbols) return from != NULL;
  image->symbols = calloc(n + 1, sizeof *image->symbols);
  for (uint64_t k = 1; image->symbols && k < n; k++) { /* the first entry is reserved */
    ElfW(Sym) symbol;
    memcpy(&symbol, from + k * sizeof symbol, sizeof symbol);
    unsigned bind = SYMBOL_BIND(symbol.st_info);
    if (bind == STB_LOCAL) continue;
    const char *name = string_at(image, d, symbol.st_name);
    if (!name) return 0;
    image->symbols[image->n_symbols++] = (rh_image_symbol){
        name, symbol.st_shndx != SHN_UNDEF, bind == STB_WEAK, bind == STB_GNU_UNIQUE};
  }
  return image->symbols != NULL;
}

static int read_symbols(rh_image *image, const dynamic *d) {
  ElfW(Ehdr) header = header_of(image);
  for (unsigned k = 0; k < header.e_shnum && header.e_shentsize == sizeof(ElfW(Shdr)); k++) {
    ElfW(Shdr) section;
    const void *from = piece(image, header.e_shoff + k * sizeof section, sizeof section);
    if (!from) return 0;
    memcpy(&section, from, sizeof section);
    if (section.sh_type == SHT_DYNSYM && !take_symbols(image, d, &section)) return 0;
  }
  return 1;
}

/* ---- The file ---- */

static rh_status read_file(rh_image *image, const char *path, rh_error *error) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  if (good && st.st_size > MOST_BYTES) {
    close(fd);
    return rh_fail(error, RH_E_PLUGIN, "has %lld bytes, more than the limit of %d",
                   (long long)st.st_size, MOST_BYTES);
  }
  if (good) image->bytes = malloc((size_t)st.st_size + 1);
  if (good && !image->bytes) {
    close(fd);
    return rh_fail(error, RH_E_NOMEM, "no memory for %lld bytes", (long long)st.st_size);
  }
  while (good && image->size < (size_t)st.st_size) {
    ssize_t got = read(fd, image->bytes + image->size, (size_t)st.st_size - image->size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    image->size += (size_t)got;
  }
  if (fd >= 0) close(fd);
  if (good && image->size == (size_t)st.st_size && image->size >= sizeof(ElfW(Ehdr))) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "cannot be read");
}

rh_status rh_image_read(rh_image *image, const char *path, rh_error *error) {
  dynamic d;
  *image = (rh_image){0};
  rh_status status = read_file(image, path, error);
  if (status == RH_OK &&
      !(read_dynamic(image, &d) && take_dynamic(image, &d) && read_symbols(image, &d)))
    status = rh_fail(error, RH_E_PLUGIN, "is damaged: its tables point outside the file");
  if (status != RH_OK) rh_image_finish(image);
  return status;
}

void rh_image_finish(rh_image *image) {
  free(image->bytes);
  free(image->symbols);
  *image = (rh_image){0};
}

int rh_image_defines(const rh_image *image, const char *symbol) {
  for (uint32_t k = 0; k < image->n_symbols; k++)
    if (image->symbols[k].defined && strcmp(image->symbols[k].name, symbol) == 0) return 1;
  return 0;
}

/* ---- The libraries that a file needs ---- */

/* Where Debian, Fedora, Arch and similar systems keep libraries for this architecture. */
static const char *const directories[] = {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib"};

static char *if_there(const char *directory, size_t length, const char *soname) {
  char *path = NULL;
  if (asprintf(&path, "%.*s/%s", (int)length, directory, soname) < 0) return NULL;
  if (access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}

/* A colon-separated list; $ORIGIN is the directory of `user`. */
static char *find_in_list(const char *list, const char *user, const char *soname) {
  const char *slash = strrchr(user, '/');
  int origin_length = slash ? (int)(slash - user) : 0;
  char *found = NULL;
  for (const char *at = list; at && !found;) {
    size_t length = strcspn(at, ":");
    const char *rest = at;
    if (strncmp(at, "$ORIGIN", 7) == 0) rest = at + 7;
    if (strncmp(at, "${ORIGIN}", 9) == 0) rest = at + 9;
    char *directory = NULL;
    if (asprintf(&directory, "%.*s%.*s", rest == at ? 0 : origin_length, user,
                 (int)(length - (size_t)(rest - at)), rest) < 0)
      return NULL;
    found = if_there(directory, strlen(directory), soname);
    free(directory);
    at = at[length] ? at + length + 1 : NULL;
  }
  return found;
}

/* Searches as ld.so does, without its cache, which only lists directories from its own
 * configuration. */
static char *find(const rh_image *of, const char *user, const char *soname) {
  if (strchr(soname, '/')) return if_there("", 0, soname);
  char *found = of->rpath ? find_in_list(of->rpath, user, soname) : NULL;
  const char *path = rh_env("LD_LIBRARY_PATH");
  if (!found && path) found = find_in_list(path, user, soname);
  for (size_t k = 0; !found && k < sizeof directories / sizeof *directories; k++)
    found = if_there(directories[k], strlen(directories[k]), soname);
  return found;
}

static int is_known(const rh_libraries *libraries, const char *path) {
  for (uint32_t k = 0; k < libraries->n; k++)
    if (strcmp(libraries->paths[k], path) == 0) return 1;
  return 0;
}

/* Takes over `path`. */
static void add_library(rh_libraries *libraries, char *path) {
  rh_error unused;
  if (libraries->n < RH_MOST_LIBRARIES && !is_known(libraries, path) &&
      rh_elf_check(path, &unused) == RH_OK &&
      rh_image_read(&libraries->images[libraries->n], path, &unused) == RH_OK)
    libraries->paths[libraries->n++] = path;
  else
    free(path);
}

rh_status rh_libraries_read(rh_libraries *libraries, const rh_image *image, const char *path,
                            rh_error *error) {
  libraries->n = 0;
  for (uint32_t k = 0; k < image->n_needed; k++) {
    char *found = find(image, path, image->needed[k]);
    if (!found)
      return rh_fail(error, RH_E_PLUGIN, "needs %s, which was not found", image->needed[k]);
    add_library(libraries, found);
  }
  for (uint32_t j = 0; j < libraries->n; j++)
    for (uint32_t k = 0; k < libraries->images[j].n_needed; k++) {
      char *found =
          find(&libraries->images[j], libraries->paths[j], libraries->images[j].needed[k]);
      if (found) add_library(libraries, found);
    }
  return RH_OK;
}

int rh_libraries_define(const rh_libraries *libraries, const char *symbol) {
  for (uint32_t k = 0; k < libraries->n; k++)
    if (rh_image_defines(&libraries->images[k], symbol)) return 1;
  return 0;
}

void rh_libraries_finish(rh_libraries *libraries) {
  for (uint32_t k = 0; k < libraries->n; k++) {
    rh_image_finish(&libraries->images[k]);
    free(libraries->paths[k]);
  }
  libraries->n = 0;
}
