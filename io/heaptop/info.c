#include "io/heaptop/info.h"
#include "io/heaptop/format.h"
#include <string.h>

struct info_reading {
	struct heap_builder *builder;
	struct saved_info *out;
	struct heap_domain *domains; /* in the builder's arena */
};

static void
read_losses(struct bytes *value, struct losses *l)
{
	uint64_t *const numbers[] = {
#define NUMBER(name) &l->name,
		SAVED_LOSSES(NUMBER)
#undef NUMBER
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (bytes_left(value) >= 8)
			*numbers[i] = bytes_u64(value, "a loss");
}

/* Damaged numbers leave it unknown. Later versions may have more parts. */
static void
read_resident(struct bytes *value, struct resident *out)
{
	struct resident r = { 0 };
	uint64_t *const numbers[] = {
#define NUMBER(name) &r.name,
		SAVED_RESIDENT(NUMBER)
#undef NUMBER
	};
	uint64_t most = 0, sum = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		*numbers[i] = bytes_u64(value, "a number");
		most = *numbers[i] > most ? *numbers[i] : most;
	}
	for (int i = 0; i < RESIDENT_KIND_COUNT && bytes_left(value) >= 16; i++) {
		r.parts[i].bytes = bytes_u64(value, "bytes");
		r.parts[i].count = bytes_u64(value, "a count");
		most = r.parts[i].bytes > most ? r.parts[i].bytes : most;
		most = r.parts[i].count > most ? r.parts[i].count : most;
		sum += r.parts[i].bytes;
	}
	if (bytes_ok(value) && most <= RESIDENT_BYTES_MAX && sum <= r.bytes &&
	    r.detail < RESIDENT_DETAIL_COUNT)
		*out = r;
}

static double
double_of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void
read_number(struct info_reading *r, enum saved_key key, struct bytes *value)
{
	struct heap_info *info = heap_builder_info(r->builder);
	uint64_t n = bytes_left(value) >= 8 ? bytes_u64(value, "a number") : 0;

	switch (key) {
	case SAVED_KEY_PID:
		info->pid = (int32_t)n;
		break;
	case SAVED_KEY_TIME:
		info->time = (int64_t)n;
		break;
	case SAVED_KEY_TIME_NS:
		info->time_ns = n < 1000000000 ? (uint32_t)n : 0;
		break;
	case SAVED_KEY_GC:
		info->gc_number = (uint32_t)n;
		break;
	case SAVED_KEY_COMMIT:
		info->commit_bytes = n;
		break;
	case SAVED_KEY_WORKING_SET:
		info->working_set_bytes = n;
		break;
	case SAVED_KEY_FLAGS:
		r->out->flags = n;
		break;
	case SAVED_KEY_COUNT_MULTIPLIER:
		info->count_multiplier = double_of_bits(n);
		break;
	case SAVED_KEY_SIZE_MULTIPLIER:
		info->size_multiplier = double_of_bits(n);
		break;
	case SAVED_KEY_NODES:
		r->out->nodes_count = n;
		break;
	case SAVED_KEY_REFS:
		r->out->refs_count = n;
		break;
	case SAVED_KEY_ROOTS:
		r->out->roots_count = n;
		break;
	default: /* a key of a later version */
		break;
	}
}

static const char **
info_text(struct heap_info *info, enum saved_key key)
{
	switch (key) {
	case SAVED_KEY_SOURCE:
		return &info->source;
	case SAVED_KEY_FORMAT:
		return &info->format;
	case SAVED_KEY_TOOL:
		return &info->tool;
	case SAVED_KEY_MACHINE:
		return &info->machine;
	case SAVED_KEY_PROCESS:
		return &info->process;
	case SAVED_KEY_LOG:
		return &info->log;
	case SAVED_KEY_PROGRAM:
		return &info->program;
	case SAVED_KEY_POD:
		return &info->pod;
	case SAVED_KEY_CONTAINER:
		return &info->container;
	default:
		return NULL;
	}
}

