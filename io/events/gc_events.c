#include "io/events/gc_events.h"

struct bytes
gc_payload(const struct nettrace_event *event, struct error *ignored)
{
	struct bytes b;

	error_clear(ignored);
	bytes_init(&b, event->payload, event->payload_len, ignored);
	return b;
}

bool
gc_start_read(struct gc_start *start, const struct nettrace_event *event)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	*start = (struct gc_start){ .number = bytes_u32(&b, "number") };
	if (event->payload_len >= 16) {
		start->generation = bytes_u32(&b, "generation");
		start->reason = bytes_u32(&b, "reason");
		start->type = bytes_u32(&b, "type");
	} else {
		start->reason = bytes_u32(&b, "reason");
	}
	return bytes_ok(&b);
}

bool
gc_end_read(struct gc_end *end, const struct nettrace_event *event)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	end->number = bytes_u32(&b, "number");
	end->generation =
	    event->version ? bytes_u32(&b, "generation") : bytes_u16(&b, "generation");
	return bytes_ok(&b);
}

bool
gc_range_read(struct gc_range *range, const struct nettrace_event *event, unsigned pointer_bytes)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	range->generation = bytes_u8(&b, "generation");
	range->start = bytes_pointer(&b, pointer_bytes, "start");
	range->used_bytes = bytes_u64(&b, "length");
	range->reserved_bytes = bytes_u64(&b, "length");
	return bytes_ok(&b);
}
