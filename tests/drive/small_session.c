#include "tests/drive/small_session.h"
#include "model/heap/stream.h"
#include "tests/drive/fuzz.h"

enum { OBJECTS = 200, FIRST_ADDRESS = 0x1000 };

static bool
add_object(struct heap_stream *s, uint32_t i, struct error *err)
{
	static const char *const names[] = { "App.Node", "System.String", "App.List<App.Node>" };
	type_id type = heap_builder_type(heap_stream_builder(s), names[i % 3], "/app.dll", err);
	uint32_t refs = i % 3 == 1 ? 0 : i % 5;

	if (type == TYPE_NONE ||
	    !heap_stream_object(s, FIRST_ADDRESS + i * 32, type, i % 7 * 30, refs, err))
		return false;
	for (uint32_t r = 0; r < refs; r++)
		if (!heap_stream_ref(s, FIRST_ADDRESS + i * (r + 3) % OBJECTS * 32, err))
			return false;
	return true;
}

static bool
add_objects(struct heap_stream *s, struct error *err)
{
	for (uint32_t i = 0; i < OBJECTS; i++)
		if (!add_object(s, i, err))
			return false;
	return heap_stream_range(s, FIRST_ADDRESS, FIRST_ADDRESS + 32 * 100, GEN_0, -1, err) &&
	       heap_stream_range(s, FIRST_ADDRESS + 32 * 120, FIRST_ADDRESS + 32 * 190, GEN_2, -1,
				 err) &&
	       heap_stream_root(s, FIRST_ADDRESS, ROOT_STATIC, false, "Root", "", err);
}

const struct heap *
small_heap(struct error *err)
{
	struct heap_stream *s = heap_stream_new(err);

	return s && add_objects(s, err) ? heap_stream_finish(s, NULL, err) : NULL;
}

struct session *
small_session(void)
{
	struct error err = { 0 };
	const struct heap *h = small_heap(&err);
	struct session *session;

	session = h ? session_new_of_heap(h, (struct waker){ NULL, NULL }, &err) : NULL;
	if (!session || !session_require(session, NEED_REVERSE | NEED_REACH | NEED_RETAINED, &err))
		fuzz_fail(err.message, NULL);
	return session;
}
