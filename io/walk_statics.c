#include "io/walk_statics.h"

bool
walk_statics_finish(struct walk *w, struct walk_modules *modules,
		    struct error *err)
{
	(void)modules;
	for (size_t i = 0; i < w->statics.count; i++)
		if (!heap_stream_root(w->stream, w->statics.items[i].object,
				      ROOT_STATIC, false,
				      w->statics.items[i].field, NULL, err))
			return false;
	return true;
}
