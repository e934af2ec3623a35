#include "capture/process/process.h"
#include "model/base/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
compare_processes(const void *a, const void *b)
{
	const struct process *one = a, *other = b;
	int names = strcmp(one->name, other->name);

	if (names)
		return names;
	return one->pid < other->pid ? -1 : one->pid > other->pid;
}

static bool
list_fill(struct process_list *list, struct proc_walk *walk, const char *proc, struct error *err)
{
	size_t room = 0;
	int32_t pid;

	while (proc_walk_next(walk, &pid)) {
		struct error gone;

		error_clear(&gone);
		if (!MAKE_ROOM(list->processes, list->count + 1, room, err))
			return false;
		if (pid != getpid() &&
		    process_look(&list->processes[list->count], proc, pid, &gone) &&
		    list->processes[list->count].dotnet == DOTNET_YES)
			list->count++;
	}
	return true;
}

/*
 * A process whose files cannot be opened looks like one without .NET. Opens as many files as
 * looking at a process takes, so that too low a limit of open files becomes an error instead of an
 * empty list.
 */
static bool
has_files_left(struct error *err)
{
	enum { FILES_A_PROCESS = 6 };
	int files[FILES_A_PROCESS], count = 0, errnum = 0;

	while (count < FILES_A_PROCESS && !errnum) {
		files[count] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (files[count] < 0)
			errnum = errno;
		else
			count++;
	}
	while (count)
		close(files[--count]);
	return (errnum != EMFILE && errnum != ENFILE) ||
	       error_sys(err, errnum, "cannot look at the processes");
}

bool
process_list(struct process_list *list, const char *proc, struct error *err)
{
	struct proc_walk walk;
	bool is_full;

	*list = (struct process_list){ 0 };
	if (!has_files_left(err) || !proc_walk_open(&walk, proc, err))
		return false;
	is_full = list_fill(list, &walk, proc, err);
	proc_walk_close(&walk);
	if (!is_full)
		process_list_clear(list);
	else if (list->count)
		qsort(list->processes, list->count, sizeof(*list->processes), compare_processes);
	return is_full;
}

void
process_list_clear(struct process_list *list)
{
	memory_free(list->processes);
	*list = (struct process_list){ 0 };
}
