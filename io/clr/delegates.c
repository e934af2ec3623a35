#include "io/clr/delegates.h"
#include "io/runtime/methods.h"
#include "model/heap/name_method.h"
#include <string.h>

/* The fields of a delegate. `count` has other uses in delegates without a list. */
struct delegate {
	uint64_t target, code, other_code, list, count;
};

/* False: the object has no such field of 8 bytes, or `err` is set. */
static bool
read_word(struct clr_contents *c, const struct clr_object *o, const char *name, uint64_t *to,
	  struct error *err)
{
	struct content_field f;

	return clr_object_field(c, o, name, &f, err) && f.bytes == sizeof(*to) &&
	       memory_u64(clr_contents_reader(c), f.address, to);
}

/* *is_delegate: all fields were found. */
static bool
read_delegate(struct clr_contents *c, const struct clr_object *o, struct delegate *out,
	      bool *is_delegate, struct error *err)
{
	const struct {
		const char *name, *later_name;
		uint64_t *to;
	} fields[] = {
		{ "_target", NULL, &out->target },
		{ "_methodPtr", NULL, &out->code },
		{ "_methodPtrAux", NULL, &out->other_code },
		{ "_invocationList", "_helperObject", &out->list },
		{ "_invocationCount", "_extraData", &out->count },
	};

	*is_delegate = false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!read_word(c, o, fields[i].name, fields[i].to, err) &&
		    (!fields[i].later_name ||
		     !read_word(c, o, fields[i].later_name, fields[i].to, err)))
			return err->kind == ERROR_NONE;
	*is_delegate = true;
	return true;
}

static bool
check_base(struct clr_contents *c, const struct clr_object *o, bool *out, struct arena *a,
	   struct error *err)
{
	uint64_t parent;
	unsigned flags;
	const char *name;

	*out = false;
	if (clr_object_is_array(o) || clr_is_value_type(o->flags) ||
	    !clr_u64(&c->runtime->layout, clr_contents_reader(c), o->table, CLR_MT_PARENT,
		     &parent) ||
	    !parent)
		return true;
	if (!c->delegates) {
		name = clr_name_of(clr_types_names(c->types), parent, a, &flags, err);
		if (!name)
			return false;
		if (!flags && !strcmp(name, "System.MulticastDelegate"))
			c->delegates = parent;
	}
	*out = parent == c->delegates;
	return true;
}

/* True if the delegate has a list of delegates; the field has other uses. */
static bool
has_entries(const struct clr_contents *c, const struct delegate *d, struct content_method *out)
{
	node_id list = d->list ? heap_find(c->heap, d->list) : NODE_NONE;
	struct error ignored = { 0 };
	struct clr_object o;

	if (list == NODE_NONE || !clr_object_open(c, list, &o, &ignored) ||
	    !clr_object_is_array(&o) || !d->count || d->count > o.count || !clr_object_has_room(&o))
		return false;
	out->entries = list;
	out->entries_count = (uint32_t)d->count;
	return true;
}

/* For a static method the stub is other_code. For an open virtual method, `count` is the method's
 * record. */
static bool
find_method(const struct clr_contents *c, const struct delegate *d, struct clr_method *method,
	    struct content_method *out, struct error *err)
{
	const struct clr_names *names = clr_types_names(c->types);

	if (d->other_code)
		return clr_method_at(names, d->other_code, method, err) ||
		       (err->kind == ERROR_NONE &&
			clr_method_of_record(names, d->count, method, err));
	out->target = d->target ? heap_find(c->heap, d->target) : NODE_NONE;
	return clr_method_at(names, d->code, method, err);
}

static bool
describe_delegate(struct clr_contents *c, const struct delegate *d, struct content_method *out,
		  struct arena *a, struct error *err)
{
	struct clr_method method;
	unsigned flags;

	*out = (struct content_method){ "", "", "", NODE_NONE, NODE_NONE, 0 };
	if (has_entries(c, d, out))
		return true;
	if (!find_method(c, d, &method, out, err))
		return err->kind == ERROR_NONE;
	out->name = method.name;
	out->type = clr_name_of(clr_types_names(c->types), method.table, a, &flags, err);
	if (out->type)
		out->text = name_method(out->type, out->name, a, err);
	return out->type && out->text;
}

bool
clr_delegate_read(struct clr_contents *c, const struct clr_object *o, struct content_method *out,
		  bool *is_delegate, struct arena *a, struct error *err)
{
	struct delegate d;

	if (!check_base(c, o, is_delegate, a, err))
		return false;
	return !*is_delegate || (read_delegate(c, o, &d, is_delegate, err) &&
				 (!*is_delegate || describe_delegate(c, &d, out, a, err)));
}
