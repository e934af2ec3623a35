/*
 * The method of a code address, in code that is made up, whole and damaged.
 */
#include "tests/made/made_code.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

#define NOTHING "no managed code is there"
#define STUB    "the runtime generated the code there"
#define UNKNOWN "the runtime has no method for the precompiled code there"

enum { NO_METHOD = -1 };

static const struct address {
	uint64_t address;
	enum clr_code_kind kind;
	int method; /* enum made_method, or NO_METHOD */
	uint64_t offset;
	const char *why;
} addresses[] = {
	/* clang-format off */
	{ MADE_JITTED + 0xff,     CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x100,    CLR_CODE_JITTED, MADE_SHORT, 0, NULL },
	{ MADE_JITTED + 0x17f,    CLR_CODE_JITTED, MADE_SHORT, 0x7f, NULL },
	{ MADE_JITTED + 0x19f,    CLR_CODE_JITTED, MADE_SHORT, 0x9f, NULL },
	{ MADE_JITTED + 0x1a0,    CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x1c3,    CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x1c4,    CLR_CODE_JITTED, MADE_LONG,  0, NULL },
	{ MADE_JITTED + 0x1e0,    CLR_CODE_JITTED, MADE_LONG,  0x1c, NULL },
	{ MADE_JITTED + 0x200,    CLR_CODE_JITTED, MADE_LONG,  0x3c, NULL },
	{ MADE_JITTED + 0x11c3,   CLR_CODE_JITTED, MADE_LONG,  0xfff, NULL },
	{ MADE_JITTED + 0x11c4,   CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x1240,   CLR_CODE_STUB,   NO_METHOD,  0, STUB },
	{ MADE_JITTED + 0x1f000,  CLR_CODE_STUB,   NO_METHOD,  0, STUB },
	{ MADE_STUBS + 8,         CLR_CODE_STUB,   NO_METHOD,  0, STUB },
	{ MADE_COMPILED,          CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_COMPILED + 0x1000, CLR_CODE_PRECOMPILED, MADE_CALLED, 0, NULL },
	{ MADE_COMPILED + 0x10ff, CLR_CODE_PRECOMPILED, MADE_CALLED, 0xff, NULL },
	{ MADE_COMPILED + 0x113f, CLR_CODE_PRECOMPILED, MADE_CALLED, 0x13f, NULL },
	{ MADE_COMPILED + 0x1140, CLR_CODE_PRECOMPILED, NO_METHOD, 0, UNKNOWN },
	{ MADE_COMPILED + 0x1180, CLR_CODE_PRECOMPILED, MADE_OTHER, 0, NULL },
	{ MADE_COMPILED + 0x11ff, CLR_CODE_PRECOMPILED, MADE_OTHER, 0x7f, NULL },
	{ MADE_COMPILED + 0x1200, CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_COMPILED + 0x1300, CLR_CODE_PRECOMPILED, MADE_OTHER, 0x80, NULL },
	{ MADE_COMPILED + 0x1340, CLR_CODE_PRECOMPILED, MADE_OTHER, 0xc0, NULL },
	{ MADE_COMPILED + 0x1360, CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_COMPILED + 0x20000, CLR_CODE_NONE,  NO_METHOD,  0, NOTHING },
	{ 0,                      CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ UINT64_MAX,             CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x100 + (UINT64_C(1) << 57), CLR_CODE_NONE, NO_METHOD, 0, NOTHING },
	/* clang-format on */
};

static void
check_address(struct made_code *code, const struct address *a)
{
	bool is_known = a->method != NO_METHOD;
	uint64_t record = is_known ? MADE_RECORD(a->method) : 0;
	uint64_t image = a->kind == CLR_CODE_PRECOMPILED ? MADE_COMPILED : 0;
	struct clr_code c;

	if (made_code_find(code, a->address, &c) != is_known ||
	    c.kind != a->kind || c.record != record ||
	    (is_known && c.image != image) ||
	    (is_known ? c.start + c.offset != a->address &&
			    a->address < MADE_COMPILED + 0x1300
		      : strcmp(c.why, a->why) != 0) ||
	    (is_known && (c.offset != a->offset || c.why)))
		fail_msg("%" PRIx64 ": kind %d, method %" PRIx64 " + %" PRIx64
			 ": %s",
			 a->address, (int)c.kind, c.record, c.offset,
			 c.why ? c.why : "found");
}

TEST(finds_methods)
{
	for (int version = 8; version <= 10; version++) {
		struct made_code *code = made_code_new(version);

		for (size_t i = 0; i < COUNT_OF(addresses); i++)
			check_address(code, &addresses[i]);
		made_code_free(code);
	}
}
