#ifndef TUI_NAME_CUT_H
#define TUI_NAME_CUT_H

/*
 * What is left out of a type's name where it is shown: what stands between <
 * and >, what the eye may pass over, and what a narrow column has no room for.
 * Each costs a walk over the texts.
 */
#include "model/heap.h"

/*
 * "Dictionary<string, List<int>>[]" → "Dictionary<…>[]". Names made by the
 * compiler, "<Main>d__0", stay. NULL: nothing to fold, or no room in `out`.
 */
const char *name_fold(const char *name, char *out, size_t out_size);

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
