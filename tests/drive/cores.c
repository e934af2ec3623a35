#include "tests/drive/cores.h"
#include "io/memory/core.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/heaps.h"
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { CORES_KEPT = 3 };
#define DISK_BYTES (UINT64_C(4) << 30) /* that must be free */

static const char *const server_segments[] = { "DOTNET_GCName=libclrgc.so", "DOTNET_gcServer=1",
					       "DOTNET_GCHeapCount=2", NULL };

/* clang-format off */
const struct core_setup core_setups[] = {
	{ ".NET 8.0",                   "8.0",  NULL,          CORE_HEAP, false, false },
	{ ".NET 8.0, server",           "8.0",  with_server,   CORE_HEAP, true,  false },
	{ ".NET 8.0, segments",         "8.0",  with_segments, CORE_HEAP, false, true },
	{ ".NET 8.0, single file",      "8.0-single", NULL, CORE_FULL, false, false },
	{ ".NET 9.0",                   "9.0",  NULL,          CORE_HEAP, false, false },
	{ ".NET 9.0, all of it",        "9.0",  NULL,          CORE_FULL, false, false },
	{ ".NET 9.0, server",           "9.0",  with_server,   CORE_HEAP, true,  false },
	{ ".NET 9.0, segments",         "9.0",  with_segments, CORE_HEAP, false, true },
	{ ".NET 9.0, single file",      "9.0-single", NULL, CORE_FULL, false, false },
	{ ".NET 10.0",                  "10.0", NULL,          CORE_HEAP, false, false },
	{ ".NET 10.0, all of it",       "10.0", NULL,          CORE_FULL, false, false },
	{ ".NET 10.0, server",          "10.0", with_server,   CORE_HEAP, true,  false },
	{ ".NET 10.0, segments",        "10.0", with_segments, CORE_HEAP, false, true },
	{ ".NET 10.0, server segments", "10.0", server_segments, CORE_HEAP, true, true },
	{ ".NET 10.0, single file",     "10.0-single", NULL, CORE_FULL, false, false },
	{ ".NET 10.0, by gdb",          "10.0", NULL,          CORE_GDB,  false, false },
	{ ".NET 11.0",                  "11.0", NULL,          CORE_HEAP, false, false },
	{ ".NET 11.0, all of it",       "11.0", NULL,          CORE_FULL, false, false },
	{ ".NET 11.0, server",          "11.0", with_server,   CORE_HEAP, true,  false },
	{ ".NET 11.0, server segments", "11.0", server_segments, CORE_HEAP, true, true },
	{ ".NET 11.0, single file",     "11.0-single", NULL, CORE_FULL, false, false },
	{ ".NET 11.0, by gdb",          "11.0", NULL,          CORE_GDB,  false, false },
	{ ".NET 8.0, by gdb",           "8.0",  NULL,          CORE_GDB,  false, false },
};
/* clang-format on */
const unsigned core_setups_count = COUNT_OF(core_setups);

static const char *const sections[] = { "heap",      "objects",  "types",         "refs",
					"segments",  "contexts", "handles",       "finalizers",
					"locks",     "tables",   "roots",         "threads",
					"modules",   "statics",  "threadstatics", "code",
					"frames",    "fields",   "elements",      "strings",
					"delegates", NULL };
enum { SECTIONS_BUT_VALUES = COUNT_OF(sections) - 5 };

static struct core kept[CORES_KEPT];
static unsigned next_kept;
static char folder[256]; /* "": none yet */

static void
forget(struct core *c)
{
	if (!c->setup)
		return;
	unlink(c->path);
	oracle_free((struct oracle *)(uintptr_t)c->oracle);
	memset(c, 0, sizeof(*c));
}

struct memory *
core_at(const char *path, const char *sysroot, struct error *err)
{
	struct memory *m;
	struct input in;

	if (!input_begin(&in, path, NULL, err))
		return NULL;
	m = core_open(&in, sysroot, NULL, err);
	input_close(&in);
	return m;
}

void
cores_clear(void)
{
	for (unsigned i = 0; i < CORES_KEPT; i++)
		forget(&kept[i]);
	if (folder[0])
		rmdir(folder);
	folder[0] = '\0';
}

/* What a test program left that was killed. */
static void
remove_old(void)
{
	char command[400];

	snprintf(command, sizeof(command),
		 "find '%.200s' -maxdepth 1 -name 'cores.*' -mmin +60 "
		 "-exec rm -rf {} + 2>/dev/null",
		 targets_folder());
	if (system(command))
		return;
}

