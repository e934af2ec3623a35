/*
 * Writes a file with damage in it that knows how the file is built: a field, not any byte, gets
 * another value, and the checks around it are made to fit; parts between two fields are left out,
 * doubled, exchanged. Text is damaged word by word. The same seed gives the same bytes.
 * tests/torture/torture_damage.sh reads them.
 *
 *   gen_damage FILE SEED >DAMAGED
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DAMAGES_MAX = 4,
	SECTION_HEAD = 40, /* of a .heaptop; its last 4 bytes are a check */
	PROGRAM_HEAD = 56, /* of a core */
	VALUE_BYTES = 32,
};

struct field {
	size_t at;
	unsigned len;
	size_t head; /* whose check is made anew; 0: none */
};

struct input {
	uint8_t *data;
	size_t len;
	struct field *fields;
	size_t fields_count;
	bool is_text;
};

/* ---- numbers ------------------------------------------------------------ */

static uint64_t state;

static uint64_t
some(uint64_t limit)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return limit ? (z ^ z >> 31) % limit : 0;
}

static uint64_t
number_at(const struct input *in, size_t at, unsigned len)
{
	uint64_t value = 0;

	if (at + len <= in->len)
		memcpy(&value, in->data + at, len);
	return value;
}

/* Changes the number a little, or takes an end of its range or another number of the file. */
static uint64_t
other_number(const struct input *in, const struct field *f)
{
	uint64_t old = number_at(in, f->at, f->len);
	const struct field *o = &in->fields[some(in->fields_count)];

	switch (some(10)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX >> some(64);
	case 2:
		return old + 1;
	case 3:
		return old - 1;
	case 4:
		return old * 2;
	case 5:
		return in->len + some(3) - 1;
	case 6:
		return UINT64_C(1) << some(64);
	case 7:
		return old ^ UINT64_C(1) << some(8 * f->len);
	case 8:
		return some(in->len);
	default:
		return number_at(in, o->at, o->len);
	}
}

/* ---- where fields are --------------------------------------------------- */

static void
add_field(struct input *in, size_t at, unsigned len, size_t head)
{
	if (at + len > in->len)
		return;
	if (!(in->fields_count & (in->fields_count - 1)))
		in->fields = realloc(in->fields, (in->fields_count * 2 + 1) * sizeof(*in->fields));
	if (!in->fields)
		exit(2);
	in->fields[in->fields_count++] = (struct field){ at, len, head };
}

/* Heads, and the numbers of sections that are stored as they are. */
static void
find_in_heaptop(struct input *in)
{
	static const unsigned lens[] = { 4, 4, 8, 8, 8, 4 };
	size_t at = 16;

	while (at + SECTION_HEAD <= in->len) {
		uint64_t stored = number_at(in, at + 24, 8);
		uint64_t pad = number_at(in, at + 32, 4);
		size_t field = at;

		for (size_t i = 0; i < 6; field += lens[i++])
			add_field(in, field, lens[i], at);
		if (stored > in->len || pad > in->len)
			return;
		if (number_at(in, at + 4, 4) & 2)
			for (size_t i = 0; i + 4 <= stored; i += 4)
				add_field(in, at + SECTION_HEAD + i, i % 8 ? 4 : 8, 0);
		at += SECTION_HEAD + stored + pad;
	}
}

/* The file's head, heads of segments, notes; then the words of memory. */
static void
find_in_core(struct input *in)
{
	uint64_t heads = number_at(in, 32, 8), count = number_at(in, 56, 2);

	for (size_t at = 16; at < 64; at += at < 20 ? 2 : 4)
		add_field(in, at, at < 20 ? 2 : 4, 0);
	for (uint64_t i = 0; i < count && heads < in->len; i++)
		for (size_t at = 0; at < PROGRAM_HEAD; at += at < 8 ? 4 : 8)
			/* There are few of them beside the words. */
			for (int n = 0; n < 8; n++)
				add_field(in, heads + i * PROGRAM_HEAD + at, at < 8 ? 4 : 8, 0);
	for (size_t at = heads + count * PROGRAM_HEAD; at + 8 <= in->len; at += 8)
		if (number_at(in, at, 8))
			add_field(in, at, 8, 0);
}

/* Lengths before texts and blocks, counts, ids: numbers that could be of this file, wherever they
   begin. */
static void
find_in_stream(struct input *in)
{
	for (size_t at = 0; at + 4 <= in->len; at++) {
		uint64_t number = number_at(in, at, 4);

		if (number && number <= in->len)
			add_field(in, at, 4, 0);
		else if (some(16) == 0)
			add_field(in, at, some(2) ? 1 : 8, 0);
	}
}

