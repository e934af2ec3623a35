#include "io/gclog/write.h"
#include "io/gclog/gclog.h"
#include "io/gclog/names.h"
#include "io/gclog/roots.h"
#include <stdio.h>
#include <string.h>

enum {
	BUFFER_BYTES = 65536,
	NUMBER_BYTES = 17, /* a blank and 16 digits */
	ID_STEP = 8,
	LOOK_EVERY = 65536,
	ID_BITS_USUAL = 32, /* the devices had 32 bits */
	NAME_BYTES = 256,
};

struct writer {
	struct output *to;
	const struct heap *heap;
	struct gclog_names names;
	uint64_t made_up_first; /* ids for objects without an address */
	uint64_t start;         /* of the domain being written */
	struct refs_scan scan;
	size_t len;
	char buffer[BUFFER_BYTES];
};

static void
put_bytes(struct writer *w, const char *bytes, size_t len)
{
	if (BUFFER_BYTES - w->len < len) {
		output_write(w->to, w->buffer, w->len);
		w->len = 0;
	}
	if (len > BUFFER_BYTES) {
		output_write(w->to, bytes, len);
		return;
	}
	memcpy(w->buffer + w->len, bytes, len);
	w->len += len;
}

/* Writes a blank and the number in hexadecimal. */
static void
put_number(struct writer *w, uint64_t number)
{
	char out[NUMBER_BYTES];
	size_t at = sizeof(out);

	do {
		out[--at] = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	out[--at] = ' ';
	put_bytes(w, out + at, sizeof(out) - at);
}

static void
put_end(struct writer *w)
{
	put_bytes(w, "\r\n", 2);
}

/* Replaces line ends in a name by blanks. */
static void
put_name(struct writer *w, const char *name, size_t len)
{
	put_bytes(w, " ", 1);
	while (len) {
		size_t part = 0;

		while (part < len && name[part] != '\r' && name[part] != '\n')
			part++;
		put_bytes(w, name, part);
		if (part < len) {
			put_bytes(w, " ", 1);
			part++;
		}
		name += part;
		len -= part;
	}
}

/* --- sections --- */

/* Writes the name of the program, of a command line that of its file. A blank would end the name
   for other readers. */
static void
program_name(const struct heap *h, char out[NAME_BYTES])
{
	static const char blanks[] = " \t\r\n";
	const char *program = h->info.program, *process = h->info.process;
	size_t len, start = 0;

	if (program && *program) {
		snprintf(out, NAME_BYTES, "%s", program);
	} else if (process && *process) {
		len = strcspn(process, blanks);
		for (size_t i = 0; i + 1 < len; i++)
			if (process[i] == '/')
				start = i + 1;
		snprintf(out, NAME_BYTES, "%.*s", (int)(len - start), process + start);
	} else {
		snprintf(out, NAME_BYTES, "(unnamed)");
	}
	for (char *at = out; (at = strpbrk(at, blanks)) != NULL;)
		*at = '_';
}

/* The single section of a heap without domains. Its time is that of the capture: readers take it
   for a clock of milliseconds with 32 bits. */
static struct heap_domain
only_domain(const struct heap *h, const char *name)
{
	uint64_t ms = (uint64_t)h->info.time * 1000 + h->info.time_ns / 1000000;

	return (struct heap_domain){
		.name = name,
		.uptime_ms = (uint32_t)ms,
		.has_uptime = h->info.time > 0,
	};
}

/* Would a reader take the last word for a time? */
static bool
looks_timed(const char *name)
{
	enum { TIME_DIGITS_MAX = 8 };
	size_t len = strlen(name), start = len;

	while (start && name[start - 1] != ' ' && name[start - 1] != '\t')
		start--;
	if (!start)
		return false;
	if (name[start] == '0' && (name[start + 1] | 0x20) == 'x')
		start += 2;
	return len > start && len - start <= TIME_DIGITS_MAX &&
	       strspn(name + start, "0123456789abcdefABCDEF") == len - start;
}

static void
put_domain(struct writer *w, const char *head, const struct heap_domain *d)
{
	put_bytes(w, head, strlen(head));
	put_name(w, d->name, strlen(d->name));
	if (d->has_uptime || looks_timed(d->name))
		put_number(w, d->uptime_ms);
	put_end(w);
}

static void
put_type(struct writer *w, uint32_t number, const char *name, size_t len)
{
	put_bytes(w, "t", 1);
	put_number(w, number);
	put_name(w, name, len);
	put_end(w);
}

static void
put_types(struct writer *w, uint32_t domain)
{
	const struct heap *h = w->heap;

	for (type_id t = 0; t < h->types_count; t++)
		if (w->names.domains[t] == domain &&
		    strcmp(h->types[t].raw, GCLOG_MISSING_TYPE) != 0)
			put_type(w, t + 1, h->types[t].raw, strlen(h->types[t].raw));
	for (size_t i = 0; i < w->names.extra_count; i++) {
		const struct gclog_named *n = &w->names.extra[i];

		if (n->domain == domain)
			put_type(w, n->number, n->name.text, n->name.len);
	}
}

/* --- objects --- */

static uint64_t
address_of(const struct writer *w, node_id n)
{
	uint64_t address = heap_address(w->heap, n);

	return address_is_made_up(address)
		   ? w->made_up_first + (address - MADE_UP_ADDRESS) / MADE_UP_STEP * ID_STEP
		   : address;
}

static void
put_id(struct writer *w, node_id n)
{
	const struct heap *h = w->heap;
	uint64_t address = address_of(w, n), start = w->start;

	if (h->info.domains_count > 1)
		start = h->info.domains[gclog_domain_of(h, address)].start;
	put_number(w, address - start);
}

/* Readers make up undefined objects again, so they are not written. */
static bool
is_missing(const struct heap *h, node_id n)
{
	return !heap_size(h, n) && !strcmp(heap_type(h, n)->raw, GCLOG_MISSING_TYPE);
}

static void
put_object(struct writer *w, node_id n, struct refs *refs)
{
	const struct heap *h = w->heap;
	node_id target;

	if (is_missing(h, n))
		return;
	put_bytes(w, "o", 1);
	put_id(w, n);
	put_number(w, heap_type_of(h, n) + UINT64_C(1));
	put_number(w, heap_size(h, n));
	while (refs_next(refs, &target))
		put_id(w, target);
	put_end(w);
}

static void
put_root(struct writer *w, node_id n, struct gclog_root root, uint32_t container)
{
	put_bytes(w, "r", 1);
	put_id(w, n);
	put_number(w, root.kind);
	put_number(w, root.flags);
	if (container)
		put_number(w, container);
	put_end(w);
}

static void
put_roots(struct writer *w, node_id n, uint32_t domain)
{
	static const struct gclog_root weak = { GCLOG_HANDLE, GCLOG_WEAK };
	uint32_t count, weak_count = heap_weak_of(w->heap, n);
	const struct root *roots = heap_roots_of(w->heap, n, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct gclog_root root = gclog_root_of(&roots[i]);
		bool is_static = root.kind == GCLOG_STATIC;

		put_root(w, n, root,
			 is_static ? gclog_names_container(&w->names, domain, &roots[i]) : 0);
	}
	for (uint32_t i = 0; i < weak_count; i++)
		put_root(w, n, weak, 0);
}

/* Writes from `*node`, where the scan is, to the end of the domain. */
static bool
put_objects(struct writer *w, uint32_t domain, node_id *node, struct progress *progress,
	    struct error *err)
{
	const struct heap *h = w->heap;
	uint64_t end =
	    domain + 1 < h->info.domains_count ? h->info.domains[domain + 1].start : UINT64_MAX;
	node_id n = *node;

	for (; n < h->nodes_count && heap_address(h, n) < end; n++) {
		struct refs refs = refs_scan_begin(&w->scan);

		put_object(w, n, &refs);
		refs_scan_end(&w->scan, &refs);
		put_roots(w, n, domain);
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	*node = n;
	return true;
}

/* --- the file --- */

static bool
write_all(struct writer *w, struct progress *progress, struct error *err)
{
	const struct heap *h = w->heap;
	char name[NAME_BYTES];
	struct heap_domain only = only_domain(h, name);
	const struct heap_domain *domains = h->info.domains_count ? h->info.domains : &only;
	uint32_t count = h->info.domains_count ? h->info.domains_count : 1;
	node_id node = 0;

	program_name(h, name);
	progress_begin(progress, "writing", "objects", h->nodes_count);
	for (uint32_t i = 0; i < count; i++) {
		w->start = domains[i].start;
		put_domain(w, "a 2", &domains[i]);
		put_types(w, i);
		if (!put_objects(w, i, &node, progress, err))
			return false;
		put_domain(w, "c", &domains[i]);
		if (!output_ok(w->to))
			break; /* output_close() reports the error */
	}
	output_write(w->to, w->buffer, w->len);
	return true;
}

/* An id after the last object that has an address. */
static uint64_t
first_free_id(const struct heap *h)
{
	node_id n = h->nodes_count;

	while (n && address_is_made_up(heap_address(h, n - 1)))
		n--;
	return n ? (heap_address(h, n - 1) | (ID_STEP - 1)) + 1 : ID_STEP;
}

bool
gclog_write(struct output *to, const struct heap *h, struct progress *progress, struct error *err)
{
	struct writer *w;
	bool is_good;

	if (!h->has_objects || !h->nodes_count)
		return error_set(err, ERROR_USAGE,
				 "a GC log consists of objects, and this heap has none");
	w = memory_new(1, sizeof(*w), err);
	if (!w)
		return false;
	w->to = to;
	w->heap = h;
	w->made_up_first = first_free_id(h);
	refs_scan_init(&w->scan, h, 0);
	is_good = gclog_names_init(&w->names, h, err) && write_all(w, progress, err);
	gclog_names_clear(&w->names);
	memory_free(w);
	return is_good;
}

const char *
gclog_write_warning(const struct heap *h)
{
	uint64_t last = h->nodes_count ? first_free_id(h) - 1 : 0;
	uint32_t domain = gclog_domain_of(h, last);

	if (h->info.domains_count)
		last -= h->info.domains[domain].start;
	return last >> ID_BITS_USUAL ? "some ids have more than 32 bits: other readers of GC logs "
				       "may reject them"
				     : NULL;
}
