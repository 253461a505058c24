#include "plug.h"

#include <elf.h>
#include <link.h>

/* The file is read, not mapped: accessing a mapping of a file that has shrunk raises SIGBUS. */
typedef struct elf_file {
  int fd;
  uint64_t size;
  ElfW(Ehdr) header;
  uint64_t least; /* the minimum size of the file according to its headers */
  int code;       /* errno of a failed read, which is not a fault of the file's contents */
} elf_file;

/* This program's own, which the linker defines. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* 1: all `bytes` at `offset` were read. */
static int read_at(elf_file *file, uint64_t offset, void *to, size_t bytes) {
  if (offset > file->size || bytes > file->size - offset) return 0;
  size_t done;
  if (rh_read_all(file->fd, to, bytes, offset, &done) != 0) file->code = errno;
  return done == bytes;
}

/* Offsets are untrusted: a sum that wraps around counts as larger than any file. */
static void claim(elf_file *file, uint64_t offset, uint64_t bytes) {
  uint64_t end = offset + bytes < offset ? UINT64_MAX : offset + bytes;
  if (end > file->least) file->least = end;
}

static rh_status open_file(elf_file *file, const char *path, rh_error *error) {
  struct stat st;
  /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
  file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file->fd < 0 || fstat(file->fd, &st) != 0)
    return rh_fail(error, RH_E_FILE, "cannot be opened: %s", strerror(errno));
  if (!S_ISREG(st.st_mode)) return rh_fail(error, RH_E_PLUGIN, "is not a regular file");
  file->size = (uint64_t)st.st_size;
  return RH_OK;
}

static int looks_like_text(const unsigned char *bytes, size_t n) {
  for (size_t k = 0; k < n; k++)
    if ((bytes[k] < 0x20 && !strchr("\t\n\r\f", bytes[k])) || bytes[k] == 0x7f || !bytes[k])
      return 0;
  return 1;
}

static rh_status check_magic(elf_file *file, rh_error *error) {
  unsigned char start[64] = {0};
  size_t n = file->size < sizeof start ? (size_t)file->size : sizeof start;
  if (n == 0) return rh_fail(error, RH_E_PLUGIN, "is empty");
  if (!read_at(file, 0, start, n)) return rh_fail(error, RH_E_PLUGIN, "cannot be read");
  size_t magic = n < SELFMAG ? n : SELFMAG;
  if (memcmp(start, ELFMAG, magic) != 0) {
    const char *like = "";
    if (n >= 8 && memcmp(start, "!<arch>\n", 8) == 0) like = " (it looks like a static library)";
    else if (looks_like_text(start, n)) like = " (it looks like text)";
    return rh_fail(error, RH_E_PLUGIN, "is not a shared object%s", like);
  }
  if (n < EI_NIDENT + 4)
    return rh_fail(error, RH_E_PLUGIN, "is cut off: %llu bytes of at least %zu",
                   (unsigned long long)file->size, sizeof file->header);
  memcpy(&file->header, start,
         EI_NIDENT + 4); /* e_ident, e_type and e_machine: the same in all classes */
  return RH_OK;
}

static const char *machine_name(unsigned machine) {
  switch (machine) {
  case EM_X86_64: return "x86_64";
  case EM_AARCH64: return "aarch64";
  case EM_386: return "i386";
  case EM_ARM: return "arm";
  case EM_RISCV: return "riscv";
  case EM_PPC64: return "ppc64";
  case EM_PPC: return "ppc";
  case EM_S390: return "s390x";
  case EM_MIPS: return "mips";
  case EM_SPARCV9: return "sparc64";
  case EM_IA_64: return "ia64";
#ifdef EM_LOONGARCH
  case EM_LOONGARCH: return "loongarch";
#endif
  default: return NULL;
  }
}

static rh_status check_machine(const elf_file *file, rh_error *error) {
  const unsigned char *ident = file->header.e_ident, *own = __ehdr_start.e_ident;
  unsigned machine = file->header.e_machine;
  if (ident[EI_DATA] != own[EI_DATA]) machine = (machine >> 8 | machine << 8) & 0xffffu;
  const char *name = machine_name(machine), *here = machine_name(__ehdr_start.e_machine);
  if (machine != __ehdr_start.e_machine && name)
    return rh_fail(error, RH_E_PLUGIN, "built for %s, this is %s", name, here ? here : "another");
  if (machine != __ehdr_start.e_machine)
    return rh_fail(error, RH_E_PLUGIN, "built for machine %u, this is %s", machine,
                   here ? here : "another");
  if (ident[EI_CLASS] != own[EI_CLASS])
    return rh_fail(error, RH_E_PLUGIN, "built for %s-bit programs, this is a %s-bit one",
                   ident[EI_CLASS] == ELFCLASS64 ? "64" : "32", sizeof(void *) == 8 ? "64" : "32");
  if (ident[EI_DATA] != own[EI_DATA] || ident[EI_VERSION] != EV_CURRENT)
    return rh_fail(error, RH_E_PLUGIN, "built for another byte order or version of ELF");
  return RH_OK;
}

