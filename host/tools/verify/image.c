#include "internal.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static const char *const ordinary[] = {"libc.so.",      "libm.so.",      "libpthread.so.",
                                       "libdl.so.",     "librt.so.",     "libgcc_s.so.",
                                       "libstdc++.so.", "libOpenCL.so.", "ld-linux"};

int rh_library_is_ordinary(const char *soname) {
  for (size_t k = 0; k < RH_COUNT(ordinary); k++)
    if (strncmp(soname, ordinary[k], strlen(ordinary[k])) == 0) return 1;
  return 0;
}

static int segment_at(const rh_image *image, unsigned k, ElfW(Phdr) * segment) {
  const ElfW(Ehdr) *header = (const void *)image->elf.bytes;
  return rh_elf_entry(&image->elf, header->e_phoff, header->e_phnum, k, segment, sizeof *segment);
}

/* A string of the dynamic section's table that ends inside it, else null.  The table's address in
 * memory is converted to an offset in the file. */
static const char *string_at(const rh_image *image, uint64_t at) {
  ElfW(Phdr) segment;
  for (unsigned k = 0; segment_at(image, k, &segment); k++) {
    if (segment.p_type != PT_LOAD || image->strings < segment.p_vaddr ||
        image->strings - segment.p_vaddr >= segment.p_filesz || at >= image->strings_size)
      continue;
    uint64_t rest = image->strings_size - at;
    const char *s =
        rh_elf_piece(&image->elf, image->strings - segment.p_vaddr + segment.p_offset + at, rest);
    return s && memchr(s, 0, rest) ? s : NULL;
  }
  return NULL;
}

/* ---- The dynamic section ---- */

/* *value = that of its entry of this kind, the one behind `before` others.  0: there is none. */
static int entry_of(const rh_image *image, ElfW(Sxword) tag, uint32_t before, uint64_t *value) {
  ElfW(Phdr) section = {0};
  ElfW(Dyn) entry;
  unsigned at = 0;
  while (segment_at(image, at, &section) && section.p_type != PT_DYNAMIC) at++;
  uint64_t n = section.p_filesz / sizeof entry;
  for (uint64_t k = 0; rh_elf_entry(&image->elf, section.p_offset, n, k, &entry, sizeof entry) &&
                       entry.d_tag != DT_NULL;
       k++)
    if (entry.d_tag == tag && before-- == 0) {
      *value = entry.d_un.d_val;
      return 1;
    }
  return 0;
}

static int read_dynamic(rh_image *image) {
  uint64_t flags = 0, flags_1 = 0, value;
  entry_of(image, DT_STRTAB, 0, &image->strings);
  entry_of(image, DT_STRSZ, 0, &image->strings_size);
  entry_of(image, DT_FLAGS, 0, &flags);
  entry_of(image, DT_FLAGS_1, 0, &flags_1);
  image->static_tls = (flags & DF_STATIC_TLS) != 0;
  image->text_relocations = flags & DF_TEXTREL || entry_of(image, DT_TEXTREL, 0, &value);
  image->bind_now =
      flags & DF_BIND_NOW || flags_1 & DF_1_NOW || entry_of(image, DT_BIND_NOW, 0, &value);
  for (; image->n_needed < RH_MOST_NEEDED && entry_of(image, DT_NEEDED, image->n_needed, &value);
       image->n_needed++)
    if (!(image->needed[image->n_needed] = string_at(image, value))) return 0;
  if (!entry_of(image, DT_RUNPATH, 0, &value) && !entry_of(image, DT_RPATH, 0, &value)) return 1;
  return (image->rpath = string_at(image, value)) != NULL;
}

