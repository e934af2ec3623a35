#include "io/formats/foreign.h"
#include <string.h>

/* An object of the type "Trace" where a .gcdump has one of "GCHeapDump". */
enum { NETPERF_NAME_AT = 39 };
#define MACOS                                                                                      \
	"a core or a program of macOS, which heaptop does not read; there "                        \
	"make a heap dump with: dotnet-gcdump collect -p PID"

/* clang-format off */
static const struct {
	unsigned at; /* where it has these bytes */
	const char *bytes, *text;
} kinds[] = {
	{ 0, "\x1f\x8b",     "compressed with gzip: unpack it first: gzip -d FILE" },
	{ 0, "\x04\x22\x4d\x18", "compressed with lz4: unpack it first: lz4 -d FILE CORE" },
	{ 0, "\x02\x21\x4c\x18", "compressed with lz4: unpack it first: lz4 -d FILE CORE" },
	{ 0, "\xfd" "7zXZ",  "compressed with xz: unpack it first: xz -d FILE" },
	{ 0, "BZh",          "compressed with bzip2: unpack it first: bzip2 -d FILE" },
	{ 0, "PK\x03\x04",   "a zip archive: unpack it first: unzip FILE" },
	{ 0, "MDMP",         "a minidump of Windows, which heaptop does not read; on Windows make a heap dump with: dotnet-gcdump collect -p PID" },
	{ 0, "\xcf\xfa\xed\xfe", MACOS },
	{ 0, "\xce\xfa\xed\xfe", MACOS },
	{ 0, "\xca\xfe\xba\xbe", MACOS },
	{ NETPERF_NAME_AT, "Trace",        "a .netperf of .NET Core 2, which heaptop does not read; PerfView does; .NET Core 3 and later write a .nettrace: dotnet-trace collect -p PID" },
	{ 0, "JAVA PROFILE", "a heap dump of Java; for .NET processes: heaptop -l" },
	{ 0, "SQLite format 3", "a database of SQLite, which heaptop writes but does not read; sqlite3 FILE opens it" },
	{ 0, "MZ",           "a program or a library, not a dump; start it, and find it with: heaptop -l" },
	{ 0, "#!",           "a script, not a dump; for .NET processes: heaptop -l" },
};
/* clang-format on */

/*
 * A trace of Windows has no magic number. Its first buffer begins with the buffer's size, and at 72
 * is the header of a system event: u8 kind 1 or 2 at 74, then 0xc0.
 */
static bool
is_etl(const uint8_t *head, size_t len)
{
	enum { KIND_AT = 74, UNIT = 1024 };

	return len > KIND_AT + 1 && (head[0] | head[1] << 8) % UNIT == 0 && !head[3] &&
	       (head[1] || head[2]) && (head[KIND_AT] == 1 || head[KIND_AT] == 2) &&
	       head[KIND_AT + 1] == 0xc0;
}

const char *
foreign_name(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t bytes_len = strlen(kinds[i].bytes);

		if (kinds[i].at + bytes_len <= len &&
		    !memcmp(head + kinds[i].at, kinds[i].bytes, bytes_len))
			return kinds[i].text;
	}
	return is_etl(head, len)
		   ? "a trace of Windows (ETL), which heaptop does not read; PerfView opens it; "
		     "for a heap there: dotnet-gcdump collect -p PID"
		   : NULL;
}

bool
foreign_refuse(const uint8_t *head, size_t len, struct error *err)
{
	const char *name = foreign_name(head, len);

	if (name)
		return error_set(err, ERROR_INPUT, "%s", name);
	return error_set(err, ERROR_INPUT,
			 "%s; to save the heap of a process: heaptop -o FILE.gcdump PID",
			 len ? "neither a .gcdump nor a .nettrace nor a .heaptop nor a .gclog nor "
			       "a core: it does not begin like one"
			     : "the file is empty");
}
