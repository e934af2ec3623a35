#include "capture/events/message.h"
#include "model/base/utf8.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[14] = "DOTNET_IPC_V1";

enum { SET_EVENTS = 2, SET_PROCESS = 4, SET_SERVER = 0xff };
enum { EVENTS_STOP = 1, PROCESS_RESUME = 1 };
enum { REPLY_DONE = 0, REPLY_REFUSED = 0xff };

/* ---- requests ----------------------------------------------------------- */

/* Requests are constants and short names, so they always fit. */
static void
put(struct message *m, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes && m->len < sizeof(m->data); i++)
		m->data[m->len++] = (uint8_t)(value >> 8 * i);
}

static void
put_text(struct message *m, const char *text)
{
	size_t len = strlen(text) + 1;

	put(m, len, 4);
	for (size_t i = 0; i < len; i++)
		put(m, (unsigned char)text[i], 2);
}

static void
begin(struct message *m, unsigned set, unsigned command)
{
	m->len = 0;
	for (size_t i = 0; i < sizeof(magic); i++)
		put(m, magic[i], 1);
	put(m, 0, 2);
	put(m, set, 1);
	put(m, command, 1);
	put(m, 0, 2);
}

static void
end(struct message *m)
{
	m->data[14] = (uint8_t)m->len;
	m->data[15] = (uint8_t)(m->len >> 8);
}

void
message_process_info(struct message *m, unsigned version)
{
	static const uint8_t commands[] = { 0, 0, 4, 8 };

	begin(m, SET_PROCESS, commands[version <= 3 ? version : 3]);
	end(m);
}

void
message_resume(struct message *m)
{
	begin(m, SET_PROCESS, PROCESS_RESUME);
	end(m);
}

void
message_stop(struct message *m, uint64_t session_id)
{
	begin(m, SET_EVENTS, EVENTS_STOP);
	put(m, session_id, 8);
	end(m);
}

/*
 * Payloads of the commands:
 *   2  buffer, format, u8 rundown
 *   3  buffer, format, u8 rundown, u8 stacks
 *   4  buffer, format, u64 rundown keywords, u8 stacks
 *   5  u32 kind of session, as 4; providers have an event filter
 *   6  as 5, then u32: producers block
 */
void
message_collect(struct message *m, const struct tracing_request *r)
{
	unsigned n = r->command;

	assert(n >= 2 && n <= 6 && r->buffer_mb && r->level <= 5 && *r->provider &&
	       strlen(r->provider) <= 64 && r->unwanted_count <= 16);
	begin(m, SET_EVENTS, n + 1);
	if (n >= 5)
		put(m, 0, 4);
	put(m, r->buffer_mb, 4);
	put(m, 1, 4); /* format: nettrace */
	if (n >= 4)
		put(m, r->rundown_keywords, 8);
	else
		put(m, r->rundown_keywords != 0, 1);
	if (n >= 3)
		put(m, r->wants_stacks, 1);
	put(m, 1, 4); /* providers */
	put(m, r->keywords, 8);
	put(m, r->level, 4);
	put_text(m, r->provider);
	put_text(m, "");
	if (n >= 5) {
		put(m, 0, 1); /* the filter excludes these */
		put(m, r->unwanted_count, 4);
		for (uint32_t i = 0; i < r->unwanted_count; i++)
			put(m, r->unwanted[i], 4);
	}
	if (n >= 6)
		put(m, r->blocks, 4);
	end(m);
}

/* ---- replies ------------------------------------------------------------ */

bool
reply_read(struct reply *r, const uint8_t head[MESSAGE_HEADER_BYTES], struct error *err)
{
	unsigned size = head[14] | (unsigned)head[15] << 8;

	if (memcmp(head, magic, sizeof(magic)) != 0)
		return error_set(err, ERROR_ATTACH, "the peer is not a .NET runtime");
	if (size < MESSAGE_HEADER_BYTES || head[16] != SET_SERVER ||
	    (head[17] != REPLY_DONE && head[17] != REPLY_REFUSED))
		return error_set(err, ERROR_ATTACH,
				 "it sent a message of %u bytes, set %u, command %u, instead of a "
				 "reply",
				 size, head[16], head[17]);
	r->is_done = head[17] == REPLY_DONE;
	r->payload_size = size - MESSAGE_HEADER_BYTES;
	return true;
}

