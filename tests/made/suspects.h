#ifndef TESTS_MADE_SUSPECTS_H
#define TESTS_MADE_SUSPECTS_H

/*
 * Small heaps, each with what one sort of finding looks for, `n` times or with `n` bytes: just
 * enough, or just too little. What fails fails the test.
 */
#include "model/heap/stream.h"

struct maker;
typedef void make_suspects(struct maker *m, size_t n);
const struct heap *heap_made(make_suspects *make, size_t n);

make_suspects make_collection;
make_suspects make_minority;
make_suspects make_small;
make_suspects make_joint_parts;
make_suspects make_parts;
make_suspects make_event;
make_suspects make_typed_event;
make_suspects make_wrapped_event;
make_suspects make_large_event;
make_suspects make_static_handlers;
make_suspects make_mixed_list;
make_suspects make_static_table;
make_suspects make_tree;
make_suspects make_timers;
make_suspects make_state_timers;
make_suspects make_dead_timers;
make_suspects make_async;
make_suspects make_async_of_class;
make_suspects make_async_unknown;
make_suspects make_awaited;
make_suspects make_library_async;
make_suspects make_backlog;
make_suspects make_library_backlog;
make_suspects make_stuck;
make_suspects make_dependents;
make_suspects make_weak_table;
make_suspects make_joint_table;
make_suspects make_pinned;
make_suspects make_pinned_large;
make_suspects make_pinned_unknown;
make_suspects make_array;
make_suspects make_values;
make_suspects make_contexts;
make_suspects make_thread_static;
make_suspects make_handles;
make_suspects make_many_roots;
make_suspects make_pool;
make_suspects make_thread_local;
make_suspects make_service;
make_suspects make_no_service;
make_suspects make_dominator;
make_suspects make_list;
make_suspects make_large;
make_suspects make_static_event;
make_suspects make_two_events;
make_suspects make_nothing;
make_suspects make_methods;
make_suspects make_holes;
make_suspects make_half_free;
make_suspects make_pinned_holes;
make_suspects make_young_holes;
make_suspects make_young_pinned_holes;
make_suspects make_lossy_holes;
make_suspects make_padding;
make_suspects make_unrooted;
make_suspects make_few_unrooted;
make_suspects make_young_unrooted;
make_suspects make_rootless;
make_suspects make_unrooted_memory;
make_suspects make_unrooted_gaps;
make_suspects make_unrooted_lossy;
make_suspects make_unrooted_walk;
make_suspects make_callbacks; /* suspects_held.c */
make_suspects make_free_callbacks;
make_suspects make_library_callbacks;
make_suspects make_bare_links;
make_suspects make_links;
make_suspects make_own_links;
make_suspects make_streams;
make_suspects make_derived_streams;
make_suspects make_clients;
make_suspects make_sockets;
make_suspects make_server_sockets;
make_suspects make_factory_clients;
make_suspects make_own_parts;
make_suspects make_few_own_parts;
make_suspects make_ended;
make_suspects make_ended_beside;
make_suspects make_semaphore; /* suspects_waiting.c */
make_suspects make_two_semaphores;
make_suspects make_promises;
make_suspects make_delays;
make_suspects make_folded;
make_suspects make_chains;
make_suspects make_nameless_chains;
make_suspects make_odd_chains;
make_suspects make_lock;
make_suspects make_lock_of_id;
make_suspects make_lock_of_unknown;
make_suspects make_blocked_finalizer;
make_suspects make_free_finalizer;
make_suspects make_native;
make_suspects make_assemblies;
make_suspects make_serializers;
make_suspects make_proxies;
make_suspects make_scripts;
make_suspects make_emitted;
make_suspects make_libraries;
make_suspects make_kept;
make_suspects make_arenas;
make_suspects make_one_arena;
make_suspects make_native_sums;
make_suspects make_images;

#endif
