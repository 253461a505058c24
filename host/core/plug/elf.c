#include "plug.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

/* This program's own, which the linker defines. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

const void *rh_elf_piece(const rh_elf *elf, uint64_t offset, uint64_t bytes) {
  if (offset > elf->size || bytes > elf->size - offset) return NULL;
  return elf->bytes + offset;
}

int rh_elf_entry(const rh_elf *elf, uint64_t table, uint64_t n, uint64_t k, void *to,
                 size_t bytes) {
  const void *from = k < n ? rh_elf_piece(elf, table + k * bytes, bytes) : NULL;
  if (from) memcpy(to, from, bytes);
  return from != NULL;
}

static int looks_like_text(const char *bytes, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (((unsigned char)bytes[k] < 0x20 && !strchr("\t\n\r\f", bytes[k])) || bytes[k] == 0x7f ||
        !bytes[k])
      return 0;
  return 1;
}

static rh_status check_magic(const rh_elf *elf, rh_error *error) {
  size_t n = elf->size < 64 ? elf->size : 64, magic = n < SELFMAG ? n : SELFMAG;
  if (memcmp(elf->bytes, ELFMAG, magic) != 0) {
    const char *like = "";
    if (n >= 8 && memcmp(elf->bytes, "!<arch>\n", 8) == 0)
      like = " (it looks like a static library)";
    else if (looks_like_text(elf->bytes, n)) like = " (it looks like text)";
    return rh_fail(error, RH_E_PLUGIN, "is not a shared object%s", like);
  }
  if (n < EI_NIDENT + 4)
    return rh_fail(error, RH_E_PLUGIN, "is cut off: %zu bytes of at least %zu", n,
                   sizeof(ElfW(Ehdr)));
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

static rh_status check_machine(const ElfW(Ehdr) * header, rh_error *error) {
  const unsigned char *ident = header->e_ident, *own = __ehdr_start.e_ident;
  unsigned machine = header->e_machine;
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

static rh_status check_kind(const ElfW(Ehdr) * header, rh_error *error) {
  switch (header->e_type) {
  case ET_DYN: return RH_OK;
  case ET_REL: return rh_fail(error, RH_E_PLUGIN, "is an object file, not linked (cc -shared)");
  case ET_EXEC: return rh_fail(error, RH_E_PLUGIN, "is a program, not a shared object");
  case ET_CORE: return rh_fail(error, RH_E_PLUGIN, "is a core dump, not a shared object");
  default:
    return rh_fail(error, RH_E_PLUGIN, "is not a shared object (ELF type %u)", header->e_type);
  }
}

/* The headers say that the file has `bytes` at `offset`.  Offsets are untrusted: a sum that wraps
 * around counts as larger than any file. */
static rh_status claim(const rh_elf *elf, uint64_t offset, uint64_t bytes, rh_error *error) {
  uint64_t end = offset + bytes < offset ? UINT64_MAX : offset + bytes;
  if (end <= elf->size) return RH_OK;
  if (end > (uint64_t)1 << 48)
    return rh_fail(error, RH_E_PLUGIN, "is damaged: its headers point far beyond its %zu bytes",
                   elf->size);
  return rh_fail(error, RH_E_PLUGIN, "is cut off: %zu bytes of at least %llu", elf->size,
                 (unsigned long long)end);
}

static rh_status check_segments(const rh_elf *elf, const ElfW(Ehdr) * header, rh_error *error) {
  ElfW(Phdr) segment;
  int is_dynamic = 0;
  if (header->e_phnum == 0 || header->e_phentsize != sizeof segment)
    return rh_fail(error, RH_E_PLUGIN, "is not a shared object (it has no segments to load)");
  RH_TRY(claim(elf, header->e_phoff, (uint64_t)header->e_phnum * sizeof segment, error));
  for (unsigned k = 0;
       rh_elf_entry(elf, header->e_phoff, header->e_phnum, k, &segment, sizeof segment); k++) {
    if (segment.p_type != PT_NULL && segment.p_filesz)
      RH_TRY(claim(elf, segment.p_offset, segment.p_filesz, error));
    is_dynamic |= segment.p_type == PT_DYNAMIC;
  }
  if (is_dynamic) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "is not a shared object (no dynamic section)");
}

/* Sections are not needed for loading, but they come last, so checking them detects a truncated
 * file. */
static rh_status check_sections(const rh_elf *elf, const ElfW(Ehdr) * header, rh_error *error) {
  ElfW(Shdr) section;
  if (header->e_shoff == 0 || header->e_shentsize != sizeof section) return RH_OK;
  RH_TRY(claim(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof section, error));
  for (unsigned k = 0;
       rh_elf_entry(elf, header->e_shoff, header->e_shnum, k, &section, sizeof section); k++)
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
      RH_TRY(claim(elf, section.sh_offset, section.sh_size, error));
  return RH_OK;
}

static rh_status check(const rh_elf *elf, rh_error *error) {
  ElfW(Ehdr) header = {0};
  RH_TRY(check_magic(elf, error));
  /* e_ident, e_type and e_machine: the same in all classes */
  memcpy(&header, elf->bytes, EI_NIDENT + 4);
  RH_TRY(check_machine(&header, error));
  RH_TRY(check_kind(&header, error));
  RH_TRY(claim(elf, 0, sizeof header, error));
  memcpy(&header, elf->bytes, sizeof header);
  RH_TRY(check_segments(elf, &header, error));
  return check_sections(elf, &header, error);
}

/* Mapped, as the loader does next: of a file that is cut short meanwhile, neither can read.
 * O_NONBLOCK: opening a FIFO must not wait for a writer. */
static rh_status map_file(rh_elf *elf, const char *path, rh_error *error) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  rh_status status = RH_OK;
  if (fd < 0 || fstat(fd, &st) != 0)
    status = rh_fail(error, RH_E_FILE, "cannot be opened: %s", strerror(errno));
  else if (!S_ISREG(st.st_mode)) status = rh_fail(error, RH_E_PLUGIN, "is not a regular file");
  else if (st.st_size == 0) status = rh_fail(error, RH_E_PLUGIN, "is empty");
  void *bytes =
      status == RH_OK ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (status == RH_OK && bytes == MAP_FAILED)
    status = rh_fail(error, RH_E_FILE, "cannot be read: %s", strerror(errno));
  if (fd >= 0) close(fd);
  if (status == RH_OK) *elf = (rh_elf){bytes, (size_t)st.st_size};
  return status;
}

rh_status rh_elf_read(rh_elf *elf, const char *path, rh_error *error) {
  *elf = (rh_elf){0};
  RH_TRY(map_file(elf, path, error));
  rh_status status = check(elf, error);
  if (status != RH_OK) rh_elf_finish(elf);
  return status;
}

void rh_elf_finish(rh_elf *elf) {
  if (elf->bytes) munmap((void *)(uintptr_t)elf->bytes, elf->size);
  *elf = (rh_elf){0};
}

rh_status rh_elf_check(const char *path, rh_error *error) {
  RH_FINISHED(rh_elf) elf;
  return rh_elf_read(&elf, path, error);
}
