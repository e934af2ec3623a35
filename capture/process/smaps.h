#ifndef CAPTURE_PROCESS_SMAPS_H
#define CAPTURE_PROCESS_SMAPS_H

/*
 * The mappings of a process with their resident memory, from /proc/PID/smaps. The kernel walks the
 * page tables for that: about 15 ms per GiB, during which the process cannot map memory, but
 * otherwise runs. Reading shows no progress and cannot be cancelled: 3 s if 200 GiB are resident.
 */
#include "io/memory/mapping_use.h"
#include "model/base/arena.h"
#include <stdio.h>

struct smaps {
	struct mapping_list list; /* complete after smaps_read() */
	size_t room;              /* of list.items */
	struct arena names;
	/* The next lines "Rss:" and so on describe the last mapping in the list: its head was
	   understood, and it was not left out. */
	bool is_detail;
};

/*
 * Reads all of it, the sums in /proc/PID/status and the cgroup's. If smaps may not be read, or only
 * in part, list.known has the sums alone (RESIDENT_SUMS), or nothing if the process has ended.
 * False sets `err`: memory ran out. Clear it in any case.
 */
bool smaps_read(struct smaps *s, const char *proc, const char *cgroups, int32_t pid,
		struct error *err) MUST_USE;
/* Parses text as in that file. Lines that are not understood are skipped, as are mappings out of
 * order. */
bool smaps_parse(struct smaps *s, const char *text, size_t len, struct error *err) MUST_USE;
/* Parses an open file of such text. If a read fails, the list is empty: a part of the mappings says
   nothing about the others. */
bool smaps_parse_file(struct smaps *s, FILE *file, struct error *err) MUST_USE;
void smaps_clear(struct smaps *s);

#endif
