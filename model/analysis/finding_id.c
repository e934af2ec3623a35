#include "model/analysis/finding_id.h"
#include "model/base/text.h"
#include "model/graph/root_index.h"
#include "model/heap/framework.h"

enum { LONG_BYTES = 4096 };

static void
add_type(struct text *out, const struct facts *facts, type_id type)
{
	if (type != TYPE_NONE)
		text_addf(out, ":%s", facts->heap->types[type].name);
}

/* Adds the name without its class, which not all sources know. A variable of the framework depends
   on what the process was doing, and is left out, as is one through which a nearer keeper is held.
 */
static void
add_static(struct text *out, const struct facts *facts, const struct finding *f)
{
	node_id subject = f->keeper.node == NODE_NONE ? f->subject : NODE_NONE;
	const struct root *root = NULL;
	const char *dot;

	if (subject != NODE_NONE && facts->roots)
		root = root_index_find(facts->roots, subject);
	if (!root || root->kind != ROOT_STATIC || !*root->name ||
	    framework_declares(root->name, ""))
		return;
	dot = strrchr(root->name, '.');
	text_addf(out, ":static %s", dot ? dot + 1 : root->name);
}

const char *
finding_id(const struct facts *facts, const struct finding *f, char out[FINDING_ID_BYTES])
{
	unsigned parts = f->kind->id_parts;
	char room[LONG_BYTES];
	struct text id = text_in(room, sizeof room);

	text_add(&id, f->kind->id);
	if (parts & ID_TYPE)
		add_type(&id, facts, f->type);
	if (parts & ID_HOLDER_TYPE)
		add_type(&id, facts, f->holder_type);
	if (parts & ID_SUBJECT_TYPE)
		add_type(&id, facts, heap_type_of(facts->heap, f->subject));
	if (parts & ID_STATIC)
		add_static(&id, facts, f);
	if (parts & ID_NAME && *f->name)
		text_addf(&id, ":%s", f->name);
	if (f->kind->id_end)
		text_add(&id, f->kind->id_end(f));
	return text_fit(id.bytes, FINDING_ID_BYTES, out, FINDING_ID_BYTES);
}
