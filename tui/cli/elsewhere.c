#include "tui/cli/elsewhere.h"
#include "capture/remote/remote.h"
#include "tui/base/places.h"
#include "tui/cli/say.h"
#include <assert.h>

bool
elsewhere_is_meant(const struct options *o)
{
	return o->via || *o->host;
}

static bool
find_program(const char *machine, char *path, size_t path_size)
{
	assert(path_size >= PLACE_BYTES);
	(void)path_size;
	return place_of_program(machine, path);
}

static void
show(const char *line)
{
	say(NULL, "%s", line);
}

bool
elsewhere_open(const struct options *o, const char *version, bool is_exact, struct error *err)
{
	static struct carrier_options options; /* used until it is closed */

	options = (struct carrier_options){ .host = *o->host ? o->host : NULL,
					    .command = o->via,
					    .version = is_exact ? version : "",
					    .find_program = find_program,
					    .show = show };
	return remote_open(&options, version, err);
}

void
elsewhere_close(void)
{
	remote_close();
}

void
elsewhere_explain(const struct options *o, struct error *err)
{
	if (err->kind == ERROR_USAGE) {
		const struct error why = *err;

		error_clear(err);
		error_set(err, ERROR_USAGE, "%s: %s", remote_live_ops.place(), why.message);
	}
	if (err->kind != ERROR_INPUT)
		return;
	error_clear(err);
	error_set(err, ERROR_ATTACH,
		  "%s: no .NET process has the name %.60s; heaptop --via %s%.48s%s -l lists "
		  "processes",
		  remote_live_ops.place(), o->file, o->via ? "" : "'ssh ",
		  o->via ? "COMMAND" : o->host, o->via ? "" : "'");
}
