#ifndef TESTS_MADE_FAKE_SERVER_H
#define TESTS_MADE_FAKE_SERVER_H

/*
 * A process that looks like a .NET one from outside: it has the socket, takes the commands one at a
 * time, keeps count of the sessions, and plays a stream that it was given as the walk of its heap.
 * Faults on request.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_command { /* that a fault is for */
		    FAKE_NO_COMMAND,
		    FAKE_INFO,
		    FAKE_LISTEN,  /* a session that forces nothing */
		    FAKE_COLLECT, /* a session that forces a collection */
		    FAKE_STOP,
};

enum fake_fault {
	FAULT_NONE,
	FAULT_SILENT,        /* no answer, the connection stays open; after a
				stream: nothing more is done at all */
	FAULT_CLOSE,         /* closed without an answer */
	FAULT_HALF_HEADER,   /* closed after 10 bytes */
	FAULT_MAGIC,         /* another protocol */
	FAULT_SIZE,          /* a size less than that of the header */
	FAULT_NO_REPLY,      /* a command instead of a reply */
	FAULT_CUT_PAYLOAD,   /* closed before all announced bytes came */
	FAULT_WRONG_PAYLOAD, /* done, with 4 bytes that mean nothing */
	FAULT_REFUSE,        /* no room for a session */
	FAULT_DIE,           /* the process ends */
	FAULT_STOP_SELF,     /* the process stops, as by SIGSTOP */
};

enum { FAKE_STREAMS_MAX = 2 };
struct fake_script {
	const char *version;     /* "10.0.9" */
	unsigned newest_info;    /* ProcessInfo 0 (none) … 3 */
	unsigned newest_collect; /* CollectTracing 2 … 6 */
	/* Played at the first forced collection, the second; then the last. */
	const void *streams[FAKE_STREAMS_MAX];
	size_t stream_lens[FAKE_STREAMS_MAX];
	enum fake_command command; /* where something goes wrong */
	enum fake_fault fault;
	size_t fault_at; /* bytes of the stream played before the fault */
	/* At the end of the stream it goes on from here; 0: it does not. */
	size_t repeat_at;
	unsigned walks_max; /* then it refuses to collect; 0: never */
	const char *port;   /* connects there instead of listening */
};

struct fake_entry {
	uint8_t set, command;
	uint32_t buffer_mb;
	uint64_t keywords, session;
};
enum { FAKE_LOG_MAX = 64 };
struct fake_log {
	struct fake_entry entries[FAKE_LOG_MAX];
	unsigned count;
	unsigned open_sessions, collecting_sessions;
	unsigned collecting_peak; /* at the same time */
};

struct fake_server;
/* Returns when it can be connected to. */
struct fake_server *fake_start(const struct fake_script *script);
int32_t fake_pid(const struct fake_server *f);
/* What a list of processes calls it: the test's name, or an emulator's. */
const char *fake_program(const struct fake_server *f);
/* What was asked of it, when all that was asked so far is done. */
const struct fake_log *fake_log(struct fake_server *f);
/* Its socket: a folder and a name. */
const char *fake_folder(void);
const char *fake_name(const struct fake_server *f);
void fake_free(struct fake_server *f);

#endif
