#include "tui/base/places.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef SHARE_FOLDER
#define SHARE_FOLDER "/usr/local/share/heaptop"
#endif
#define SYSTEM_FOLDER "/etc/heaptop"

static bool
put(char out[PLACE_BYTES], const char *folder, const char *middle, const char *name)
{
	int len = snprintf(out, PLACE_BYTES, "%s%s%s", folder, middle, name);

	if (len >= 0 && len < PLACE_BYTES)
		return true;
	out[0] = '\0';
	return false;
}

/* XDG requires relative paths to be ignored. */
static const char *
folder_of(const char *variable)
{
	const char *folder = getenv(variable);

	return folder && folder[0] == '/' ? folder : NULL;
}

static bool
put_xdg(const char *variable, const char *in_home, const char *name, char out[PLACE_BYTES])
{
	const char *folder = folder_of(variable), *home = folder_of("HOME");

	out[0] = '\0';
	if (folder)
		return put(out, folder, "/heaptop/", name);
	return home && put(out, home, in_home, name);
}

bool
place_of_system(const char *name, char out[PLACE_BYTES])
{
	return put(out, SYSTEM_FOLDER, "/", name);
}

bool
place_of_config(const char *name, char out[PLACE_BYTES])
{
	return put_xdg("XDG_CONFIG_HOME", "/.config/heaptop/", name, out);
}

bool
place_of_state(const char *name, char out[PLACE_BYTES])
{
	return put_xdg("XDG_STATE_HOME", "/.local/state/heaptop/", name, out);
}

bool
place_of_share(const char *name, char out[PLACE_BYTES])
{
	return put(out, SHARE_FOLDER, "/", name);
}

/* A path relative to the folder of the running program. */
static bool
put_beside_program(const char *folder, const char *name, char out[PLACE_BYTES])
{
	char program[PLACE_BYTES];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
	char *slash;

	program[len > 0 ? len : 0] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return put(out, program, folder, name);
}

bool
place_of_program(const char *machine, char out[PLACE_BYTES])
{
	struct utsname here;
	char name[64];

	/* In the build folder, the program of this machine. */
	if (!uname(&here) && !strcmp(here.machine, machine) &&
	    put_beside_program("", "heaptop-static", out) && !access(out, R_OK))
		return true;
	snprintf(name, sizeof name, "heaptop-%s", machine);
	return (put_beside_program("", name, out) && !access(out, R_OK)) ||
	       (put_beside_program("../libexec/heaptop/", name, out) && !access(out, R_OK));
}

static bool
place_of_editrc(char out[PLACE_BYTES])
{
	const char *file = getenv("EDITRC"), *home = folder_of("HOME");

	if (file)
		return put(out, file, "", "");
	out[0] = '\0';
	return home && put(out, home, "/.editrc", "");
}

/* FOLDER/x/xterm, or FOLDER/78/xterm on case-insensitive file systems. */
static bool
is_terminfo_in(const char *folder, const char *type, char out[PLACE_BYTES])
{
	char letter[2] = { type[0], '\0' }, hex[3];
	const char *const middles[] = { letter, hex };

	snprintf(hex, sizeof hex, "%02x", (unsigned)(unsigned char)type[0]);
	for (int i = 0; i < 2; i++) {
		int len = snprintf(out, PLACE_BYTES, "%s/%s/%s", folder, middles[i], type);

		if (len > 0 && len < PLACE_BYTES && access(out, R_OK) == 0)
			return true;
	}
	out[0] = '\0';
	return false;
}

/* The terminfo entry of this type; false: there is none. */
static bool
place_of_terminfo(const char *type, char out[PLACE_BYTES])
{
	static const char *const folders[] = { "/etc/terminfo", "/lib/terminfo",
					       "/usr/share/terminfo", "/usr/lib/terminfo" };
	const char *own = folder_of("TERMINFO"), *home = folder_of("HOME");
	const char *more = getenv("TERMINFO_DIRS");
	char folder[PLACE_BYTES];

	out[0] = '\0';
	if (!*type || strchr(type, '/'))
		return false;
	if (own && is_terminfo_in(own, type, out))
		return true;
	if (home && put(folder, home, "/.terminfo", "") && is_terminfo_in(folder, type, out))
		return true;
	for (; more && *more; more += *more == ':') {
		snprintf(folder, sizeof folder, "%.*s", (int)strcspn(more, ":"), more);
		if (*folder && is_terminfo_in(folder, type, out))
			return true;
		more += strcspn(more, ":");
	}
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		if (is_terminfo_in(folders[i], type, out))
			return true;
	return false;
}

/* --- --paths -------------------------------------------------------------- */

void
place_print(FILE *to, const char *what, const char *state, const char *path)
{
	fprintf(to, "%-9s %-8s %s\n", what, state, path);
}

static void
print_place(FILE *to, const char *what, bool is_known, const char *path)
{
	if (is_known)
		place_print(to, what, access(path, F_OK) ? "absent" : "there", path);
	else
		place_print(to, what, "unknown", "HOME is not set");
}

void
places_print(FILE *to)
{
	static const char *const state_files[] = { "history", "searches", "filters", "session" };
	const char *type = getenv("TERM");
	char path[PLACE_BYTES];
	bool is_known;

	is_known = place_of_config("themes", path);
	print_place(to, "themes", is_known, path);
	is_known = place_of_share("themes", path);
	print_place(to, "themes", is_known, path);
	for (int i = 0; i < 2; i++) {
		(void)place_of_program(i ? "aarch64" : "x86_64", path);
		print_place(to, "program", true, path);
	}
	for (int i = 0; i < 4; i++) {
		is_known = place_of_state(state_files[i], path);
		print_place(to, state_files[i], is_known, path);
	}
	is_known = place_of_editrc(path);
	print_place(to, "editrc", is_known, path);
	if (place_of_terminfo(type ? type : "", path))
		place_print(to, "terminfo", "there", path);
	else
		place_print(to, "terminfo", "built-in", type ? type : "");
}
