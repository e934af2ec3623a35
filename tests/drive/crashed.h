#ifndef TESTS_DRIVE_CRASHED_H
#define TESTS_DRIVE_CRASHED_H

/*
 * Cores that the runtime writes of itself when it crashes: the reference program gets SIGSEGV, and
 * its handler runs on an alternate stack.
 */
#include <stdbool.h>
#include <stddef.h>

/* What DOTNET_DbgMiniDumpType says. */
enum crashed_kind { CRASHED_MINI = 1, CRASHED_HEAP, CRASHED_TRIAGE, CRASHED_FULL };

/*
 * Puts the path of such a core of .NET `version` ("8.0") into `path`; the caller removes it. False:
 * there is no program here; said and counted as skipped. What else fails fails the test.
 */
bool crashed_core(const char *version, enum crashed_kind kind, char *path, size_t size);

#endif
