#include "tui/cli/tour_dumps.h"
#include "tour_builtin.h"
#include "io/heaptop/heaptop.h"

static const struct dump {
	const char *name;
	const uint8_t *bytes;
	size_t len;
} dumps[TOUR_DUMPS] = {
	{ "leaky-1", dump_1, sizeof dump_1 },
	{ "leaky-2", dump_2, sizeof dump_2 },
};

static const struct heap *
load(const struct loader *from, enum load_what what, struct progress *progress,
     struct preview *preview, struct error *err)
{
	const struct dump *dump = from->context;
	const struct load_how how = {
		.path = dump->name, .what = what, .progress = progress, .preview = preview
	};

	return saved_read(dump->bytes, dump->len, NULL, &how, err);
}

void
tour_dumps_attach(struct snapshots *all)
{
	for (int i = 0; i < TOUR_DUMPS; i++)
		all->tour_loaders[i] = (struct loader){
			.path = dumps[i].name,
			.load = load,
			.is_builtin = true,
			.context = (void *)(uintptr_t)&dumps[i],
		};
}
