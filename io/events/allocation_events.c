#include "io/events/allocation_events.h"
#include "io/base/input.h"
#include "io/base/utf16.h"
#include "io/events/gc_events.h"
#include "io/events/gc_survivors.h"
#include "io/events/nettrace_all.h"
#include "io/events/recorded_events.h"
#include "io/pe/name_spelling.h"
#include "model/base/less.h"
#include <stdio.h>
#include <string.h>

enum { ALLOCATION_TICK = 10, ALLOCATION_SAMPLED = 303 };

struct allocation_reader {
	struct allocation_tally *tally;
	struct gc_survivors *survivors;
	struct methods *methods;
	struct arena scratch; /* of one sample */
	/* Time stamps: of the header, the last event, the last event that is not about methods, and
	   the last sample. */
	uint64_t first, last, last_active, last_sample;
	bool has_begun, has_sampled;
	bool has_ended;   /* the runtime lists its methods */
	int64_t until_ns; /* UTC; later events are of methods only */
};

struct allocation_reader *
allocation_reader_new(struct error *err)
{
	struct allocation_reader *r = memory_new(1, sizeof *r, err);

	if (!r)
		return NULL;
	arena_init(&r->scratch, 0);
	r->until_ns = INT64_MAX;
	r->tally = allocation_tally_new(err);
	r->methods = methods_new(err);
	if (r->tally && r->methods && allocation_tally_follow(r->tally, err))
		r->survivors = gc_survivors_new(r->tally->survived, err);
	if (r->survivors)
		return r;
	allocation_reader_free(r);
	return NULL;
}

void
allocation_reader_free(struct allocation_reader *r)
{
	if (!r)
		return;
	gc_survivors_free(r->survivors);
	methods_free(r->methods);
	allocation_tally_free(r->tally);
	arena_clear(&r->scratch);
	memory_free(r);
}

struct methods *
allocation_reader_methods(struct allocation_reader *r)
{
	return r->methods;
}

struct allocation_facts *
allocation_reader_facts(struct allocation_reader *r)
{
	return &r->tally->facts;
}

bool
allocation_reader_keep_recent(struct allocation_reader *r, struct error *err)
{
	return allocation_tally_keep_recent(r->tally, err);
}

/* --- samples -------------------------------------------------------------- */

enum { TICK_WITH_TYPE = 2, TICK_WITH_SIZE = 4 };

/*
 * Reads an AllocationTick of .NET Core 3.1 or older, which does not tell the object's size. Its
 * address, of version 3, is of no use without that.
 */
static bool
read_old_tick(struct bytes *b, const struct nettrace_event *event, unsigned pointer_bytes,
	      struct allocation_sample *sample, struct bytes_array *type)
{
	sample->tick_bytes = bytes_u32(b, "bytes allocated");
	*type = (struct bytes_array){ 0 };
	if (event->version >= TICK_WITH_TYPE) {
		bytes_skip(b, 6, "the kind of an allocation");
		sample->tick_bytes = bytes_u64(b, "bytes allocated");
		bytes_skip(b, pointer_bytes, "a type");
		*type = utf16_take(b, "the name of a type");
	}
	if (!sample->tick_bytes)
		sample->tick_bytes = 1;
	return bytes_ok(b);
}

/* Reads the fields of either event; false: it is too short. */
static bool
read_sample(struct bytes *b, const struct nettrace_event *event, unsigned pointer_bytes,
	    struct allocation_sample *sample, struct bytes_array *type)
{
	bool is_tick = event->id == ALLOCATION_TICK;

	if (is_tick && event->version < TICK_WITH_SIZE)
		return read_old_tick(b, event, pointer_bytes, sample, type);
	bytes_skip(b, is_tick ? 10 : 6, "the kind of an allocation");
	if (is_tick)
		sample->tick_bytes = bytes_u64(b, "bytes allocated");
	bytes_skip(b, pointer_bytes, "a type");
	*type = utf16_take(b, "the name of a type");
	if (is_tick)
		bytes_skip(b, 4, "the number of a heap");
	sample->address = bytes_pointer(b, pointer_bytes, "a pointer");
	sample->size = bytes_u64(b, "the size of an object");
	/* A budget of 0 bytes would look like a random sample. */
	if (is_tick && !sample->tick_bytes)
		sample->tick_bytes = 1;
	return bytes_ok(b);
}

