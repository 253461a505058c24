/* host/core/plug/elf.c: shared objects are read before they are opened. */
#include <elf.h>
#include <sys/stat.h>

#include "../../host/core/plug/plug.h"
#include "../suite/suite.h"
#include "plug_support.h"

static void assert_elf(const char *path, const char *expected) {
  rh_status status = rh_elf_check(path, &error);
  if (!expected) ck_assert_msg(status == RH_OK, "%s: %s", path, error.message);
  else {
    rh_status wanted = strstr(expected, "cannot be opened") ? RH_E_FILE : RH_E_PLUGIN;
    ck_assert_msg(status == wanted, "%s is not refused: expected '%s'", path, expected);
    assert_says(error.message, expected);
  }
}

TEST(whole_objects_pass) {
  assert_elf(path_of("%s/fine.so", zoo()), NULL);
  assert_elf(self, NULL); /* a position-independent program is one, too: the loader refuses it */
}

TEST(other_files_are_named) {
  const char *path = in("x.so");
  write_file(path, "", 0);
  assert_elf(path, "is empty");
  write_file(path, "#!/bin/sh\necho hello\n", 21);
  assert_elf(path, "is not a shared object (it looks like text)");
  write_file(path, "!<arch>\nfoo.o/", 14);
  assert_elf(path, "is not a shared object (it looks like a static library)");
  write_file(path, "\1\2\3", 3);
  assert_elf(path, "is not a shared object");
  write_file(path, "\177ELF", 4);
  assert_elf(path, "is cut off: 4 bytes of at least 64");
  ck_assert(unlink(path) == 0);
  assert_elf(path, "cannot be opened: No such file or directory");
  assert_elf(dir, "is not a regular file");
  ck_assert(mkfifo(path, 0600) == 0);
  assert_elf(path, "is not a regular file");
}

TEST(every_cut_is_noticed) {
  size_t n;
  const char *path = copy("fine");
  free(read_file(path, &n));
  while (n-- > 0) {
    ck_assert(truncate(path, (off_t)n) == 0);
    assert_elf(path, n ? "is cut off: " : "is empty");
  }
}

/* fine.so with some bytes of its header changed. */
static void assert_patched(size_t at, uint64_t value, size_t bytes, const char *expected) {
  size_t n;
  unsigned char *file = read_file(path_of("%s/fine.so", zoo()), &n);
  memcpy(file + at, &value, bytes);
  write_file(in("x.so"), file, n);
  free(file);
  assert_elf(in("x.so"), expected);
}

TEST(other_machines_are_named) {
  const char *here = "x86_64";
  size_t at = offsetof(Elf64_Ehdr, e_machine);
#if defined(__aarch64__)
  here = "aarch64";
  assert_patched(at, EM_X86_64, 2, path_of("built for x86_64, this is %s", here));
#else
  assert_patched(at, EM_AARCH64, 2, path_of("built for aarch64, this is %s", here));
#endif
  assert_patched(at, 0x7777, 2, path_of("built for machine 30583, this is %s", here));
  assert_patched(EI_CLASS, ELFCLASS32, 1, "built for 32-bit programs, this is a 64-bit one");
  assert_patched(EI_DATA, ELFDATA2MSB, 1, "built for machine");
  assert_patched(at, EM_386, 2, path_of("built for i386, this is %s", here));
}

TEST(other_kinds_are_named) {
  size_t at = offsetof(Elf64_Ehdr, e_type);
  assert_patched(at, ET_REL, 2, "is an object file, not linked");
  assert_patched(at, ET_EXEC, 2, "is a program");
  assert_patched(at, ET_CORE, 2, "is a core dump");
  assert_patched(at, 77, 2, "ELF type 77");
}

TEST(offsets_are_not_trusted) {
  assert_patched(offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 8, 8, "is damaged");
  assert_patched(offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX, 8, "is damaged");
  assert_patched(offsetof(Elf64_Ehdr, e_phoff), 1u << 30, 8, "is cut off");
  assert_patched(offsetof(Elf64_Ehdr, e_phnum), 0, 2, "no segments");
  assert_patched(offsetof(Elf64_Ehdr, e_phnum), 0xffff, 2, "is cut off");
  assert_patched(offsetof(Elf64_Ehdr, e_shnum), 0xffff, 2, "is cut off");
  assert_patched(offsetof(Elf64_Ehdr, e_phentsize), 1, 2, "no segments");
  /* Segments are read as stored: the dynamic one is missing now. */
  assert_patched(offsetof(Elf64_Ehdr, e_phnum), 1, 2, "no dynamic section");
}

/* Objects may lack sections: then the segments determine the file's length. */
TEST(segments_alone_show_a_cut) {
  assert_patched(offsetof(Elf64_Ehdr, e_shoff), 0, 8, NULL);
  ck_assert(truncate(in("x.so"), 9000) == 0);
  assert_elf(in("x.so"), "is cut off: 9000 bytes of at least ");
}

TEST(no_header_crashes) {
  size_t n;
  unsigned char *file = read_file(path_of("%s/fine.so", zoo()), &n);
  for (size_t at = 0; at < 1024 && at < n; at++) {
    unsigned char kept = file[at];
    for (unsigned value = 0; value < 256; value += 51) {
      file[at] = (unsigned char)value;
      write_file(in("x.so"), file, n);
      rh_elf_check(in("x.so"), NULL);
    }
    file[at] = kept;
  }
  free(file);
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