/* On a real disk, which /tmp may not be. */
static bool
has_room(void)
{
	struct statvfs disk;

	if (!folder[0]) {
		remove_old();
		snprintf(folder, sizeof(folder), "%.200s/cores.XXXXXX", targets_folder());
		if (!mkdtemp(folder)) {
			folder[0] = '\0';
			return false;
		}
		atexit(cores_clear);
	}
	return !statvfs(folder, &disk) && disk.f_bavail * (uint64_t)disk.f_frsize >= DISK_BYTES;
}

static bool
is_skipped(const struct core_setup *s)
{
	if (!target_exists(s->version)) {
		printf("skipped: no program for %s\n", s->name);
		return true;
	}
	if (s->writer == CORE_GDB && system("command -v gcore >/dev/null 2>&1")) {
		printf("skipped: no gdb for %s\n", s->name);
		return true;
	}
	if (!has_room()) {
		printf("skipped: the disk is too full for cores\n");
		return true;
	}
	return false;
}

static bool
write_core(struct core *c)
{
	static const char *const options[] = {
		[CORE_HEAP] = "-h", [CORE_FULL] = "-u", [CORE_MINI] = "-n", [CORE_TRIAGE] = "-t"
	};
	const struct core_setup *s = c->setup;
	char command[1024];

	if (s->writer == CORE_GDB)
		snprintf(command, sizeof(command),
			 "gcore -o %.280s/gdb %d >/dev/null 2>&1 && mv %.280s/gdb.%d %.300s",
			 folder, c->pid, folder, c->pid, c->path);
	else
		snprintf(command, sizeof(command),
			 "%.200s/leaky-%.*s/createdump -f %.300s %s %d >/dev/null 2>&1",
			 targets_folder(), (int)strcspn(s->version, "-"), s->version, c->path,
			 options[s->writer], c->pid);
	fflush(NULL);
	return !system(command);
}

static const struct oracle *
ask(const struct core *c, const char *where)
{
	const char *asked[COUNT_OF(sections)];

	if (!oracle_exists())
		return NULL;
	memcpy(asked, sections, sizeof(sections));
	if (!core_has_values(c->setup))
		asked[SECTIONS_BUT_VALUES] = NULL;
	return oracle_ask(where, c->setup->version, asked);
}

static void
make_core(struct core *c, const struct core_setup *s, bool is_judged)
{
	struct target *t = target_start(s->version, TARGET_HERE, NULL, s->variables);
	char pid[16];

	c->setup = s;
	c->pid = target_pid(t);
	snprintf(c->path, sizeof(c->path), "%.250s/core.%d", folder, c->pid);
	snprintf(pid, sizeof(pid), "%d", c->pid);
	if (s->writer == CORE_GDB && is_judged)
		c->oracle = ask(c, pid);
	if (!write_core(c))
		fail_msg("%s: no core could be written", s->name);
	target_free(t);
}

/* Returns the kept one, or makes one in place of the oldest. */
static struct core *
find_core(const struct core_setup *setup, bool is_judged)
{
	struct core *c = &kept[next_kept];

	for (unsigned i = 0; i < CORES_KEPT; i++)
		if (kept[i].setup == setup)
			return &kept[i];
	if (is_skipped(setup))
		return NULL;
	next_kept = (next_kept + 1) % CORES_KEPT;
	forget(c);
	make_core(c, setup, is_judged);
	return c;
}

const struct core *
core_of(const struct core_setup *setup)
{
	return find_core(setup, false);
}

const struct core *
core_judged(const struct core_setup *setup)
{
	struct core *c = find_core(setup, true);

	if (c && !c->oracle && setup->writer != CORE_GDB)
		c->oracle = ask(c, c->path);
	return c;
}

const struct heap *
core_samples(const struct core_setup *setup, const char **hook, const struct core **core)
{
	struct error err = { 0 };
	const struct heap *h;

	*hook = target_samples();
	if (!target_exists(setup->version) || !*hook) {
		printf("skipped: no program for %s\n", setup->name);
		return NULL;
	}
	*core = core_of(setup);
	if (!*core)
		return NULL;
	h = heap_at((*core)->path, LOAD_ALL, &err);
	if (!h)
		fail_msg("%s: %s", setup->name, err.message);
	return h;
}

bool
core_is_one_of_each(const void *row)
{
	const struct core_setup *setup = row;

	return !strcmp(setup->name, ".NET 8.0") || !strcmp(setup->name, ".NET 9.0, segments") ||
	       !strcmp(setup->name, ".NET 10.0, server");
}

/* The place of objects makes no difference: one with several heaps is enough.
 */
bool
core_has_values(const void *row)
{
	const struct core_setup *s = row;

	return s->writer != CORE_GDB && !s->has_segments &&
	       (!s->is_server || !strcmp(s->version, "10.0"));
}
