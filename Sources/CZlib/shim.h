/* zlib as Swift can call it: one text compressed in one go, and its checksum. */
#pragma once
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Room that the gzip of any `count` bytes fits into; 0 when they are too many. */
static inline size_t shim_gzip_room(size_t count) {
  if (count > UINT_MAX / 2) return 0;
  return (size_t)compressBound((uLong)count) + 32; /* the header and the trailer of gzip are larger than zlib's */
}

/* Writes the gzip of the bytes; the same bytes give the same gzip. Returns its length; 0 when memory is short. */
static inline size_t shim_gzip(const void *_Nonnull bytes, size_t count, void *_Nonnull target, size_t room) {
  z_stream stream = {0};
  if (count > UINT_MAX || room > UINT_MAX) return 0;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes; /* only read; zlib's older headers do not say so */
  stream.avail_in = (uInt)count;
  stream.next_out = (Bytef *)target;
  stream.avail_out = (uInt)room;
  int result = deflate(&stream, Z_FINISH);
  size_t written = room - stream.avail_out;
  deflateEnd(&stream);
  return result == Z_STREAM_END ? written : 0;
}

/* CRC-32 of bytes that follow others; `crc` is theirs, 0 when there are none. */
static inline uint32_t shim_crc32(uint32_t crc, const void *_Nullable bytes, size_t count) {
  return count == 0 ? crc : (uint32_t)crc32_z(crc, (const Bytef *)bytes, count);
}
