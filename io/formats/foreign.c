#include "io/formats/foreign.h"
#include <string.h>

/* clang-format off */
static const struct {
	const char *begins, *text;
} kinds[] = {
	{ "\x1f\x8b",     "compressed with gzip: unpack it first: gzip -d FILE" },
	{ "\xfd" "7zXZ",  "compressed with xz: unpack it first: xz -d FILE" },
	{ "BZh",          "compressed with bzip2: unpack it first: bzip2 -d FILE" },
	{ "PK\x03\x04",   "a zip archive: unpack it first: unzip FILE" },
	{ "MDMP",         "a minidump of Windows, which heaptop does not read; on Windows make a heap dump with: dotnet-gcdump collect -p PID" },
	{ "JAVA PROFILE", "a heap dump of Java; for .NET processes: heaptop -l" },
	{ "MZ",           "a program or a library, not a dump; start it, and find it with: heaptop -l" },
	{ "#!",           "a script, not a dump; for .NET processes: heaptop -l" },
};
/* clang-format on */

bool
foreign_refuse(const uint8_t *head, size_t len, struct error *err)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t begins_len = strlen(kinds[i].begins);

		if (begins_len <= len &&
		    !memcmp(head, kinds[i].begins, begins_len))
			return error_set(err, ERROR_INPUT, "%s", kinds[i].text);
	}
	return error_set(err, ERROR_INPUT,
			 "%s; to save the heap of a process: heaptop -o "
			 "FILE.gcdump PID",
			 len ? "neither a .gcdump nor a .nettrace nor a "
			       ".heaptop nor a .gclog nor a core: it does not "
			       "begin like one"
			     : "the file is empty");
}
