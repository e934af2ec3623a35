#ifndef TUI_APP_VIEWS_H
#define TUI_APP_VIEWS_H

/*
 * All views, in the order of the help screen. To add one, add a line here; the rest of it is in its
 * own file. Views do not see this list: they name each other by command words
 * (tui/widget/request.h).
 */
#include "tui/widget/view.h"

/* clang-format off */
#define VIEWS(X)                                                               \
	X(view_types)                                                          \
	X(view_objects)                                                        \
	X(view_totals)                                                         \
	X(view_dominators)                                                     \
	X(view_contents)                                                       \
	X(view_treemap)                                                        \
	X(view_paths)                                                          \
	X(view_path)                                                           \
	X(view_groups)                                                         \
	X(view_heaps)                                                          \
	X(view_segments)                                                       \
	X(view_free)                                                           \
	X(view_heapmap)                                                        \
	X(view_histogram)                                                      \
	X(view_roots)                                                          \
	X(view_handles)                                                        \
	X(view_finalizers)                                                     \
	X(view_threads)                                                        \
	X(view_stacks)                                                         \
	X(view_pstacks)                                                        \
	X(view_code_at)                                                        \
	X(view_modules)                                                        \
	X(view_verify)                                                         \
	X(view_near)                                                           \
	X(view_locks)                                                          \
	X(view_table)                                                          \
	X(view_statics)                                                        \
	X(view_methods)                                                        \
	X(view_async)                                                          \
	X(view_timers)                                                         \
	X(view_exceptions)                                                     \
	X(view_collections)                                                        \
	X(view_findings)                                                       \
	X(view_samples)                                                        \
	X(view_strings)                                                        \
	X(view_find)                                                           \
	X(view_sql)                                                            \
	X(view_queries)                                                        \
	X(view_tables)                                                         \
	X(view_schema)                                                         \
	X(view_diff)                                                           \
	X(view_tree)                                                           \
	X(view_merged)                                                         \
	X(view_ways)                                                           \
	X(view_inspect)                                                        \
	X(view_fields)                                                         \
	X(view_value)                                                          \
	X(view_hex)                                                            \
	X(view_references)                                                     \
	X(view_referrers)                                                      \
	X(view_objsize)                                                        \
	X(view_ignored)                                                        \
	X(view_marks)                                                          \
	X(view_allocations)                                                    \
	X(view_callers)                                                        \
	X(view_callees)                                                        \
	X(view_record)                                                         \
	X(view_gcs)                                                            \
	X(view_gc)                                                             \
	X(view_summary)                                                        \
	X(view_resident)                                                       \
	X(view_memory)                                                         \
	X(view_walks)                                                          \
	X(view_snapshots)                                                      \
	X(view_processes)                                                      \
	X(view_card)                                                           \
	X(view_columns)                                                        \
	X(view_settings)                                                       \
	X(view_help)
/* clang-format on */

#define VIEW_DECLARE(v) extern const struct view_ops v;
VIEWS(VIEW_DECLARE)
#undef VIEW_DECLARE

/* VIEWS, in its order; ends with NULL. */
extern const struct view_ops *const all_views[];
/* Returns the index in all_views, or SIZE_MAX if there is no such view. */
size_t views_number(const char *name, size_t name_len);
/* Returns the help of a view with the table of this name, or "". */
const char *views_help_of_table(const char *name);

#endif