static rh_status check_kind(const elf_file *file, rh_error *error) {
  switch (file->header.e_type) {
  case ET_DYN: return RH_OK;
  case ET_REL: return rh_fail(error, RH_E_PLUGIN, "is an object file, not linked (cc -shared)");
  case ET_EXEC: return rh_fail(error, RH_E_PLUGIN, "is a program, not a shared object");
  case ET_CORE: return rh_fail(error, RH_E_PLUGIN, "is a core dump, not a shared object");
  default:
    return rh_fail(error, RH_E_PLUGIN, "is not a shared object (ELF type %u)", file->header.e_type);
  }
}

static rh_status cut_off(const elf_file *file, rh_error *error) {
  if (file->least <= file->size) return RH_OK;
  if (file->least > (uint64_t)1 << 48)
    return rh_fail(error, RH_E_PLUGIN, "is damaged: its headers point far beyond its %llu bytes",
                   (unsigned long long)file->size);
  return rh_fail(error, RH_E_PLUGIN, "is cut off: %llu bytes of at least %llu",
                 (unsigned long long)file->size, (unsigned long long)file->least);
}

/* Checks the extents of the segments; *dynamic: there is a dynamic section. */
static rh_status check_segments(elf_file *file, int *dynamic, rh_error *error) {
  const ElfW(Ehdr) *header = &file->header;
  if (header->e_phnum == 0 || header->e_phentsize != sizeof(ElfW(Phdr)))
    return rh_fail(error, RH_E_PLUGIN, "is not a shared object (it has no segments to load)");
  claim(file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)));
  RH_TRY(cut_off(file, error));
  for (unsigned k = 0; k < header->e_phnum; k++) {
    ElfW(Phdr) segment;
    if (!read_at(file, header->e_phoff + k * sizeof segment, &segment, sizeof segment))
      return rh_fail(error, RH_E_PLUGIN, "cannot be read");
    if (segment.p_type != PT_NULL && segment.p_filesz)
      claim(file, segment.p_offset, segment.p_filesz);
    if (segment.p_type == PT_DYNAMIC) *dynamic = 1;
  }
  return RH_OK;
}

/* Sections are not needed for loading, but they come last, so checking them detects a truncated
 * file. */
static rh_status check_sections(elf_file *file, rh_error *error) {
  const ElfW(Ehdr) *header = &file->header;
  if (header->e_shoff == 0 || header->e_shentsize != sizeof(ElfW(Shdr))) return RH_OK;
  claim(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)));
  RH_TRY(cut_off(file, error));
  for (unsigned k = 0; k < header->e_shnum; k++) {
    ElfW(Shdr) section;
    if (!read_at(file, header->e_shoff + k * sizeof section, &section, sizeof section))
      return rh_fail(error, RH_E_PLUGIN, "cannot be read");
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
      claim(file, section.sh_offset, section.sh_size);
  }
  return RH_OK;
}

static rh_status check(elf_file *file, const char *path, rh_error *error) {
  int dynamic = 0;
  RH_TRY(open_file(file, path, error));
  RH_TRY(check_magic(file, error));
  RH_TRY(check_machine(file, error));
  RH_TRY(check_kind(file, error));
  claim(file, 0, sizeof file->header);
  RH_TRY(cut_off(file, error));
  if (!read_at(file, 0, &file->header, sizeof file->header))
    return rh_fail(error, RH_E_PLUGIN, "cannot be read");
  RH_TRY(check_segments(file, &dynamic, error));
  RH_TRY(check_sections(file, error));
  RH_TRY(cut_off(file, error));
  if (!dynamic) return rh_fail(error, RH_E_PLUGIN, "is not a shared object (no dynamic section)");
  return RH_OK;
}

rh_status rh_elf_check(const char *path, rh_error *error) {
  elf_file file = {.fd = -1};
  rh_status status = check(&file, path, error);
  if (status != RH_OK && file.code)
    status = rh_fail(error, RH_E_FILE, "cannot be read: %s", strerror(file.code));
  if (file.fd >= 0) close(file.fd);
  return status;
}
