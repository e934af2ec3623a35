#include "model/heap/framework.h"
#include <string.h>

/*
 * The parts that follow "System." and "Microsoft." in the names of assemblies and namespaces of the
 * framework. An application may begin its own names with either: Microsoft.eShopWeb is one.
 */
static const char *const after_system[] = {
	"AppContext",
	"Buffers",
	"ClientModel",
	"CodeDom",
	"Collections",
	"CommandLine",
	"ComponentModel",
	"Composition",
	"Console",
	"Configuration",
	"Core",
	"Data",
	"Diagnostics",
	"DirectoryServices",
	"Drawing",
	"Dynamic",
	"Formats",
	"Globalization",
	"IO",
	"IdentityModel",
	"Linq",
	"Management",
	"Memory",
	"Net",
	"Numerics",
	"ObjectModel",
	"Private",
	"Reactive",
	"Reflection",
	"Resources",
	"Runtime",
	"Security",
	"ServiceModel",
	"ServiceProcess",
	"Speech",
	"Text",
	"Threading",
	"Timers",
	"Transactions",
	"ValueTuple",
	"Web",
	"Windows",
	"Xaml",
	"Xml",
};
static const char *const after_microsoft[] = {
	"AspNetCore", "Bcl",         "CSharp",       "CodeAnalysis",
	"Data",       "Diagnostics", "DotNet",       "EntityFrameworkCore",
	"Extensions", "IO",          "Identity",     "IdentityModel",
	"JSInterop",  "NET",         "NETCore",      "Net",
	"OpenApi",    "VisualBasic", "VisualStudio", "Win32",
	"Windows",
};
/* Assemblies whose names begin otherwise. */
static const char *const others[] = {
	"mscorlib",           "netstandard",       "PresentationCore", "PresentationFramework",
	"UIAutomationClient", "UIAutomationTypes", "WindowsBase",
};
/* The folders of shared frameworks, with / or \. */
static const char *const folders[] = {
	"/shared/Microsoft.NETCore.App/",
	"/shared/Microsoft.AspNetCore.App/",
	"/shared/Microsoft.WindowsDesktop.App/",
};

#define IS_ONE_OF(text, len, words) is_one_of(text, len, words, sizeof(words) / sizeof((words)[0]))

static bool
is_one_of(const char *text, size_t len, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == len && !memcmp(text, words[i], len))
			return true;
	return false;
}

/* Compares the beginning of a path without regard to the kind of slashes. */
static bool
path_begins(const char *path, const char *begin)
{
	for (; *begin; path++, begin++)
		if (*path != *begin && !(*path == '\\' && *begin == '/'))
			return false;
	return true;
}

static bool
is_in_shared_folder(const char *path)
{
	for (; *path; path++)
		for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
			if (path_begins(path, folders[i]))
				return true;
	return false;
}

/* Examines the name of an assembly or a namespace. */
static bool
is_framework_name(const char *name, size_t len)
{
	size_t first = 0, second = 0;
	const char *rest;

	while (first < len && name[first] != '.')
		first++;
	if (first == len)
		return (len == 6 && !memcmp(name, "System", len)) || IS_ONE_OF(name, len, others);
	rest = name + first + 1;
	while (first + 1 + second < len && rest[second] != '.')
		second++;
	if (first == 6 && !memcmp(name, "System", first))
		return IS_ONE_OF(rest, second, after_system);
	return first == 9 && !memcmp(name, "Microsoft", first) &&
	       IS_ONE_OF(rest, second, after_microsoft);
}

bool
framework_has_namespace(const char *class, size_t len)
{
	while (len && class[len - 1] != '.')
		len--;
	return len && is_framework_name(class, len - 1);
}

static bool
is_in_framework_namespace(const struct type *t)
{
	const char *name = type_class_name(t);

	return framework_has_namespace(name, strcspn(name, "<[+`(, "));
}

/* Returns the length of the file's name without ".dll", or 0 if it has another ending. */
static size_t
library_len(const char *file)
{
	size_t len = strlen(file);

	return len > 4 && !strcmp(file + len - 4, ".dll") ? len - 4 : 0;
}

bool
type_module_is_of_framework(const struct type *t)
{
	const char *file = type_module_file(t);

	return is_in_shared_folder(t->module) || is_framework_name(file, library_len(file));
}

bool
type_is_of_framework(const struct type *t)
{
	if (type_module_is_of_framework(t))
		return !type_is_async(t) || is_in_framework_namespace(t);
	return !library_len(type_module_file(t)) && is_in_framework_namespace(t);
}

bool
framework_declares(const char *class, const char *module)
{
	const struct type t = { .name = "", .raw = class, .module = module };

	return type_is_of_framework(&t);
}

/* --- async methods ------------------------------------------------------- */

bool
type_is_async(const struct type *t)
{
	return !strncmp(t->name, "async ", 6);
}

bool
type_is_continuation(const struct type *t)
{
	static const char name[] = "System.Runtime.CompilerServices.Continuation";
	size_t len = sizeof(name) - 1;

	return !strncmp(t->raw, name, len) && (!t->raw[len] || t->raw[len] == '<');
}

/*
 * Returns where the method's class begins in the raw name of an async method:
 * "AsyncStateMachineBox<Result,Foo.Bar+<Run>d__5>". The box is a runtime type; the method belongs
 * to the program.
 */
static const char *
async_class(const char *raw)
{
	const char *at = strstr(raw, "+<");
	unsigned depth = 0;

	for (; at && at > raw; at--) {
		char before = at[-1];

		depth += before == '>';
		if (!depth && (before == '<' || before == ','))
			break;
		depth -= depth && before == '<';
	}
	return at ? at : raw;
}

const char *
type_class_name(const struct type *t)
{
	return type_is_async(t) ? async_class(t->raw) : t->raw;
}
