/* Callbacks that pile up on a source of cancellation, objects that own handles of the operating
   system, and holders of several types. */
#include "tests/made/maker.h"
#include <stdlib.h>

/* --- callbacks ------------------------------------------------------------ */

#define SOURCE "System.Threading.CancellationTokenSource"
enum { DELEGATE = 64, NODE = 72, LIST = 64, OBJECT = 64 };

/* A source with the callbacks that begin at `node`, and its list. */
static uint64_t
add_source(struct maker *m, const char *type, const char *list_type, uint64_t node)
{
	uint64_t list = m->next + OBJECT, source = add(m, type, OBJECT, &list, 1);
	uint64_t refs[] = { source, node };

	return add(m, list_type, LIST, refs, 2);
}

/* A delegate to a static method refers to itself. */
static uint64_t
add_static_delegate(struct maker *m)
{
	uint64_t itself = m->next;

	return add(m, "System.Action<System.Object>", DELEGATE, &itself, 1);
}

/* A node of a list that calls `delegate` with `state`; 0: it is free. */
static uint64_t
add_node(struct maker *m, const char *type, uint64_t list, uint64_t delegate, uint64_t state)
{
	uint64_t refs[] = { list, delegate, state };

	return add(m, type, NODE, refs, !delegate ? 1 : 3);
}

/* `n` nodes with a state of that type each, in either spelling. */
static void
make_callbacks_of(struct maker *m, size_t n, const char *list_type, const char *node_type,
		  const char *state_type)
{
	uint64_t delegate = add_static_delegate(m);
	uint64_t list = add_source(m, SOURCE, list_type, m->next + OBJECT + LIST);

	root(m, list - OBJECT, ROOT_STATIC, "shutdown");
	for (size_t i = 0; i < n; i++) {
		uint64_t state = m->next + NODE;
		uint64_t node = add_node(m, node_type, list, state_type ? delegate : 0, state);

		root(m, node, ROOT_STACK, "");
		if (state_type)
			(void)add(m, state_type, OBJECT, NULL, 0);
	}
}

void
make_callbacks(struct maker *m, size_t n)
{
	make_callbacks_of(m, n, SOURCE "+Registrations", SOURCE "+CallbackNode", "A.Job");
}

void
make_free_callbacks(struct maker *m, size_t n)
{
	make_callbacks_of(m, n, "Registrations", "CallbackNode", NULL);
}

/* A server waits with one token for much that is not the program's. */
void
make_library_callbacks(struct maker *m, size_t n)
{
	make_callbacks_of(m, n, "Registrations", "CallbackNode", "System.Threading.Tasks.Task");
}

/* Sources that were linked and have nothing registered themselves. */
void
make_bare_links(struct maker *m, size_t n)
{
	make_callbacks_of(m, n, "Registrations", "CallbackNode", "Linked1CancellationTokenSource");
}

/* A source linked with the one of `list`, and a job that it keeps. */
static void
add_link(struct maker *m, uint64_t list, uint64_t delegate)
{
	uint64_t linked = m->next + NODE, own, job;

	root(m, add_node(m, "CallbackNode", list, delegate, linked), ROOT_STACK, "");
	own = add_source(m, "Linked1CancellationTokenSource", "Registrations",
			 linked + OBJECT + LIST);
	(void)add_node(m, "CallbackNode", own, delegate, m->next + NODE);
	job = m->next + DELEGATE;
	(void)add(m, "System.Action", DELEGATE, &job, 1);
	(void)add(m, "A.Job", OBJECT, NULL, 0);
}

void
make_links(struct maker *m, size_t n)
{
	uint64_t delegate = add_static_delegate(m);
	uint64_t list = add_source(m, SOURCE, "Registrations", m->next + OBJECT + LIST);

	root(m, list - OBJECT, ROOT_STATIC, "shutdown");
	for (size_t i = 0; i < n; i++)
		add_link(m, list, delegate);
}

/* Each is linked with a source of its own. */
void
make_own_links(struct maker *m, size_t n)
{
	uint64_t delegate = add_static_delegate(m);

	for (size_t i = 0; i < n; i++)
		add_link(m, add_source(m, SOURCE, "Registrations", m->next + OBJECT + LIST),
			 delegate);
}

/* --- owners of handles ---------------------------------------------------- */

/* A list with so many objects. */
static void
root_list(struct maker *m, uint64_t *objects, size_t n)
{
	uint64_t array = add(m, "System.IDisposable[]", 24 + 8 * n, objects, n);

	free(objects);
	root(m, add(m, "System.Collections.Generic.List<System.IDisposable>", 32, &array, 1),
	     ROOT_STATIC, "open");
}

static uint64_t
add_stream(struct maker *m)
{
	uint64_t handle = add(m, "Microsoft.Win32.SafeHandles.SafeFileHandle", 40, NULL, 0);
	uint64_t strategy = add(m, "System.IO.Strategies.UnixFileStreamStrategy", 40, &handle, 1);

	return add(m, "System.IO.FileStream", 24, &strategy, 1);
}

/* The strategy of a derived type refers to the stream. */
static uint64_t
add_derived_stream(struct maker *m)
{
	uint64_t handle = add(m, "Microsoft.Win32.SafeHandles.SafeFileHandle", 40, NULL, 0);
	uint64_t refs[] = { handle, m->next + 40 };
	uint64_t strategy = add(m, "System.IO.Strategies.DerivedFileStreamStrategy", 40, refs, 2);

	return add(m, "A.Log", 24, &strategy, 1);
}