static bool
read_frames(struct allocation_reader *r, const struct nettrace_event *event, unsigned pointer_bytes,
	    struct allocation_sample *sample, struct error *err)
{
	uint32_t count = event->stack_len / pointer_bytes;
	uint64_t *frames;

	if (count > ALLOCATION_FRAMES + 1)
		count = ALLOCATION_FRAMES + 1; /* shows that some are missing */
	frames = arena_array(&r->scratch, uint64_t, count + 1, err);
	if (!frames)
		return false;
	for (uint32_t i = 0; i < count; i++)
		frames[i] = pointer_bytes == 4 ? bytes_load_u32(event->stack + 4 * (size_t)i)
					       : bytes_load_u64(event->stack + 8 * (size_t)i);
	sample->frames = frames;
	sample->frames_count = count;
	return true;
}

/* Sizes that no object has would make the sums useless. */
enum { SIZE_BITS_MAX = 48 };

/* Sums a sample up, and follows it from now on. */
static bool
add_sample(struct allocation_reader *r, const struct nettrace_event *event,
	   const struct allocation_sample *sample, struct error *err)
{
	struct survived_sample followed = {
		.address = sample->address,
		.size = sample->size,
		.weight = sample->tick_bytes ? sample->tick_bytes
					     : (uint64_t)allocation_weight(sample->size),
	};

	if (!allocation_tally_add(r->tally, sample, &followed.owner, err))
		return false;
	return !sample->size || gc_survivors_add(r->survivors, event, &followed, err);
}

/* Names the type of a sample without a name. Only the types that .NET 11 makes for suspended calls
 * have none. Old runtimes do not send types, and Native AOT sends neither types, for which it
 * writes NULL, nor stacks. */
static const char *
known_type(const struct nettrace_event *event, const struct allocation_sample *sample)
{
	if (!*sample->type && event->stack_len && !sample->tick_bytes)
		return "Continuation";
	return !*sample->type || (!event->stack_len && !strcmp(sample->type, "NULL"))
		   ? "(without a type)"
		   : sample->type;
}

static bool
handle_sample(struct allocation_reader *r, const struct nettrace *t,
	      const struct nettrace_event *event, struct error *err)
{
	unsigned pointer_bytes = nettrace_header(t)->pointer_bytes;
	struct allocation_sample sample = { .time = event->timestamp };
	struct bytes_array type;
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);
	struct allocation_facts *facts = &r->tally->facts;
	bool is_random = event->id == ALLOCATION_SAMPLED;

	if (!r->has_sampled)
		facts->is_random = is_random;
	r->has_sampled = true;
	if (is_random != facts->is_random ||
	    !read_sample(&b, event, pointer_bytes, &sample, &type) ||
	    (sample.size | sample.tick_bytes) >> SIZE_BITS_MAX)
		return true;
	arena_reset(&r->scratch, (struct arena_mark){ 0 });
	sample.type = utf16_to_utf8(&type, &r->scratch, err);
	if (sample.type)
		sample.type = name_spell(sample.type, &r->scratch, err);
	if (sample.type)
		sample.type = known_type(event, &sample);
	return sample.type && read_frames(r, event, pointer_bytes, &sample, err) &&
	       add_sample(r, event, &sample, err);
}

static bool
is_sample(const struct nettrace_event *event)
{
	return event->provider == NETTRACE_RUNTIME &&
	       (event->id == ALLOCATION_SAMPLED || event->id == ALLOCATION_TICK);
}

static void
note_time(struct allocation_reader *r, const struct nettrace *t, const struct nettrace_event *event)
{
	const struct nettrace_header *header = nettrace_header(t);

	if (!r->has_begun) {
		r->first = r->last = r->last_active = r->last_sample = header->clock_start;
		r->tally->clock_start = header->clock_start;
		r->tally->clock_hz = header->clock_hz;
		r->tally->facts.time = header->time;
		r->tally->facts.time_ms = header->time_ms;
	}
	r->has_begun = true;
	if (event->provider == NETTRACE_RUNDOWN)
		r->has_ended = true;
	if (event->timestamp > r->last)
		r->last = event->timestamp;
	if (event->provider != NETTRACE_RUNDOWN && event->timestamp > r->last_active)
		r->last_active = event->timestamp;
	if (is_sample(event) && event->timestamp > r->last_sample)
		r->last_sample = event->timestamp;
}

