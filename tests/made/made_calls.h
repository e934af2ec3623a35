#ifndef TESTS_MADE_MADE_CALLS_H
#define TESTS_MADE_MADE_CALLS_H

/*
 * Heaps with the objects of runtime async and their fields, made up without a runtime. All objects
 * are of one size. What fails fails the test.
 */
#include "model/heap/memory.h"
#include "model/heap/stream.h"

enum call_kind {
	CALL_ASK,      /* suspended calls: of A.Shop.Ask, */
	CALL_PAY,      /* of A.Shop.Pay, which has the same method table, */
	CALL_UNKNOWN,  /* and of an unknown method: Next, ResumeInfo, State */
	CALL_HELPER,   /* Next, Task, RuntimeAsyncTask */
	CALL_WAITER,   /* ValueTaskSourceContinuation: Next, Source */
	CALL_PROMISE,  /* RuntimeAsyncTask<int>: m_stateObject,
			  m_continuationObject, m_stateFlags */
	CALL_TASK,     /* Task: m_continuationObject, m_stateFlags */
	CALL_SOURCE,   /* A.Source: _continuationState */
	CALL_OPAQUE,   /* A.Opaque, whose fields are unknown */
	CALL_LIST,     /* List<object>: _items */
	CALL_ARRAY,    /* object[] with three elements */
	CALL_DELEGATE, /* System.Action: _target */
	CALL_KINDS
};

struct made_calls;

struct made_calls *made_calls_new(void);
/* Adds an object with three words, for the fields in the order above; a reference is the address of
   an object, which may be added later. Returns its address. */
uint64_t made_calls_put(struct made_calls *m, enum call_kind kind, uint64_t first, uint64_t second,
			uint64_t third);
/* The address of the object that is added `later` objects after the next. */
uint64_t made_calls_next(const struct made_calls *m, uint32_t later);
/* The address of a ResumeInfo for code at that address. */
uint64_t made_calls_resume(struct made_calls *m, uint64_t code);
void made_calls_root(struct made_calls *m, uint64_t object, enum root_kind kind);
const struct heap *made_calls_heap(struct made_calls *m);
void made_calls_free(struct made_calls *m);

#endif