static uint64_t
add_client(struct maker *m)
{
	uint64_t pool = add(m, "System.Net.Http.SocketsHttpHandler", 24, NULL, 0);
	uint64_t handler = add(m, "System.Net.Http.HttpClientHandler", 24, &pool, 1);

	return add(m, "System.Net.Http.HttpClient", 24, &handler, 1);
}

/* The context of pending operations and the handle refer to each other. */
static uint64_t
add_socket(struct maker *m)
{
	uint64_t context = m->next + 40;
	uint64_t handle = add(m, "System.Net.Sockets.SafeSocketHandle", 40, &context, 1);

	(void)add(m, "System.Net.Sockets.SocketAsyncContext", 40, &handle, 1);
	return add(m, "System.Net.Sockets.Socket", 24, &handle, 1);
}

static uint64_t *
add_owners(struct maker *m, size_t n, uint64_t (*add_owner)(struct maker *m))
{
	uint64_t *all = calloc(n + 1, sizeof *all);

	assert_non_null(all);
	for (size_t i = 0; i < n; i++)
		all[i] = add_owner(m);
	return all;
}

void
make_streams(struct maker *m, size_t n)
{
	root_list(m, add_owners(m, n, add_stream), n);
}

void
make_derived_streams(struct maker *m, size_t n)
{
	root_list(m, add_owners(m, n, add_derived_stream), n);
}

void
make_clients(struct maker *m, size_t n)
{
	root_list(m, add_owners(m, n, add_client), n);
}

/* Each is a field of an object of the application. */
void
make_sockets(struct maker *m, size_t n)
{
	uint64_t *sockets = add_owners(m, n, add_socket);

	for (size_t i = 0; i < n; i++)
		sockets[i] = add(m, "A.Peer", 24, &sockets[i], 1);
	root_list(m, sockets, n);
}

/* Connections of a server. */
void
make_server_sockets(struct maker *m, size_t n)
{
	uint64_t *sockets = add_owners(m, n, add_socket);

	uint64_t array = add(m, "System.Net.Sockets.Socket[]", 24 + 8 * n, sockets, n);

	free(sockets);
	root(m, add(m, "System.Net.Http.HttpConnectionPool", 24, &array, 1), ROOT_STATIC, "pool");
}

/* Clients of a factory share a handler. */
void
make_factory_clients(struct maker *m, size_t n)
{
	uint64_t pool = add(m, "System.Net.Http.SocketsHttpHandler", 24, NULL, 0);
	uint64_t *clients = calloc(n + 1, sizeof *clients);

	assert_non_null(clients);
	for (size_t i = 0; i < n; i++)
		clients[i] = add(m, "System.Net.Http.HttpClient", 24, &pool, 1);
	root_list(m, clients, n);
}

/* --- holders of several types --------------------------------------------- */

/* Parts with ten strings each, which outnumber them. */
void
make_own_parts(struct maker *m, size_t n)
{
	uint64_t *parts = calloc(n + 1, sizeof *parts), holder;

	assert_non_null(parts);
	for (size_t i = 0; i < n; i++) {
		uint64_t strings[10];

		for (size_t k = 0; k < COUNT_OF(strings); k++)
			strings[k] = add(m, "System.String", 1000, NULL, 0);
		parts[i] = add(m, "A.Part", 24, strings, COUNT_OF(strings));
	}
	holder = add(m, "A.Holder", 24, parts, n);
	free(parts);
	root(m, holder, ROOT_STATIC, "holder");
}

/* Strings, and one part that retains next to nothing. */
void
make_few_own_parts(struct maker *m, size_t n)
{
	uint64_t *strings = calloc(n + 1, sizeof *strings), holder;

	assert_non_null(strings);
	for (size_t i = 0; i < n; i++)
		strings[i] = add(m, "System.String", 10000, NULL, 0);
	strings[n] = add(m, "A.Part", 24, NULL, 0);
	holder = add(m, "A.Holder", 24, strings, n + 1);
	free(strings);
	root(m, holder, ROOT_STATIC, "holder");
}

/* --- readers of queues ---------------------------------------------------- */

/* A queue with so many large items below an object of type `holder`, to which an object refers that
   also has a task that failed. */
static void
add_queue(struct maker *m, size_t n, const char *holder)
{
	static const char call_site[] =
	    "Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite";
	uint64_t *items = add_many(m, n, "A.Parcel", 10000, 0);
	uint64_t queue =
	    add(m, "System.Collections.Concurrent.ConcurrentQueue<A.Parcel>", 100, items, n);
	uint64_t belt = add(m, holder, 24, &queue, 1);
	uint64_t socket = add(m, "System.Net.Sockets.Socket", 24, &belt, 1);
	uint64_t error = add(m, "A.LabelException", 100, NULL, 0);
	uint64_t below = add(m, "System.Threading.Tasks.TaskExceptionHolder", 24, &error, 1);
	uint64_t task = add(m, "System.Threading.Tasks.Task", 64, &below, 1);
	uint64_t site = add(m, call_site, 64, NULL, 0);
	uint64_t clerk = add(m, "A.Clerk", 32, (uint64_t[]){ belt, task }, 2);

	free(items);
	root(m, socket, ROOT_STATIC, "System.Net.Sockets.SocketAsyncEngine.s_engines");
	root(m, clerk, ROOT_FINALIZER, "");
	root(m, site, ROOT_STRONG, "");
}

void
make_ended(struct maker *m, size_t n)
{
	add_queue(m, n, "A.Belt");
}

/* The object refers only to the scope that the queue is in. */
void
make_ended_beside(struct maker *m, size_t n)
{
	add_queue(
	    m, n,
	    "Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceProviderEngineScope");
}