const char *
message_reason_text(uint32_t reason)
{
	/* clang-format off */
	static const struct { uint32_t reason; const char *text; } reasons[] = {
		{ REASON_BAD_ENCODING,    "it does not understand the request" },
		{ REASON_UNKNOWN_COMMAND, "it does not know the command" },
		{ 0x80131386u, "it speaks another version of the protocol" },
		{ 0x80131515u, "it does not support this" },
		{ 0x80004005u, "it has no room for another event session (64 are open)" },
		{ 0x8013135bu, "it is still starting" },
		{ 0x80131371u, "it is still starting" },
		{ 0x80070057u, "an argument is invalid" },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].reason == reason)
			return reasons[i].text;
	return "it gives no reason";
}

/* Replaces control characters and unpaired surrogates. */
static uint32_t
clean_code(uint32_t code)
{
	bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);

	return is_control || (code >= 0xd800 && code < 0xe000) ? '?' : code;
}

/* Truncates to `size` bytes; returns the bytes used. */
static size_t
copy_units(char *to, size_t size, const uint8_t *units, uint32_t count)
{
	size_t len = 0;

	for (uint32_t i = 0; i < count && len + 4 < size; i++) {
		uint32_t code = units[2 * i] | (uint32_t)units[2 * i + 1] << 8;
		uint32_t low =
		    i + 1 < count ? units[2 * i + 2] | (uint32_t)units[2 * i + 3] << 8 : 0;

		if (code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00;
			i++;
		}
		len += utf8_put(clean_code(code), to + len);
	}
	to[len] = '\0';
	return len;
}

/* Reads a string of a reply and leaves out its NUL. */
static const uint8_t *
cut_text(struct bytes *b, uint32_t *count, const char *what)
{
	const uint8_t *units;

	*count = bytes_count(b, 2, what);
	units = bytes_take(b, (uint64_t)*count * 2, what);
	if (units && *count)
		--*count;
	return units;
}

static void
read_text(struct bytes *b, char *to, size_t size, const char *what)
{
	uint32_t count;
	const uint8_t *units = cut_text(b, &count, what);

	to[0] = '\0';
	if (units)
		copy_units(to, size, units, count);
}

bool
runtime_info_read(struct runtime_info *info, unsigned version, const uint8_t *payload, size_t len,
		  struct error *err)
{
	char command[4]; /* not used: the kernel's is better */
	const uint8_t *cookie;
	struct bytes b;

	*info = (struct runtime_info){ 0 };
	bytes_init(&b, payload, len, err);
	if (version >= 3)
		bytes_skip(&b, 4, "the version of the reply");
	info->pid = bytes_u64(&b, "the process id");
	cookie = bytes_take(&b, sizeof(info->cookie), "the runtime's cookie");
	if (cookie)
		memcpy(info->cookie, cookie, sizeof(info->cookie));
	read_text(&b, command, sizeof(command), "the command line");
	read_text(&b, info->system, sizeof(info->system), "the system");
	read_text(&b, info->machine, sizeof(info->machine), "the machine");
	if (version >= 2) {
		read_text(&b, info->assembly, sizeof(info->assembly), "the assembly's name");
		read_text(&b, info->version, sizeof(info->version), "the runtime's version");
	}
	return bytes_ok(&b);
}

unsigned
runtime_info_major(const struct runtime_info *info)
{
	unsigned long major = strtoul(info->version, NULL, 10);

	return major < 1000 ? (unsigned)major : 0;
}

bool
advertise_read(struct advertise *a, const uint8_t data[MESSAGE_ADVERTISE_BYTES])
{
	static const char advertise_magic[8] = "ADVR_V1";

	if (memcmp(data, advertise_magic, sizeof(advertise_magic)) != 0)
		return false;
	memcpy(a->cookie, data + 8, sizeof(a->cookie));
	a->pid = bytes_load_u64(data + 24);
	return true;
}
