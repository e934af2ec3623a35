#include "io/clr/frame_names.h"
#include "io/base/file.h"
#include "io/runtime/methods.h"
#include "model/heap/name_method.h"
#include "model/heap/names.h"
#include <inttypes.h>

/* Returns "<string, Order>" for an instance of a generic method, or "". NULL: no memory. */
static const char *
name_arguments(const struct clr_frame_names *n, uint64_t record)
{
	const char *raw = clr_method_arguments(n->names, record, n->arena, n->err);
	struct display_name shown;

	if (!raw || !*raw)
		return raw;
	raw = arena_printf(n->arena, n->err, "M%s", raw);
	return raw && name_display(raw, n->arena, &shown, n->err) ? shown.full + 1 : NULL;
}

/* Returns the parameters of a method that is named as in the source, or "". Those of a lambda or a
 * state machine are the compiler's. NULL: no memory. */
static const char *
name_parameters(const struct clr_frame_names *n, uint64_t record, const struct clr_method *method,
		const char *text)
{
	size_t len = strlen(text), name_len = strlen(method->name);

	if (len <= name_len || text[len - name_len - 1] != '.' ||
	    strcmp(text + len - name_len, method->name) != 0)
		return "";
	return clr_method_parameters(n->names, record, method, n->arena, n->err);
}

static bool
name_declared(const struct clr_frame_names *n, uint64_t record, const struct clr_method *method,
	      struct content_frame *out)
{
	const struct clr_module *module =
	    clr_modules_find(n->names->modules, clr_name_module(n->names, method->table), n->err);
	const char *text, *arguments, *parameters;
	unsigned flags;

	if (!module)
		return false;
	out->module = module->path;
	out->type = clr_name_of(n->names, method->table, n->arena, &flags, n->err);
	text = out->type ? name_method(out->type, method->name, n->arena, n->err) : NULL;
	parameters = text ? name_parameters(n, record, method, text) : NULL;
	arguments = parameters ? name_arguments(n, record) : NULL;
	if (!arguments)
		return false;
	out->text = *arguments ? arena_printf(n->arena, n->err, "%s%s", text, arguments) : text;
	out->full = out->text && *parameters
			? arena_printf(n->arena, n->err, "%s%s", out->text, parameters)
			: out->text;
	return out->full != NULL;
}

/* Names a method that is not in the metadata of a module, if it has a name. */
static bool
name_dynamic(const struct clr_frame_names *n, uint64_t record, struct content_frame *out)
{
	const char *name = clr_method_dynamic_name(n->names, record, n->arena, n->err);

	if (name && *name)
		out->text = out->full = arena_printf(n->arena, n->err, "dynamic method %s", name);
	return name && out->text;
}

bool
clr_frame_name_method(struct clr_frame_names *n, uint64_t record, struct content_frame *out)
{
	struct content_frame *kept = &n->kept[record / 8 % CLR_FRAME_NAMES_KEPT];
	struct content_frame named = {
		.text = "", .full = "", .type = "", .module = "", .record = record
	};
	struct clr_method method;
	bool is_good = true;

	if (record && kept->record == record) {
		named = *kept;
	} else if (record) {
		is_good = clr_method_of_record(n->names, record, &method, n->err)
			      ? name_declared(n, record, &method, &named)
			      : n->err->kind == ERROR_NONE && name_dynamic(n, record, &named);
		if (is_good)
			*kept = named;
	}
	out->text = named.text;
	out->full = named.full;
	out->type = named.type;
	out->module = named.module;
	out->record = record;
	return is_good;
}

bool
clr_frame_name_place(const struct clr_frame_names *n, struct content_frame *out)
{
	const struct memory *m = n->runtime->memory;
	const struct memory_mapping *mapping = memory_mapping_at(m, out->ip);

	out->type = "";
	out->module = mapping && mapping->flags & MEMORY_FILE ? mapping->name : "";
	if (mapping && *mapping->name)
		out->text =
		    arena_printf(n->arena, n->err, "%s + 0x%" PRIx64, file_base_name(mapping->name),
				 out->ip - memory_file_start(m, mapping));
	else
		out->text = arena_printf(n->arena, n->err, "0x%" PRIx64, out->ip);
	out->full = out->text;
	return out->text != NULL;
}