/* Takes a text up to its NUL, or to the end. */
static const char *
domain_text(struct info_reading *r, struct bytes *b, struct error *err)
{
	size_t start = b->at, left = bytes_left(b);
	const uint8_t *text = bytes_take(b, left, "a text");
	const uint8_t *end = left ? memchr(text, 0, left) : NULL;
	size_t len = end ? (size_t)(end - text) : left;

	if (end)
		bytes_seek(b, start + len + 1, "a text");
	return arena_strndup(heap_builder_arena(r->builder), left ? (const char *)text : "", len,
			     err);
}

/* make_domains() has allocated enough. */
static bool
read_domain(struct info_reading *r, struct bytes *b, struct error *err)
{
	struct heap_info *info = heap_builder_info(r->builder);
	struct heap_domain *d = &r->domains[info->domains_count];

	d->start = bytes_u64(b, "the start of a domain");
	d->uptime_ms = bytes_u32(b, "its uptime");
	d->has_uptime = bytes_u32(b, "whether it is known") & 1;
	if (!bytes_ok(b) || (info->domains_count && d[-1].start >= d->start))
		return error_set(err, ERROR_INPUT,
				 "application domain %u is cut short or out of order",
				 info->domains_count);
	d->name = domain_text(r, b, err);
	d->module = domain_text(r, b, err);
	d->facts = domain_text(r, b, err);
	info->domains = r->domains;
	info->domains_count++;
	return d->name && d->module && d->facts;
}

/* Counts the domains and allocates them. */
static bool
make_domains(struct info_reading *r, struct bytes b, struct error *err)
{
	size_t count = 0;

	while (bytes_ok(&b) && bytes_left(&b)) {
		uint32_t key = bytes_u32(&b, "a key");

		count += key == SAVED_KEY_DOMAIN;
		bytes_skip(&b, bytes_u32(&b, "the length of a value"), "a value");
	}
	r->domains = arena_array(heap_builder_arena(r->builder), struct heap_domain, count, err);
	return r->domains != NULL;
}

static bool
read_value(struct info_reading *r, enum saved_key key, const uint8_t *data, size_t len,
	   struct error *err)
{
	struct heap_info *info = heap_builder_info(r->builder);
	const char **text = info_text(info, key);
	struct error ignored = { 0 };
	struct bytes value;

	if (key == SAVED_KEY_WARNING)
		return heap_builder_warning(r->builder, err, "%.*s", len < 512 ? (int)len : 512,
					    (const char *)data);
	if (text) {
		*text = arena_strndup(heap_builder_arena(r->builder), (const char *)data, len, err);
		return *text != NULL;
	}
	bytes_init(&value, data, len, &ignored);
	if (key == SAVED_KEY_DOMAIN)
		return read_domain(r, &value, err);
	if (key == SAVED_KEY_LOSSES)
		read_losses(&value, &info->losses);
	else if (key == SAVED_KEY_RESIDENT)
		read_resident(&value, &info->resident);
	else
		read_number(r, key, &value);
	return true;
}

bool
saved_info_read(struct saved_info *out, struct saved_sections *in, struct heap_builder *builder,
		struct error *err)
{
	struct info_reading r = { builder, out, NULL };
	struct heap_info *info = heap_builder_info(builder);
	struct error ignored = { 0 };
	struct bytes b;

	if (!saved_unpack_first(in, SAVED_INFO, &b, err))
		return false;
	b.err = &ignored; /* reported when the values are read */
	if (!make_domains(&r, b, err))
		return false;
	b.err = err;
	while (bytes_ok(&b) && bytes_left(&b)) {
		uint32_t key = bytes_u32(&b, "a key");
		uint32_t len = bytes_u32(&b, "the length of a value");
		const uint8_t *data = bytes_take(&b, len, "a value");

		if (data && !read_value(&r, (enum saved_key)key, data, len, err))
			return false;
	}
	info->is_64bit = out->flags & SAVED_IS_64BIT;
	info->is_sampled = out->flags & SAVED_IS_SAMPLED;
	info->losses.is_unfinished = out->flags & SAVED_IS_UNFINISHED;
	return bytes_ok(&b);
}
