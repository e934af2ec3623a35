#ifndef TESTS_MADE_MADE_MODULE_H
#define TESTS_MADE_MADE_MODULE_H

/*
 * Writes a .NET module for tests, "test.dll" of the assembly "test":
 *
 *   namespace A {
 *     class Cache {
 *       static Session Current; static string[] Names; const string Version;
 *       static List<Session> All; static int Count; Session notStatic;
 *       [ThreadStatic] static Session Mine; static Other.Outer.Inner[] Made;
 *       Run(); Stop();
 *     }
 *     class Session : Base, IThing { Walk(); }
 *     class Base : System.Object { }
 *     interface IThing { }
 *     class Table<K> { class Entry { class Deep { static Point Origin; } } }
 *     struct Point { }
 *     class Far : Other.Thing { }
 *     class Handler : System.MulticastDelegate { }
 *   }
 *   struct System.DateTimeOffset { long _dateTime; short _offsetMinutes; }
 *   class System.MulticastDelegate {
 *     object _target; nint _methodPtr, _methodPtrAux;
 *     object _invocationList; nint _invocationCount;
 *   }
 */
#include "io/pe/pe.h"
#include "tests/made/traces.h"

enum made_type { /* rows of TypeDef */
		 MADE_MODULE = 1,
		 MADE_CACHE,
		 MADE_SESSION,
		 MADE_BASE,
		 MADE_THING,
		 MADE_GENERIC,
		 MADE_ENTRY,
		 MADE_DEEP,
		 MADE_POINT,
		 MADE_FAR,
		 MADE_TIME,
		 MADE_MULTICAST,
		 MADE_HANDLER,
		 MADE_TYPES_COUNT = MADE_HANDLER
};
enum { MADE_TIME_ROW = 10, MADE_MULTICAST_ROW = 12 }; /* of first fields */
enum { MADE_RUN = 1, MADE_STOP, MADE_WALK, MADE_METHODS_COUNT = MADE_WALK };

/* `build` NULL: the module does not say which it is. */
void made_module_put(struct blob *b, bool is_64bit, const struct pe_build *build);
/* Its metadata alone, as a process may have them. */
void made_metadata_put(struct blob *b);

#endif