/* The first entry is reserved. */
static int read_symbols(rh_image *image) {
  const ElfW(Ehdr) *header = (const void *)image->elf.bytes;
  ElfW(Shdr) section = {0};
  ElfW(Sym) symbol;
  unsigned at = 0;
  while (
      rh_elf_entry(&image->elf, header->e_shoff, header->e_shnum, at, &section, sizeof section) &&
      section.sh_type != SHT_DYNSYM)
    at++;
  uint64_t n = section.sh_type == SHT_DYNSYM ? section.sh_size / sizeof symbol : 0;
  if (n && !rh_elf_piece(&image->elf, section.sh_offset, section.sh_size)) return 0;
  rh_image_symbol *to = image->symbols = calloc(n + 1, sizeof *to);
  for (uint64_t k = 1; to && k < n; k++) {
    rh_elf_entry(&image->elf, section.sh_offset, n, k, &symbol, sizeof symbol);
    unsigned bind = ELF64_ST_BIND(symbol.st_info); /* of 32 bits, too */
    if (bind == STB_LOCAL) continue;
    const char *name = string_at(image, symbol.st_name);
    if (!name) return 0;
    *to++ = (rh_image_symbol){name, symbol.st_shndx != SHN_UNDEF, bind == STB_WEAK,
                              bind == STB_GNU_UNIQUE};
  }
  return image->symbols != NULL;
}

/* ---- The file ---- */

rh_status rh_image_read(rh_image *image, const char *path, rh_error *error) {
  *image = (rh_image){0};
  rh_status status = rh_elf_read(&image->elf, path, error);
  ElfW(Phdr) segment;
  for (unsigned k = 0; status == RH_OK && segment_at(image, k, &segment); k++) {
    if (segment.p_type == PT_GNU_STACK) image->executable_stack = (segment.p_flags & PF_X) != 0;
    if (segment.p_type == PT_GNU_RELRO) image->relro = 1;
  }
  if (status == RH_OK && !(read_dynamic(image) && read_symbols(image)))
    status = rh_fail(error, RH_E_PLUGIN, "is damaged: its tables point outside the file");
  image->path = rh_copy_string(path);
  if (status != RH_OK) rh_image_finish(image);
  return status;
}

void rh_image_finish(rh_image *image) {
  rh_elf_finish(&image->elf);
  free(image->path);
  free(image->symbols);
  *image = (rh_image){0};
}

int rh_image_defines(const rh_image *image, const char *symbol) {
  for (const rh_image_symbol *one = image->symbols; one->name; one++)
    if (one->defined && strcmp(one->name, symbol) == 0) return 1;
  return 0;
}

/* ---- The libraries that a file needs, as the loader lists them ---- */

/* A line is "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f0123456000)", or has no arrow,
 * or ends with "not found". */
static rh_status take_library(rh_libraries *libraries, char *line, rh_error *error) {
  char *name = line + strspn(line, "\t"), *arrow = strstr(name, " => "),
       *end = strstr(name, " (0x");
  const char *path = arrow ? arrow + strlen(" => ") : name;
  rh_error unused;
  if (strncmp(path, "not found", 9) == 0)
    return rh_fail(error, RH_E_PLUGIN, "needs %.*s, which was not found", (int)(arrow - name),
                   name);
  if (end) *end = 0;
  /* the kernel's has no file */
  if (end && libraries->n < RH_MOST_LIBRARIES &&
      rh_image_read(&libraries->list[libraries->n], path, &unused) == RH_OK)
    libraries->n++;
  return RH_OK;
}

/* What ldd does: the loader maps the file, and runs none of its code. */
rh_status rh_libraries_read(rh_libraries *libraries, const char *path, rh_error *error) {
  const struct link_map *loader = _r_debug.r_map;
  rh_child child = {0};
  char line[8192];
  while (loader && loader->l_addr != getauxval(AT_BASE)) loader = loader->l_next;
  if (!loader) return rh_fail(error, RH_E_PLUGIN, "the loader of this system is not known");
  int output = memfd_create("redhost-libraries", MFD_CLOEXEC);
  const char *const argv[] = {loader->l_name, path, NULL};
  const rh_child_spec spec = {.program = loader->l_name,
                              .argv = argv,
                              .data = -1,
                              .output = output,
                              .stranger = 1,
                              .variable = "LD_TRACE_LOADED_OBJECTS=1"};
  rh_status status = rh_child_start(&child, &spec, error);
  rh_child_end(&child, RH_CHILD_DONE_S);
  FILE *list = output >= 0 ? fdopen(output, "r") : NULL;
  if (list) rewind(list);
  while (status == RH_OK && list && fgets(line, sizeof line, list))
    status = take_library(libraries, line, error);
  if (list) fclose(list);
  return status;
}

void rh_libraries_finish(rh_libraries *libraries) {
  while (libraries->n) rh_image_finish(&libraries->list[--libraries->n]);
}
