#ifndef TUI_WIDGET_NAME_CUT_H
#define TUI_WIDGET_NAME_CUT_H

/*
 * What is left out of a type's name where it is shown: what stands between <
 * and >, what the eye may pass over, and what a narrow column has no room for.
 * Each costs a walk over the texts.
 */
#include "model/heap/heap.h"

/*
 * "Dictionary<string, List<int>>[]" → "Dictionary<…>[]"; with a `depth` of 1
 * only what is inside other arguments: "Dictionary<string, List<…>>[]". Names
 * made by the compiler, "<Main>d__0", stay. NULL: nothing to fold, no room in
 * `out`, or a name of 1024 bytes or more.
 */
const char *name_fold(const char *name, int depth, char *out, size_t out_size);

/*
 * The same, as little folded as it takes to look different from those that
 * stand before and behind it, unless they are the same: "Task<int>" beside
 * "Task<string>". NULL as above, and where folding leaves no difference.
 */
const char *name_fold_apart(const char *name, const char *before,
			    const char *behind, char *out, size_t out_size);

/*
 * The bytes at the beginning of its name that are a namespace of the platform,
 * "System.Threading." or "Microsoft.Win32.": everybody's, and so nobody's. 0:
 * it has none.
 */
size_t name_platform_bytes(const struct type *t);

/*
 * As text_fit(); but where `other`, cut the same way, would look the same, what
 * tells them apart is shown as well: "Leaky.…SessionA…Handler". From 10 columns
 * on.
 */
const char *name_fit_apart(const char *text, const char *other, int width,
			   char *out, size_t out_size);

#endif
