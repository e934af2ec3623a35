#include "tui/widget/request.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool
request_open_in(const struct call *call, struct session *s, const char *view,
		const struct target *target)
{
	struct request *r = call->request;

	r->view = view;
	r->session = s;
	r->target = *target;
	if (target->nodes_title) {
		snprintf(r->title, sizeof r->title, "%s", target->nodes_title);
		r->target.nodes_title = r->title;
	}
	return true;
}

bool
request_open(const struct call *call, const char *view, const struct target *target)
{
	return request_open_in(call, NULL, view, target);
}

bool
request_open_where(const struct call *call, const char *view, const struct target *target,
		   const char *format, ...)
{
	struct request *r = call->request;
	va_list args;

	va_start(args, format);
	vsnprintf(r->buffer, sizeof r->buffer, format, args);
	va_end(args);
	r->filter = (struct filter_value){ r->buffer, FILTER_EXPRESSION };
	r->is_opened_with = true;
	return request_open(call, view, target);
}

bool
request_objects_between(const struct call *call, uint64_t start, uint64_t end)
{
	return request_open_where(call, "objects", &target_none,
				  "address >= 0x%" PRIx64 " and address < 0x%" PRIx64, start, end);
}

bool
request_command(const struct call *call, const char *name)
{
	call->request->command = name;
	return true;
}

bool
request_ways(const struct call *call)
{
	call->request->awaits_ways = true;
	return true;
}

bool
request_message(const struct call *call, enum style style, const char *format, ...)
{
	struct request *r = call->request;
	va_list args;

	va_start(args, format);
	vsnprintf(r->message, sizeof r->message, format, args);
	va_end(args);
	r->style = style;
	return true;
}
