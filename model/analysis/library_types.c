#include "model/analysis/library_types.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include <string.h>

#define CONTAINER "Microsoft.Extensions.DependencyInjection."
#define LOOKUP    CONTAINER "ServiceLookup."

/* clang-format off */
static const struct library_type rows[] = {
	{ LIBRARY_POOL,   "System.Buffers.SharedArrayPool",             "ArrayPool<T>.Shared" },
	{ LIBRARY_POOL,   "System.Buffers.ConfigurableArrayPool<",      "ArrayPool<T>.Create()" },
	{ LIBRARY_POOL,   "System.Buffers.PinnedBlockMemoryPool",       "the pinned memory pool of the server" },
	{ LIBRARY_POOL,   "Microsoft.AspNetCore.PinnedBlockMemoryPool", "the pinned memory pool of the server" },
	{ LIBRARY_POOL,   "Microsoft.Extensions.ObjectPool.DefaultObjectPool<", "DefaultObjectPool<T>" },
	{ LIBRARY_POOL,   "Microsoft.IO.RecyclableMemoryStreamManager", "RecyclableMemoryStreamManager" },
	{ LIBRARY_POOL,   "Microsoft.EntityFrameworkCore.Internal.DbContextPool<", "DbContextPool<T>" },
	{ LIBRARY_QUEUE,  "System.Threading.Channels.",                 NULL },
	{ LIBRARY_QUEUE,  "System.Threading.Tasks.Dataflow.",           NULL },
	{ LIBRARY_QUEUE,  "System.Collections.Concurrent.ConcurrentQueue<", NULL },
	{ LIBRARY_QUEUE,  "System.Collections.Concurrent.BlockingCollection<", NULL },
	{ LIBRARY_QUEUE,  "System.Collections.Generic.Queue<",          NULL },
	{ LIBRARY_PART,   "System.Threading.Tasks.Dataflow.Internal.",  NULL },
	{ LIBRARY_OWNER,  "System.Threading.Tasks.Dataflow.",           NULL },
	{ LIBRARY_RELAY,  "System.Action",                              NULL },
	{ LIBRARY_RELAY,  "System.Func<",                               NULL },
	{ LIBRARY_RELAY,  "System.EventHandler",                        NULL },
	{ LIBRARY_RELAY,  "System.Object",                              NULL },
	{ LIBRARY_RELAY,  "System.Reflection.",                         NULL },
	{ LIBRARY_RELAY,  "System.Threading.Tasks.",                    NULL },
	{ LIBRARY_RELAY,  "System.Runtime.",                            NULL },
	{ LIBRARY_RELAY,  CONTAINER,                                    NULL },
	{ LIBRARY_NOTICE, "Microsoft.Extensions.FileProviders.",        NULL },
	{ LIBRARY_NOTICE, "Microsoft.Extensions.Primitives.",           NULL },
	{ LIBRARY_NOTICE, "System.IO.",                                 NULL },
	{ LIBRARY_NOTICE, "System.Threading.",                          NULL },
	{ LIBRARY_PLUMBING, "Microsoft.AspNetCore.",                    NULL },
	{ LIBRARY_PLUMBING, "Microsoft.Extensions.",                    NULL },
	{ LIBRARY_PLUMBING, "System.Net.",                              NULL },
	{ LIBRARY_PLUMBING, "System.Threading.",                        NULL },
	{ LIBRARY_REGISTRY, "System.Threading.TimerQueue[",             "the timer queue" },
	{ LIBRARY_REGISTRY, "System.Threading.ThreadPoolWorkQueue",     "the queue of the thread pool" },
	{ LIBRARY_REGISTRY, "System.Threading.WorkStealingQueue",       "the queue of the thread pool" },
	{ LIBRARY_REGISTRY, "System.Net.Sockets.SocketAsyncContext",    "a socket that waits" },
	{ LIBRARY_REGISTRY, "System.Diagnostics.Tracing.",              "event tracing" },
};
/* clang-format on */

const struct library_type *
library_type_of(const struct type *t, enum library_role role)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].role == role && text_begins(t->raw, rows[i].begin) &&
		    type_is_of_framework(t))
			return &rows[i];
	return NULL;
}

bool
type_is_call_site(const struct type *t)
{
	return text_begins(t->raw, LOOKUP) && text_ends(t->raw, strlen(t->raw), "CallSite") &&
	       type_is_of_framework(t);
}

bool
type_is_scope(const struct type *t)
{
	return !strcmp(t->raw, LOOKUP "ServiceProviderEngineScope");
}

bool
type_is_container(const struct type *t)
{
	return !strcmp(t->raw, CONTAINER "ServiceProvider");
}

bool
type_is_hosted_services(const struct type *t)
{
	return !strcmp(t->raw, "Microsoft.Extensions.Hosting.IHostedService[]");
}
