#ifndef IO_EVENTS_METHODS_H
#define IO_EVENTS_METHODS_H

/*
 * The methods of a program by the addresses of their code, from the events MethodLoadVerbose,
 * MethodDCStartVerbose and MethodDCEndVerbose, and the modules from those of their loads:
 *
 *   u64 method, u64 module, u64 start, u32 size, u32 token, u32 flags,
 *   UTF-16 type, UTF-16 method, UTF-16 signature, more
 *
 * A method may have code in several places: compiled again, or for loops that were running. Where
 * code of an unloaded method was replaced, the latest event applies. Memory: 48 bytes and the names
 * of each method, even if it is listed again after methods_find().
 */
#include "io/events/nettrace.h"
#include "model/allocations/allocations.h"

struct methods;

struct methods *methods_new(struct error *err) MUST_USE;
void methods_free(struct methods *m);
/* Takes any event; those about other things are ignored. False: no memory. */
bool methods_take(struct methods *m, const struct nettrace_event *event,
		  struct error *err) MUST_USE;
/* Takes all events of a stream; `m` NULL: reads it and keeps nothing. */
bool methods_take_all(struct methods *m, struct nettrace *t, struct error *err) MUST_USE;
/*
 * Code of a file that is mapped from `start` to `end`. Its places are counted from `base`, where
 * the image of the file begins. The path is copied. Adding the same again changes nothing;
 * METHOD_IMAGES are kept. False: no memory.
 */
enum { METHOD_IMAGES = 4096 };
struct method_image {
	uint64_t start, end, base;
	const char *path;
};
bool methods_add_image(struct methods *m, const struct method_image *image,
		       struct error *err) MUST_USE;
/*
 * Names the method whose code contains the return address, in C# spelling. If none is known, the
 * name is that of the file and the place in it, "System.Linq.dll+0x1a2b", or "code at 0x…". The
 * texts are in `texts` or live as long as `m`. False: no memory.
 */
bool methods_find(struct methods *m, uint64_t address, struct arena *texts,
		  struct allocation_method *out, struct error *err) MUST_USE;

#endif
