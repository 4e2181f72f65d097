/* Events are put by one script for all of them, which passes on what is told here in the order of its commands. */
#include "cache.h"
#include "script.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  NUMBER_DIGITS = 16,
  /* What MessagePack has beside texts: of the array, six texts and the size. */
  PACKED_BYTES = 1 + 6 * 5 + 5,
  /* A larger payload is kept apart: what is known of an event is read more often. */
  SMALL_BYTES = 4096
};

/* Texts of one call, one behind the other. */
typedef struct texts {
  char *next;
} texts;

static void put_bytes(texts *own, const void *bytes, size_t size) {
  if (size > 0) memcpy(own->next, bytes, size);
  own->next += size;
}

static void put_big_endian(texts *own, unsigned char first, size_t number) {
  const unsigned char bytes[] = {first, (unsigned char)(number >> 24), (unsigned char)(number >> 16), (unsigned char)(number >> 8),
                                 (unsigned char)number};
  put_bytes(own, bytes, sizeof bytes);
}

static void pack(texts *own, const void *text, size_t size) {
  unsigned char small = (unsigned char)(0xA0 | size);
  if (size < 32) put_bytes(own, &small, 1);
  else put_big_endian(own, 0xDB, size);
  put_bytes(own, text, size);
}

static bool is_large(const hoist_event_row *row) { return row->payload_size > SMALL_BYTES; }

/* What the scripts know of an event (Scripts/events.lua), as MessagePack. */
static void add_facts(words *words, texts *own, const hoist_event_row *row, const char *owner, int64_t number) {
  char *begin = own->next, digits[NUMBER_BYTES];
  put_bytes(own, is_large(row) ? "\x96" : "\x97", 1);
  pack(own, row->pipeline, strlen(row->pipeline));
  pack(own, row->subject, strlen(row->subject));
  pack(own, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)row->created_at_unix_ms));
  pack(own, digits, (size_t)snprintf(digits, sizeof digits, "%0*lld", NUMBER_DIGITS, (long long)number));
  put_big_endian(own, 0xCE, row->payload_size);
  pack(own, owner, strlen(owner));
  if (!is_large(row)) pack(own, row->payload, row->payload_size);
  words_bytes(words, begin, (size_t)(own->next - begin));
}

/* Pipeline, person and id, with a zero byte between two. */
static void add_mark(words *words, texts *own, const hoist_event_row *row) {
  char *begin = own->next;
  put_bytes(own, row->pipeline, strlen(row->pipeline) + 1);
  put_bytes(own, row->subject, strlen(row->subject) + 1);
  put_bytes(own, row->id, strlen(row->id));
  words_bytes(words, begin, (size_t)(own->next - begin));
}

/* The first of so many numbers that rise with the time, so that no event has one twice. They have NUMBER_DIGITS digits. */
static int64_t take_numbers(cache *own, size_t count) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t first = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
  if (first <= own->last_number) first = own->last_number + 1;
  own->last_number = first + (int64_t)count - 1;
  return first;
}

static size_t room_for(const hoist_event_row *rows, size_t count, size_t owner_size) {
  size_t room = 1;
  for (size_t i = 0; i < count; i++) {
    const hoist_event_row *row = HOIST_AT(hoist_event_row, rows, i);
    room += 2 * (strlen(row->pipeline) + strlen(row->subject)) + strlen(row->id) + owner_size + PACKED_BYTES + 2 * NUMBER_BYTES + 2;
    if (!is_large(row)) room += row->payload_size;
  }
  return room;
}

static void add_rows(words *words, texts *own, const hoist_event_row *rows, size_t count, const char *owner, int64_t number) {
  for (size_t i = 0; i < count; i++) words_text(words, HOIST_AT(hoist_event_row, rows, i)->id);
  for (size_t i = 0; i < count; i++) {
    const hoist_event_row *row = HOIST_AT(hoist_event_row, rows, i);
    words_text(words, row->id);
    add_facts(words, own, row, owner, number + (int64_t)i);
  }
  for (size_t i = 0; i < count; i++) {
    const hoist_event_row *row = HOIST_AT(hoist_event_row, rows, i);
    if (!is_large(row)) continue;
    words_text(words, row->id);
    words_bytes(words, row->payload, row->payload_size);
  }
  for (size_t i = 0; i < count; i++) {
    const hoist_event_row *row = HOIST_AT(hoist_event_row, rows, i);
    if (!row->subject[0]) continue;
    words_text(words, "0");
    add_mark(words, own, row);
  }
}

hoist_status cache_put_events(void *user_data, const hoist_event_row *rows, size_t count, const char *owner, int64_t lease_ms) {
  cache *own = user_data;
  char lease[NUMBER_BYTES], room[NUMBER_BYTES], all[NUMBER_BYTES], large[NUMBER_BYTES];
  size_t large_count = 0;
  for (size_t i = 0; i < count; i++) large_count += is_large(HOIST_AT(hoist_event_row, rows, i));
  turn turn;
  char *place = malloc(room_for(rows, count, strlen(owner)));
  if (!place) return HOIST_ERR_LIMIT;
  if (!connection_begin(&own->connection, &turn)) {
    free(place);
    return turn.why.status;
  }
  turn.writes = true;
  words words = script_words(&script_put, "1");
  words_text(&words, own->tag);
  words_text(&words, owner);
  words_number(&words, lease, lease_ms);
  words_number(&words, room, own->connection.options.max_events);
  words_number(&words, all, (int64_t)count);
  words_number(&words, large, (int64_t)large_count);
  add_rows(&words, &(texts){place}, rows, count, owner, take_numbers(own, count));
  bool is_good = answer_free(script_call(&turn, &script_put, &words));
  if (is_good) own->connection.has_seen_marker = true;
  free(place);
  return connection_end(&turn, is_good);
}
