#include "io.h"

typedef struct kind {
  uint32_t at; /* bytes before the mark */
  const char *mark;
  uint32_t bytes;
  const char *what, *advice;
} kind;

#define MARK(mark) mark, sizeof mark - 1

static const char decompress[] = "decompress it first", extract[] = "extract the .npy file first",
                  save[] = "save the array in it with numpy.save",
                  load[] = "read its numbers with numpy.loadtxt, and save them with numpy.save";

static const kind kinds[] = {
    {0, MARK("\x1f\x8b\x08"), "compressed by gzip", decompress},
    {4, MARK("\x31\x41\x59\x26\x53\x59"), "compressed by bzip2", decompress},
    {0, MARK("\xfd\x37zXZ\0"), "compressed by xz", decompress},
    {0, MARK("\x28\xb5\x2f\xfd"), "compressed by zstd", decompress},
    {0, MARK("\x04\x22\x4d\x18"), "compressed by lz4", decompress},
    {0, MARK("\x1f\x9d\x90"), "compressed by compress", decompress},
    {0, MARK("\xff\x06\0\0sNaPpY"), "compressed by Snappy", decompress},
    {0, MARK("PK\3\4"), "a ZIP archive, as .npz files are", extract},
    {0, MARK("PK\5\6"), "a ZIP archive, and an empty one", extract},
    {0, MARK("7z\xbc\xaf\x27\x1c"), "a 7z archive", extract},
    {0, MARK("Rar!\x1a\7"), "a RAR archive", extract},
    {257, MARK("ustar"), "a tar archive", extract},
    {0, MARK("\x89HDF\r\n\x1a\n"), "an HDF5 file", save},
    {0, MARK("MATLAB 5.0 MAT-file"), "a MATLAB file", save},
    {0, MARK("MATLAB 7.3 MAT-file"), "a MATLAB file", save},
    {0, MARK("CDF\1"), "a NetCDF file", save},
    {0, MARK("CDF\2"), "a NetCDF file", save},
    {0, MARK("CDF\5"), "a NetCDF file", save},
    {0, MARK("PAR1"), "a Parquet file", save},
    {0, MARK("ARROW1"), "an Arrow file", save},
    {0, MARK("FEA1"), "a Feather file", save},
    {0, MARK("ORC"), "an ORC file", save},
    {0, MARK("Obj\1"), "an Avro file", save},
    {0, MARK("SQLite format 3"), "an SQLite database", save},
    {0, MARK("SIMPLE  ="), "a FITS file", save},
    {344, MARK("n+1\0"), "a NIfTI file", save},
    {344, MARK("ni1\0"), "the header of a NIfTI file", save},
    {4, MARK("n+2\0\r\n\x1a\n"), "a NIfTI file", save},
    {128, MARK("DICM"), "a DICOM file", save},
    {0, MARK("GRIB"), "a GRIB file", save},
    {0, MARK("GGUF"), "a GGUF file", save},
    {8, MARK("{\"__metadata__\""), "a safetensors file", save},
    {0, MARK("\x80\2cnumpy"), "a pickle", save},
    {0, MARK("\x80\3cnumpy"), "a pickle", save},
    {0, MARK("\x80\4\x95"), "a pickle", save},
    {0, MARK("\x80\5\x95"), "a pickle", save},
    {0, MARK("\x89PNG\r\n"), "a PNG picture", save},
    {0, MARK("\xff\xd8\xff"), "a JPEG picture", save},
    {0, MARK("GIF8"), "a GIF picture", save},
    {0, MARK("II*\0"), "a TIFF picture", save},
    {0, MARK("MM\0*"), "a TIFF picture", save},
    {0, MARK("\x76\x2f\x31\1"), "an OpenEXR picture", save},
    {8, MARK("WEBP"), "a WebP picture", save},
    {8, MARK("WAVEfmt"), "a WAV file", save},
    {0, MARK("fLaC"), "a FLAC file", save},
    {0, MARK("OggS"), "an Ogg file", save},
    {0, MARK("ID3"), "an MP3 file", save},
    {4, MARK("ftyp"), "an MP4 file", save},
    {0, MARK("%PDF-"), "a PDF document", save},
    {0, MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an Office document", save},
    {0, MARK("\x7f\x45LF"), "a program or a library", "name a file of numbers"},
};
static const kind json = {.what = "JSON text, not a .npy file", .advice = save},
                  text = {.what = "text, not a .npy file", .advice = load};

/* Are the first bytes of a file printable, which those of numbers hardly ever are? */
static int is_text(const char *bytes, uint64_t length) {
  char plain[RH_FIRST_BYTES];
  if (length > sizeof plain) length = sizeof plain;
  for (uint64_t k = 0; k < length; k++)
    plain[k] = bytes[k] >= '\t' && bytes[k] <= '\r' ? ' ' : bytes[k];
  /* the last character may be cut */
  for (int k = 0; k < 3 && length == sizeof plain - (uint64_t)k && plain[length - 1] & 0x80; k++)
    length--;
  return length > 2 && rh_is_plain_utf8(plain, length);
}

/* The kind of file that this is, other than a .npy file or raw data; null: perhaps raw data. */
static const kind *find_kind(const char *bytes, uint64_t length) {
  enum { STRONG = 5 /* bytes: no word of a text */ };
  int is_printable = is_text(bytes, length);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const kind *one = &kinds[k];
    if (length >= one->at + one->bytes && memcmp(bytes + one->at, one->mark, one->bytes) == 0 &&
        (!is_printable || one->bytes >= STRONG))
      return one;
  }
  if (!is_printable) return NULL;
  uint64_t first = 0;
  while (first < length - 1 && strchr(" \t\r\n", bytes[first])) first++;
  return bytes[first] == '{' || bytes[first] == '[' ? &json : &text;
}

