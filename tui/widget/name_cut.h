#ifndef TUI_WIDGET_NAME_CUT_H
#define TUI_WIDGET_NAME_CUT_H

/*
 * Shortens type names for display: folds generic arguments, finds the platform's namespaces, and
 * cuts names for narrow columns. Each function walks over its texts once or a few times.
 */
#include "model/heap/heap.h"

/*
 * Folds generic arguments: "Dictionary<string, List<int>>[]" becomes "Dictionary<…>[]"; with a
 * `depth` of 1 only inner arguments fold: "Dictionary<string, List<…>>[]". Compiler-generated names
 * such as "<Main>d__0" stay. Returns NULL if nothing folds, if `out` is too small, or for names of
 * 1024 bytes or more.
 */
const char *name_fold(const char *name, int depth, char *out, size_t out_size);

/*
 * Folds a name less if the folded name would look like a neighbour's in the list: "Task<int>"
 * beside "Task<string>"; equal neighbours do not matter. Returns NULL as above, and if even the
 * least folding looks the same.
 */
const char *name_fold_apart(const char *name, const char *before, const char *behind, char *out,
			    size_t out_size);

/* Returns the length of the platform's namespace at the start of the name ("System.Threading." or
   "Microsoft.Win32."), 0 if it has none. */
size_t name_platform_bytes(const struct type *t);

/* Returns true for a chain of names: "Cache.Add ← Program.Main". */
bool name_is_chain(const char *text);

/*
 * Cuts like text_fit(); but if `other`, cut the same way, would look the same, the part where they
 * differ is shown too: "Leaky.…SessionA…Handler". Needs at least 10 columns.
 */
const char *name_fit_apart(const char *text, const char *other, int width, char *out,
			   size_t out_size);

/*
 * Cuts names in a sentence: leaves out namespaces, those of the first name first, until the text
 * fits, and only then cuts its middle like text_fit(). Texts in quotes keep their dots. The last
 * link of a chain loses them before those in front of it, so that the first one stays whole
 * longest.
 */
const char *name_fit_short(const char *text, int width, char *out, size_t out_size);
/* The same without cutting the middle; returns false if the text is still too wide. */
bool name_fits_short(const char *text, int width, char *out, size_t out_size);

#endif