static void
find_in_text(struct input *in)
{
	size_t from = 0;

	in->is_text = true;
	for (size_t at = 0; at < in->len; at++)
		if (strchr(" \n=:,[]", in->data[at])) {
			if (at > from)
				add_field(in, from, (unsigned)(at - from), 0);
			from = at + 1;
		}
}

static void
find_fields(struct input *in)
{
	if (in->len > 64 && !memcmp(in->data, "\x89HEAP", 5))
		find_in_heaptop(in);
	else if (in->len > 64 && !memcmp(in->data,
					 "\x7f"
					 "ELF",
					 4))
		find_in_core(in);
	else if (in->len > 8 && !memchr(in->data, 0, in->len))
		find_in_text(in);
	else
		find_in_stream(in);
}

/* ---- damage ------------------------------------------------------------- */

static void
fix_check(struct input *in, size_t head)
{
	uint32_t check = UINT32_C(2166136261);

	for (size_t i = 0; i < SECTION_HEAD - 4; i++)
		check = (check ^ in->data[head + i]) * UINT32_C(16777619);
	memcpy(in->data + head + SECTION_HEAD - 4, &check, sizeof(check));
}

static void
change_number(struct input *in, const struct field *f)
{
	uint64_t value = other_number(in, f);

	memcpy(in->data + f->at, &value, f->len > 8 ? 8 : f->len);
	if (f->head)
		fix_check(in, f->head);
}

/* `len` bytes at `at` become those of `with`. */
static void
replace(struct input *in, size_t at, size_t len, const void *with, size_t with_len)
{
	uint8_t *data = malloc(in->len - len + with_len + 1);

	if (!data)
		exit(2);
	memcpy(data, in->data, at);
	if (with_len)
		memcpy(data + at, with, with_len);
	memcpy(data + at + with_len, in->data + at + len, in->len - at - len);
	free(in->data);
	in->data = data;
	in->len += with_len - len;
}

static void
change_word(struct input *in, const struct field *f)
{
	const struct field *o = &in->fields[some(in->fields_count)];
	char value[VALUE_BYTES];
	uint64_t number = UINT64_MAX >> some(64);
	int len = snprintf(value, sizeof(value), some(2) ? "%" PRIx64 : "%" PRIu64, number);

	if (some(2) || o->len > in->len || o->at > in->len - o->len) {
		replace(in, f->at, f->len, value, (size_t)len);
		return;
	}
	memcpy(value, in->data + o->at, o->len < 31 ? o->len : 31);
	replace(in, f->at, f->len, value, o->len < 31 ? o->len : 31);
}

/* A part from a field on: gone, there twice, or in another's place. */
static void
move_part(struct input *in, const struct field *f)
{
	const struct field *o = &in->fields[some(in->fields_count)];
	size_t len = some(2) ? some(64) : some(in->len - f->at);
	uint8_t *part;

	if (len > in->len - f->at || o->at > in->len)
		return;
	part = malloc(len + 1);
	if (!part)
		exit(2);
	memcpy(part, in->data + f->at, len);
	switch (some(3)) {
	case 0:
		replace(in, f->at, len, NULL, 0);
		break;
	case 1:
		replace(in, f->at, 0, part, len);
		break;
	default:
		if (len <= in->len - o->at)
			memcpy(in->data + o->at, part, len);
	}
	free(part);
}

static void
damage(struct input *in)
{
	const struct field *f = &in->fields[some(in->fields_count)];

	if (f->at > in->len || f->len > in->len - f->at ||
	    (f->head && f->head + SECTION_HEAD > in->len))
		return; /* gone by what was done before */
	if (some(40) == 0)
		in->len = f->at;
	else if (some(6) == 0)
		move_part(in, f);
	else if (in->is_text)
		change_word(in, f);
	else
		change_number(in, f);
}

static bool
read_all(struct input *in, const char *path)
{
	FILE *from = fopen(path, "rb");
	long len;

	if (!from || fseek(from, 0, SEEK_END) || (len = ftell(from)) < 0)
		return false;
	rewind(from);
	in->len = (size_t)len;
	in->data = malloc(in->len + 1);
	len = in->data && fread(in->data, 1, in->len, from) == in->len;
	fclose(from);
	return len;
}

int
main(int argc, char **argv)
{
	struct input in = { 0 };

	if (argc != 3 || !read_all(&in, argv[1])) {
		fprintf(stderr, "gen_damage FILE SEED >DAMAGED\n");
		return 2;
	}
	state = strtoull(argv[2], NULL, 10);
	find_fields(&in);
	if (in.fields_count)
		for (uint64_t i = 1 + some(DAMAGES_MAX); i; i--)
			damage(&in);
	fwrite(in.data, 1, in.len, stdout);
	free(in.data);
	free(in.fields);
	return fflush(stdout) ? 2 : 0;
}