/*
 * The clock ticks in which samples were taken. The runtime ends a session about
 * 0.1 s before it begins to list its methods. In that stretch the time ends a
 * mean gap after the last sample, but not before the last event that was on either.
 */
static uint64_t
ticks_watched(const struct allocation_reader *r, uint64_t hz)
{
	enum { STRETCH_MS = 110 };
	uint64_t count = r->tally->facts.total.samples, all = r->last - r->first;
	uint64_t stretch = hz / 1000 * STRETCH_MS;
	uint64_t until = r->last_sample - r->first;

	if (!count || !r->has_ended)
		return all;
	until += until / count;
	if (until < less(r->last_active, r->first))
		until = less(r->last_active, r->first);
	if (until < less(all, stretch))
		until = less(all, stretch);
	return until < all ? until : all;
}

/* Threads write their events in turn, so that earlier ones may follow. */
static bool
is_too_late(struct allocation_reader *r, const struct nettrace *t,
	    const struct nettrace_event *event)
{
	if (event->provider != NETTRACE_RUNTIME || r->until_ns == INT64_MAX ||
	    nettrace_time(t, event->timestamp) <= r->until_ns)
		return false;
	r->tally->facts.is_at_heap = true;
	return true;
}

static bool
take(void *context, const struct nettrace *t, enum nettrace_item item,
     const struct nettrace_event *event, struct error *err)
{
	struct allocation_reader *r = context;

	if (item == NETTRACE_EVENT)
		recorded_take(&r->tally->facts.recorded, event);
	if (item == NETTRACE_LOST)
		r->tally->facts.lost_events += event->lost_count;
	if (item == NETTRACE_EVENT && is_too_late(r, t, event))
		return methods_take(r->methods, event, err);
	if (item == NETTRACE_LOST && r->tally->facts.is_at_heap)
		return true; /* later, too */
	if (!gc_survivors_take(r->survivors, t, item, event, err))
		return false;
	if (item != NETTRACE_EVENT)
		return true;
	if (!r->has_ended)
		note_time(r, t, event);
	if (is_sample(event))
		return handle_sample(r, t, event, err);
	return methods_take(r->methods, event, err);
}

/* Nanoseconds from the beginning to `until_ns`. */
static uint64_t
time_until(const struct allocation_reader *r, const struct nettrace *t)
{
	int64_t began_ns = nettrace_time(t, nettrace_header(t)->clock_start);

	return r->until_ns > began_ns ? (uint64_t)(r->until_ns - began_ns) : 0;
}

static void
handle_end(struct allocation_reader *r, const struct nettrace *t)
{
	const struct nettrace_status *status = nettrace_status(t);
	struct allocation_facts *facts = &r->tally->facts;
	uint64_t hz = nettrace_header(t)->clock_hz;

	facts->is_cut = status->damage.kind != ERROR_NONE;
	facts->time_ns = allocation_tally_ns(r->tally, ticks_watched(r, hz));
	if (facts->is_at_heap && time_until(r, t) < facts->time_ns)
		facts->time_ns = time_until(r, t);
}

bool
allocation_reader_take_all(struct allocation_reader *r, struct nettrace *t,
			   struct progress *progress, struct error *err)
{
	nettrace_keep_stacks(t);
	if (!nettrace_take_all(t, take, r, progress, err))
		return false;
	handle_end(r, t);
	return gc_survivors_settle(r->survivors, err);
}

static bool
name(void *context, uint64_t address, struct arena *scratch, struct allocation_method *out,
     struct error *err)
{
	return methods_find(context, address, scratch, out, err);
}

struct allocations *
allocation_reader_name(struct allocation_reader *r, struct error *err)
{
	const struct allocation_namer namer = { name, r->methods };
	struct allocation_tally *t = r->tally;

	t->until = r->first + allocation_tally_ticks(t, t->facts.time_ns);
	t->facts.survival.now_ns = allocation_tally_ns(t, less(r->last_active, t->clock_start));
	return allocations_name(r->tally, namer, err);
}

