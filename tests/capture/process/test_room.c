/*
 * How much memory and time a process has left: limits of its groups and its own, and the load of
 * the machine. All of it in made-up /proc folders.
 */
#include "capture/process/process.h"
#include "capture/process/room.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_process.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *what, *cgroup;
	struct { /* in the folder of the groups */
		const char *name, *text;
	} files[5];
	uint64_t limit, used, headroom;
	enum cgroup_cache cache;
	const char *name; /* of the limit; NULL: not looked at */
	bool is_hidden;
} groups[] = {
	{ "v2, the parent is tighter",
	  "0::/a/b\n",
	  { { "a/b/memory.max", "1000000\n" },
	    { "a/b/memory.current", "200000\n" },
	    { "a/memory.max", "500000\n" },
	    { "a/memory.current", "400000\n" },
	    { "a/memory.stat", "anon 1\ninactive_file 100000\n" } },
	  500000,
	  300000,
	  200000,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "v2, no limit",
	  "0::/a\n",
	  { { "a/memory.max", "max\n" }, { "a/memory.current", "5\n" } },
	  0,
	  0,
	  64000 * 1024,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "v1, names from outside the container",
	  "3:cpu:/x\n4:memory:/docker/abc\n0::/\n",
	  { { "memory/memory.limit_in_bytes", "3000000\n" },
	    { "memory/memory.usage_in_bytes", "1000000\n" } },
	  3000000,
	  1000000,
	  2000000,
	  CGROUP_CACHE_FREE,
	  NULL,
	  true },
	{ "v1, no limit",
	  "4:memory:/a\n",
	  { { "memory/a/memory.limit_in_bytes", "9223372036854771712\n" },
	    { "memory/a/memory.usage_in_bytes", "1\n" } },
	  0,
	  0,
	  64000 * 1024,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "half of the file cache that is clean and not mapped",
	  "0::/a\n",
	  { { "a/memory.max", "1000000\n" },
	    { "a/memory.current", "600000\n" },
	    { "a/memory.stat", "file_mapped 10000\nfile_dirty 20000\nfile_writeback 30000\n"
			       "inactive_file 100000\nactive_file 160000\n" } },
	  1000000,
	  500000,
	  500000,
	  CGROUP_CACHE_HALF,
	  "memory.max",
	  false },
	{ "all of it is busy",
	  "4:memory:/a\n",
	  { { "memory/a/memory.limit_in_bytes", "1000000\n" },
	    { "memory/a/memory.usage_in_bytes", "600000\n" },
	    { "memory/a/memory.stat", "total_mapped_file 90000\ntotal_dirty 90000\n"
				      "total_inactive_file 100000\n" } },
	  1000000,
	  600000,
	  400000,
	  CGROUP_CACHE_HALF,
	  "memory.limit_in_bytes",
	  false },
	{ "v2, it is made to wait before it is killed",
	  "0::/a/b\n",
	  { { "a/b/memory.max", "1000000\n" },
	    { "a/b/memory.high", "700000\n" },
	    { "a/b/memory.current", "600000\n" } },
	  700000,
	  600000,
	  100000,
	  CGROUP_CACHE_HALF,
	  "memory.high",
	  false },
	{ "v1, with what is swapped",
	  "4:memory:/a\n",
	  { { "memory/a/memory.limit_in_bytes", "1000000\n" },
	    { "memory/a/memory.usage_in_bytes", "400000\n" },
	    { "memory/a/memory.memsw.limit_in_bytes", "1100000\n" },
	    { "memory/a/memory.memsw.usage_in_bytes", "900000\n" } },
	  1100000,
	  900000,
	  200000,
	  CGROUP_CACHE_HALF,
	  "memory.memsw.limit_in_bytes",
	  false },
	{ "v1, the group above the one above",
	  "4:memory:/a/b/c\n",
	  { { "memory/a/b/c/memory.limit_in_bytes", "900000\n" },
	    { "memory/a/b/c/memory.usage_in_bytes", "1000\n" },
	    { "memory/a/memory.limit_in_bytes", "950000\n" },
	    { "memory/a/memory.usage_in_bytes", "800000\n" } },
	  950000,
	  800000,
	  150000,
	  CGROUP_CACHE_HALF,
	  "memory.limit_in_bytes",
	  false },
	{ "v2, of another container",
	  "0::/../abc\n",
	  { { "memory.max", "1000000\n" }, { "memory.current", "2\n" } },
	  1000000,
	  2,
	  999998,
	  CGROUP_CACHE_HALF,
	  NULL,
	  true },
	{ "v2, a name from outside",
	  "0::/docker/abc\n",
	  { { "memory.max", "max\n" } },
	  0,
	  0,
	  64000 * 1024,
	  CGROUP_CACHE_HALF,
	  NULL,
	  true },
	{ "v2, of another container, as it sees itself",
	  "0::/../abc\n",
	  { { "sys/fs/cgroup/memory.max", "500000\n" },
	    { "sys/fs/cgroup/memory.current", "100000\n" },
	    { "sys/fs/cgroup/memory.stat", "anon 1\n" },
	    { "memory.max", "1000\n" } },
	  500000,
	  100000,
	  400000,
	  CGROUP_CACHE_HALF,
	  "memory.max",
	  false },
	{ "used beyond the limit",
	  "0::/\n",
	  { { "memory.max", "1000\n" }, { "memory.current", "2000\n" } },
	  1000,
	  2000,
	  0,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "more allowed than there is",
	  "0::/\n",
	  { { "memory.max", "900000000\n" }, { "memory.current", "1000\n" } },
	  900000000,
	  1000,
	  64000 * 1024,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
};

TEST(measures_headroom)
{
	for (size_t i = 0; i < COUNT_OF(groups); i++) {
		struct made_process m = { .cgroup = groups[i].cgroup };
		struct cgroup_memory memory;

		made_process_begin(&m);
		made_file("MemAvailable:   64000 kB\n", "proc/meminfo");
		made_folder("root/a/b");
		made_folder("root/memory/a/b/c");
		made_folder("root/sys/fs/cgroup");
		for (int k = 0; k < 5 && groups[i].files[k].name; k++) {
			made_file(groups[i].files[k].text, "root/%s", groups[i].files[k].name);
		}
		cgroup_memory(&memory, made_proc(), made_root(), MADE_PID, groups[i].cache);
		made_process_end();
		if (memory.is_hidden != groups[i].is_hidden ||
		    (groups[i].name && strcmp(memory.limit, groups[i].name) != 0) ||
		    memory.limit_bytes != groups[i].limit || memory.used_bytes != groups[i].used ||
		    memory.headroom_bytes != groups[i].headroom)
			fail_msg("%s: %" PRIu64 " %" PRIu64 " %" PRIu64, groups[i].what,
				 memory.limit_bytes, memory.used_bytes, memory.headroom_bytes);
	}
}

/* What we take is taken from the same room, or it is not. */
static const struct {
	const char *ours; /* group; that of the process is /a/b */
	const char *limited;
	bool is_shared;
} shares[] = {
	{ "0::/a/b\n", "root/a/b", true },     { "0::/a/b/c\n", "root/a/b", true },
	{ "0::/a\n", "root/a/b", false },      { "0::/a/bc\n", "root/a/b", false },
	{ "0::/a/x\n", "root/a", true },       { "0::/x\n", "root/a", false },
	{ "4:cpu:/a/b\n", "root/a/b", false },
};

TEST(knows_whose_room_it_is)
{
	for (size_t i = 0; i < COUNT_OF(shares); i++) {
		struct made_process m = { .cgroup = "0::/a/b\n" };
		struct cgroup_memory memory;

		made_process_begin(&m);
		made_file("MemAvailable:   64000 kB\n", "proc/meminfo");
		made_folder("proc/%d", getpid());
		made_file(shares[i].ours, "proc/%d/cgroup", getpid());
		made_folder("root/a/b/c");
		made_folder("root/a/bc");
		made_folder("root/a/x");
		made_folder("root/x");
		made_file("1000000\n", "%s/memory.max", shares[i].limited);
		made_file("1000\n", "%s/memory.current", shares[i].limited);
		cgroup_memory(&memory, made_proc(), made_root(), MADE_PID, CGROUP_CACHE_HALF);
		made_process_end();
		if (memory.is_shared != shares[i].is_shared)
			fail_msg("%s: %d", shares[i].ours, memory.is_shared);
	}
}

/* Its own limits, of which unlimited ones are none. */
static const struct {
	const char *limits, *status;
	uint64_t limit, headroom_mb;
	const char *name;
} own[] = {
	{ "", "", 0, 4096, "" },
	{ "Limit                     Soft Limit           Hard Limit\n"
	  "Max data size             unlimited            unlimited  bytes\n"
	  "Max address space         unlimited            unlimited  bytes\n",
	  "VmSize:\t 1024000 kB\nVmData:\t 512000 kB\n", 0, 4096, "" },
	{ "Max data size             629145600            unlimited  bytes\n",
	  "VmData:\t  512000 kB\n", 629145600, 100, "RLIMIT_DATA" },
	{ "Max data size             1                    unlimited  bytes\n",
	  "VmData:\t  512000 kB\n", 1, 0, "RLIMIT_DATA" },
	/* A walk takes addresses that no memory is behind. */
	{ "Max data size             1073741824           unlimited  bytes\n"
	  "Max address space         2147483648           unlimited  bytes\n",
	  "VmSize:\t 1536000 kB\nVmData:\t  102400 kB\n", UINT64_C(2147483648), 404, "RLIMIT_AS" },
};

TEST(knows_its_own_limits)
{
	for (size_t i = 0; i < COUNT_OF(own); i++) {
		struct made_process m = { 0 };
		struct live_room room;

		made_process_begin(&m);
		made_file("MemAvailable: 4194304 kB\n", "proc/meminfo");
		made_process_file("limits", own[i].limits);
		made_process_file("status", own[i].status);
		room_of_target(&room, made_proc(), made_root(), MADE_PID);
		made_process_end();
		assert_string_equal(room.limit, own[i].name);
		assert_int_equal(room.limit_bytes, own[i].limit);
		assert_int_equal(room.headroom_bytes >> 20, own[i].headroom_mb);
	}
}

/* A full group leaves nothing, however much its own limits allow. */
TEST(no_room_is_the_least_room)
{
	struct made_process m = { .cgroup = "0::/a\n" };
	struct live_room room;

	made_process_begin(&m);
	made_file("1000\n", "root/a/memory.max");
	made_file("2000\n", "root/a/memory.current");
	made_process_file("limits", "Max data size   629145600   1   bytes\n");
	made_process_file("status", "VmData:\t  512 kB\n");
	room_of_target(&room, made_proc(), made_root(), MADE_PID);
	made_process_end();
	assert_int_equal(room.headroom_bytes, 0);
	assert_string_equal(room.limit, "memory.max of its cgroup");
}

static const struct {
	const char *loadavg;
	uint32_t threads;
} loads[] = {
	{ "17.49 21.06 22.56 6/193 30034\n", 17 },
	{ "17.50 21.06 22.56 6/193 30034\n", 18 },
	/* It has begun just now; one of them is who reads this. */
	{ "0.20 0.06 0.01 9/193 30034\n", 8 },
	{ "0.00 0.00 0.00 1/193 30034\n", 0 },
	{ "99999999999 0 0 1/1 1\n", UINT32_MAX },
	{ "17.9", 18 },
	{ "/", 0 },
	{ "", 0 },
};

TEST(reads_the_load)
{
	struct made_process m = { 0 };

	made_process_begin(&m);
	assert_int_equal(proc_load(made_proc()), 0);
	for (size_t i = 0; i < COUNT_OF(loads); i++) {
		made_file(loads[i].loadavg, "proc/loadavg");
		if (proc_load(made_proc()) != loads[i].threads)
			fail_msg("%s: %" PRIu32, loads[i].loadavg, proc_load(made_proc()));
	}
	made_process_end();
}

#define STAT(periods, throttled) "nr_periods " periods "\nnr_throttled " throttled "\n"

static const struct {
	const char *cgroup, *file, *text;
	uint32_t percent;
} limits[] = {
	{ "0::/a/b\n", "a/b/cpu.stat", STAT("1000", "340"), 34 },
	{ "0::/a/b\n", "a/cpu.stat", "usage_usec 5\n" STAT("1000", "1"), 1 },
	{ "0::/a/b\n", "a/cpu.stat", STAT("0", "0"), 0 },
	{ "0::/a/b\n", "a/cpu.stat", STAT("3", "4"), 100 },
	{ "0::/a/b\n", "a/cpu.stat", STAT("3", "18446744073709551615"), 100 },
	{ "0::/a/b\n", "b/cpu.stat", STAT("3", "3"), 0 },
	{ "3:cpuset:/b\n2:cpu,cpuacct:/a\n0::/\n", "cpu/a/cpu.stat", STAT("10", "5"), 50 },
	{ "2:cpuacct:/a\n0::/\n", "cpu/a/cpu.stat", STAT("10", "5"), 0 },
};

TEST(reads_cpu_limits)
{
	static const char *const folders[] = { "root/a/b", "root/b", "root/cpu/a" };

	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		struct made_process m = { .cgroup = limits[i].cgroup };
		uint32_t percent;

		made_process_begin(&m);
		for (size_t k = 0; k < COUNT_OF(folders); k++)
			made_folder("%s", folders[k]);
		made_file(limits[i].text, "root/%s", limits[i].file);
		percent = cgroup_throttled(made_proc(), made_root(), MADE_PID);
		made_process_end();
		if (percent != limits[i].percent)
			fail_msg("%zu: %" PRIu32, i, percent);
	}
}
