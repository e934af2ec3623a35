#include "io/runtime/continuations.h"
#include "io/runtime/code.h"
#include "io/runtime/enums.h"
#include "io/runtime/methods.h"
#include <inttypes.h>

static const char raw_name[] = "System.Runtime.CompilerServices.Continuation";

/* The compiler replaces dots in the names of state machines, which the names of explicit
 * implementations of an interface have. */
static const char *
machine_name(const char *method, struct arena *a, struct error *err)
{
	char *text = arena_strndup(a, method, strlen(method), err);

	for (char *at = text; at && *at; at++)
		if (*at == '.')
			*at = '-';
	return text;
}

/* The row in the metadata tells methods of one name apart, as the numbers of state machines do. */
static bool
write_name(const struct clr_names *n, const struct clr_method *method, uint64_t record,
	   struct arena *a, const char **name, struct error *err)
{
	unsigned flags;
	const char *arguments = clr_method_arguments(n, record, a, err);
	const char *class = clr_name_of(n, method->table, a, &flags, err);
	const char *machine = machine_name(method->name, a, err);

	*name = class && machine && arguments
		    ? arena_printf(a, err, "%s<%s+<%s>d__%" PRIu32 "%s>", raw_name, class, machine,
				   method->row, arguments)
		    : NULL;
	return *name != NULL;
}

bool
clr_continuation_name(const struct clr_names *n, const struct clr_runtime *rt, uint64_t resume_info,
		      struct arena *a, const char **name, const char **module, struct error *err)
{
	const struct clr_module *of;
	struct clr_method method;
	struct clr_code code;
	uint64_t address;

	*name = NULL;
	if (!clr_u64(n->layout, n->reader, resume_info, CLR_RESUME_CODE, &address) ||
	    !clr_code_find(rt, n->reader, address, &code) ||
	    !clr_method_of_record(n, code.record, &method, err))
		return err->kind == ERROR_NONE;
	of = clr_modules_find(n->modules, clr_name_module(n, method.table), err);
	if (!of)
		return false;
	*module = of->path;
	return write_name(n, &method, code.record, a, name, err);
}

/* --- words of the data --- */

/* The word that a group of bits of the flags tells; UINT32_MAX: none. */
static uint32_t
word_of(const struct clr_names *n, uint64_t table, uint32_t flags, const char *first_name,
	const char *count_name)
{
	uint64_t first, count, place;

	if (!clr_enum_constant(n, table, first_name, &first) || first >= 32 ||
	    !clr_enum_constant(n, table, count_name, &count) || count > 32)
		return UINT32_MAX;
	place = flags >> first & ((UINT64_C(1) << count) - 1);
	return (uint32_t)place - 1;
}

const char *
clr_continuation_slot(const struct clr_names *n, uint64_t table, uint32_t flags, uint32_t word)
{
	static const struct {
		const char *first, *count, *name;
	} slots[] = {
		{ "ExecutionContextIndexFirstBit", "ExecutionContextIndexNumBits",
		  "execution context" },
		{ "ContinuationContextIndexFirstBit", "ContinuationContextIndexNumBits",
		  "context to continue on" },
		{ "ExceptionIndexFirstBit", "ExceptionIndexNumBits", "exception" },
		{ "ResultIndexFirstBit", "ResultIndexNumBits", "result" },
	};

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		if (word_of(n, table, flags, slots[i].first, slots[i].count) == word)
			return slots[i].name;
	return NULL;
}