uint64_t rh_file_wanted(const void *bytes, uint64_t length) {
  if (length < RH_LEAST_NPY_BYTES || rh_npy_has_magic(bytes, length))
    return rh_npy_wanted(bytes, length);
  return RH_FIRST_BYTES;
}

/* Does it almost begin as a .npy file, with part of the magic, or all of it at another offset, as
 * where bytes were lost, inserted or changed?  That is not raw data. */
static int resembles_npy(const char *start, uint64_t length) {
  static const char magic[] = RH_NPY_MAGIC;
  const size_t far = 16, bytes = sizeof magic - 1;
  size_t n = length < far ? (size_t)length : far, same = 0;
  for (size_t k = 0; k < n && k < bytes; k++) same += start[k] == magic[k];
  return same >= 4 || memmem(start, n, magic + 1, bytes - 1) != NULL;
}

rh_status rh_file_check_raw(const char *name, rh_type type, const void *bytes, uint64_t length,
                            const rh_reporter *reporter, rh_error *error) {
  enum { LEAST = 16 };
  const kind *other = find_kind(bytes, length);
  if (!type && other)
    return rh_fail(error, RH_E_FILE, "%s: is %s; %s", name, other->what, other->advice);
  if (!type)
    return rh_fail(error, RH_E_FILE, "%s: is not a .npy file; raw data needs an element type",
                   name);
  if (resembles_npy(bytes, length))
    return rh_fail(error, RH_E_FILE,
                   "%s: is a damaged .npy file: its first bytes are not \\x93NUMPY; save the array "
                   "again with numpy.save",
                   name);
  /* Characters may be elements, too. */
  if (other && (other->bytes || (length >= LEAST && rh_type_size(type) > 1)))
    rh_log(reporter, RH_LOG_WARNING, "%s: is %s, it seems; its bytes are taken for %s as they are",
           name, other->what, rh_type_name(type));
  return RH_OK;
}

rh_status rh_file_check_regular(const char *name, const struct stat *info, rh_error *error) {
  const char *what = "is not a regular file", *advice = "pipe it in with `-`";
  if (S_ISREG(info->st_mode)) return RH_OK;
  if (S_ISDIR(info->st_mode)) {
    what = "is a directory";
    advice = "name a file in it";
  }
  if (S_ISFIFO(info->st_mode)) what = "is a FIFO";
  if (S_ISSOCK(info->st_mode)) what = "is a socket";
  if (S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode)) what = "is a device";
  return rh_fail(error, RH_E_FILE, "%s: %s; %s", name, what, advice);
}

void rh_array_name(char name[static RH_ARRAY_NAME_BYTES], const char *path) {
  size_t length = strlen(path), most = 240;
  int is_cut = length > most;
  if (is_cut) path += length - most;
  /* do not start within a character */
  while (is_cut && ((unsigned char)*path & 0xc0) == 0x80) path++;
  snprintf(name, RH_ARRAY_NAME_BYTES, "%s%s", is_cut ? "..." : "", length ? path : "''");
  rh_make_plain(name);
}