/* The time ends a mean gap after the last sample. If that is long ago, the process is idle. */
static uint64_t
time_so_far(const struct allocation_reader *r, uint64_t elapsed_ns)
{
	enum { LATE_NS = 500000000 };
	uint64_t count = r->tally->facts.total.samples;
	uint64_t until = count ? r->last_sample - r->first : 0, ns;

	if (count)
		until += until / count;
	ns = allocation_tally_ns(r->tally, until);
	if (ns > elapsed_ns)
		return elapsed_ns;
	if (ns < less(elapsed_ns, LATE_NS))
		return less(elapsed_ns, LATE_NS);
	return ns;
}

struct allocations *
allocation_reader_name_so_far(struct allocation_reader *r, uint64_t elapsed_ns, struct error *err)
{
	r->tally->facts.time_ns = time_so_far(r, elapsed_ns);
	return allocation_reader_name(r, err);
}

void
allocation_reader_restart(struct allocation_reader *r)
{
	allocation_tally_restart(r->tally);
	r->tally->facts.lost_events = 0;
	r->first = r->last_sample = r->last;
}

/* A heap from memory is as at the stop of its process; of others the time is that of the end of the
   capture, in whole seconds. */
static void
stop_at(struct allocation_reader *r, const struct heap *h)
{
	const int64_t second = 1000000000;

	if (h->info.gc_number)
		r->tally->last_collection = h->info.gc_number;
	else if (h->info.time > 0 && h->info.time < INT64_MAX / second - 1)
		r->until_ns = h->info.time_ns ? h->info.time * second + h->info.time_ns
					      : (h->info.time + 1) * second;
}

/* --- files ---------------------------------------------------------------- */

static struct allocations *
read(struct nettrace_input input, const char *who, const struct heap *h, struct progress *progress,
     struct error *err)
{
	struct allocation_reader *r = allocation_reader_new(err);
	struct nettrace *t = r ? nettrace_new(input, err) : NULL;
	struct allocation_facts *facts = r ? &r->tally->facts : NULL;
	struct allocations *a = NULL;
	bool ok;

	if (facts)
		facts->recorded.is_trace = true;
	if (r && h)
		stop_at(r, h);
	ok = t && allocation_reader_take_all(r, t, progress, err);

	if (ok) {
		snprintf(facts->who, sizeof facts->who, "%.95s", who);
		if (facts->is_cut)
			snprintf(facts->end, sizeof facts->end, "%.190s",
				 nettrace_status(t)->damage.message);
		a = allocation_reader_name(r, err);
	}
	nettrace_free(t);
	allocation_reader_free(r);
	return a;
}

struct allocations *
allocations_read(struct nettrace_input input, const char *who, struct progress *progress,
		 struct error *err)
{
	return read(input, who, NULL, progress, err);
}

static bool
accepts(const uint8_t *data, size_t len, struct error *err)
{
	return nettrace_accepts(data, len) ||
	       error_set(err, ERROR_INPUT,
			 "not a .nettrace file: only event traces have samples of allocations; to "
			 "record a process: heaptop -b allocations PID");
}

bool
allocations_are_in(const char *path, struct error *err)
{
	struct input in;
	bool is_trace;

	if (!input_begin(&in, path, NULL, err))
		return false;
	is_trace = accepts(in.head, in.head_len, err);
	input_close(&in);
	return is_trace;
}

static struct allocations *
read_bytes(const struct input *in, const char *path, const struct heap *h,
	   struct progress *progress, struct error *err)
{
	struct nettrace_memory memory;

	if (!accepts(in->data, in->len, err))
		return NULL;
	progress_begin_bytes(progress, "reading events", in->len);
	return read(nettrace_memory_input(&memory, in->data, in->len), path, h, progress, err);
}

struct allocations *
allocations_load(const char *path, const struct heap *h, struct progress *progress,
		 struct error *err)
{
	struct allocations *a;
	struct input in;

	if (!input_open(&in, path, progress, err))
		return NULL;
	a = read_bytes(&in, path, h, progress, err);
	if (a && !input_is_intact(&in, err)) {
		allocations_free(a);
		a = NULL;
	}
	input_close(&in);
	return a;
}
