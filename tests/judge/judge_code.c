#include "tests/judge/judge_code.h"
#include "io/runtime/code.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

struct counts {
	unsigned precompiled, jitted, nothing; /* the same */
	unsigned absent;                       /* missing in the core */
};

static void
compare(const char *what, const struct clr_runtime *rt, uint64_t address, uint64_t record,
	bool is_sure, struct counts *counts)
{
	struct clr_code c;
	bool is_found = clr_code_find(rt, rt->reader, address, &c);

	if (!is_found && is_sure && rt->memory->is_dump && strstr(c.why, "not in memory")) {
		counts->absent++;
		return;
	}
	if (c.record != record && (is_sure || is_found))
		fail_msg("%s: the method at %" PRIx64 " is %" PRIx64 ", not %" PRIx64 ": %s", what,
			 address, record, c.record, c.why ? c.why : "found");
	counts->nothing += !is_found;
	counts->precompiled += is_found && c.kind == CLR_CODE_PRECOMPILED;
	counts->jitted += is_found && c.kind == CLR_CODE_JITTED;
}

void
judge_code(const char *what, const struct oracle *o, const struct memory *m)
{
	struct counts counts = { 0 };
	struct clr_runtime *rt;
	struct oracle_line line;
	struct error err = { 0 };
	const char *at = NULL;

	rt = clr_runtime_open(m, &err);
	if (!rt)
		fail_msg("%s: %s", what, err.message);
	while (oracle_next(o, "code", &at, &line))
		compare(what, rt, oracle_hex(&line, 0), oracle_hex(&line, 1),
			oracle_is(&line, 2, "1"), &counts);
	printf("%s: of code addresses %u precompiled, %u compiled at run time, %u in no method: no "
	       "difference; %u missing in the core\n",
	       what, counts.precompiled, counts.jitted, counts.nothing, counts.absent);
	assert_true(counts.jitted > 0);
	clr_runtime_close(rt);
}
