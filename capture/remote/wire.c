#include "capture/remote/wire.h"
#include "io/base/bytes.h"
#include <assert.h>

struct field {
	enum { NUMBER, FLAG, TEXT } kind;
	size_t at, size;
	uint64_t max; /* of a number */
};

/* clang-format off */
#define SIZE(s, field)    sizeof(((s *)0)->field)
#define N(s, field)       { NUMBER, offsetof(s, field), SIZE(s, field), UINT64_MAX }
#define TO(s, field, max) { NUMBER, offsetof(s, field), SIZE(s, field), max }
#define F(s, field)       { FLAG, offsetof(s, field), SIZE(s, field), 1 }
#define T(s, field)       { TEXT, offsetof(s, field), SIZE(s, field), 0 }
#define ERROR(s, e)       TO(s, e.kind, ERROR_CANCELLED), F(s, e.is_memory), F(s, e.is_limit), \
	N(s, e.needed_bytes), N(s, e.offset), T(s, e.message)
#define ROOM(s, r)        N(s, r.limit_bytes), N(s, r.headroom_bytes), T(s, r.limit), \
	F(s, r.is_shared), F(s, r.is_hidden)
#define END               { TEXT, 0, 0, 0 }

static const struct field ask[] = {
	N(struct wire_ask, pid), N(struct wire_ask, capture), F(struct wire_ask, from_memory),
	N(struct wire_ask, runtime), F(struct wire_ask, wants_joins), N(struct wire_ask, time_ns),
	N(struct wire_ask, buffer_mb), F(struct wire_ask, is_random),
	F(struct wire_ask, without_survival), F(struct wire_ask, has_conservative_stacks), END
};
static const struct field progress[] = {
	N(struct wire_progress, done), N(struct wire_progress, total), F(struct wire_progress, is_about),
	T(struct wire_progress, stage), T(struct wire_progress, counted),
	N(struct wire_progress, watch.bytes), N(struct wire_progress, watch.objects),
	N(struct wire_progress, watch.resident), END
};
static const struct field end[] = {
	ERROR(struct wire_end, err), N(struct wire_end, capture), F(struct wire_end, is_complete),
	T(struct wire_end, text), T(struct wire_end, who), T(struct wire_end, runtime),
	N(struct wire_end, buffer_mb), F(struct wire_end, is_random), F(struct wire_end, is_cut),
	N(struct wire_end, survival_stop_ns), N(struct wire_end, sessions),
	ROOM(struct wire_end, target), END
};
#define P struct live_process
static const struct field process[] = {
	N(P, pid), T(P, name), T(P, user), T(P, runtime), T(P, container), T(P, command),
	N(P, private_bytes), ERROR(P, trouble), END
};
#define C struct live_card
static const struct field card[] = {
	N(C, pid), N(C, start_ticks), T(C, who), T(C, user), F(C, is_ours), T(C, runtime), T(C, machine),
	N(C, major), F(C, is_server_gc), F(C, is_single_file), F(C, is_counted), F(C, is_seen),
	N(C, heaps_count), N(C, heap_bytes), N(C, objects), N(C, ref_bytes), N(C, pause_ms),
	N(C, load.threads), N(C, load.cpus), N(C, load.throttled_percent),
	N(C, collections), TO(C, plan, PLAN_IN_PLACE), N(C, buffer_mb), N(C, our_bytes),
	ROOM(C, target), ROOM(C, ours),
	N(C, need.private_bytes), N(C, need.swapped_bytes), N(C, need.range_bytes), N(C, need.event_bytes), N(C, need.bytes),
	N(C, need.shared_bytes), N(C, need.reserve_bytes),
	ERROR(C, refusal), N(C, sessions), F(C, has_tracing), END
};
static const struct field code[] = {
	N(struct wire_code, start), N(struct wire_code, end), N(struct wire_code, base),
	T(struct wire_code, path), END
};
static const struct { const struct field *fields; size_t size; } structs[] = {
	[WIRE_ASK] = { ask, sizeof(struct wire_ask) },
	[WIRE_PROGRESS] = { progress, sizeof(struct wire_progress) },
	[WIRE_END] = { end, sizeof(struct wire_end) },
	[WIRE_PROCESS] = { process, sizeof(P) },
	[WIRE_CARD] = { card, sizeof(C) },
	[WIRE_CODE] = { code, sizeof(struct wire_code) },
};
/* clang-format on */

/* Numbers of 4 and 8 bytes travel as 8. */
static uint64_t
number_at(const uint8_t *at, size_t size)
{
	uint32_t small;
	uint64_t large;

	if (size == sizeof(small)) {
		memcpy(&small, at, sizeof(small));
		return small;
	}
	memcpy(&large, at, sizeof(large));
	return large;
}

static uint8_t *
put_number(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

size_t
wire_put(enum wire_kind kind, const void *from, uint8_t to[WIRE_BYTES])
{
	const uint8_t *begin = from;
	uint8_t *out = to;

	for (const struct field *f = structs[kind].fields; f->size; f++) {
		const uint8_t *at = begin + f->at;
		size_t len;

		if (f->kind == FLAG) {
			*out++ = *at != 0;
		} else if (f->kind == NUMBER) {
			out = put_number(out, number_at(at, f->size), 8);
		} else {
			len = strnlen((const char *)at, f->size - 1);
			out = put_number(out, len, 2);
			memcpy(out, at, len);
			out += len;
		}
		assert(out <= to + WIRE_BYTES - 512);
	}
	return (size_t)(out - to);
}

static void
receive_number(struct bytes *b, const struct field *f, uint8_t *to)
{
	size_t at = b->at;
	uint64_t value = bytes_u64(b, "a number");
	uint32_t small = (uint32_t)value;

	if (value > f->max || (f->size == sizeof(small) && value != small))
		bytes_fail(b, at, "a number is too large");
	else if (f->size == sizeof(small))
		memcpy(to, &small, sizeof(small));
	else
		memcpy(to, &value, sizeof(value));
}

static void
receive_text(struct bytes *b, const struct field *f, uint8_t *to)
{
	size_t at = b->at, len = bytes_u16(b, "the length of a text");
	const uint8_t *text;

	if (len >= f->size) {
		bytes_fail(b, at, "a text is too long");
		return;
	}
	text = bytes_take(b, len, "a text");
	if (text && memchr(text, '\0', len))
		bytes_fail(b, at, "a text contains a NUL");
	else if (text)
		memcpy(to, text, len);
}

bool
wire_take(enum wire_kind kind, const uint8_t *bytes, size_t len, void *to, struct error *err)
{
	uint8_t *begin = to;
	struct error why;
	struct bytes b;

	error_clear(&why);
	bytes_init(&b, bytes, len, &why);
	memset(to, 0, structs[kind].size);
	for (const struct field *f = structs[kind].fields; f->size && bytes_ok(&b); f++) {
		if (f->kind == FLAG)
			begin[f->at] = bytes_u8(&b, "a flag") != 0;
		else if (f->kind == NUMBER)
			receive_number(&b, f, begin + f->at);
		else
			receive_text(&b, f, begin + f->at);
	}
	if (bytes_ok(&b) && !bytes_left(&b))
		return true;
	return error_set(err, ERROR_INPUT,
			 "the other side has sent a message that cannot be read: %.120s",
			 bytes_ok(&b) ? "it is too long" : why.message);
}
