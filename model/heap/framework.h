#ifndef MODEL_HEAP_FRAMEWORK_H
#define MODEL_HEAP_FRAMEWORK_H

/*
 * Tells the types of .NET from those of the application. The framework is the base library, ASP.NET
 * Core and Microsoft's packages of extensions and data access. About 100 ns a type: passes over
 * objects keep the answers in a table by type.
 */
#include "model/heap/heap.h"

/*
 * Returns true if the framework declares the type. The module decides, by its folder and file name;
 * the namespace decides if the module is unknown or is
 * an executable that contains everything.
 *
 * A generic instance counts by its definition: List<Shop.Order> is a container of the framework,
 * whatever it contains. An array counts by its elements: Shop.Order[] is the application's. The box
 * of an async method counts by the class that declares the method.
 */
bool type_is_of_framework(const struct type *t);
/* The same for a class of which only the full name is known and, unless it is "", the path of its
   module. */
bool framework_declares(const char *class, const char *module);
/* Returns true if the folder or the file name of the type's module is one of the framework's; false
   if the module is unknown. */
bool type_module_is_of_framework(const struct type *t);
/* Returns true if the namespace of a class, given by its full name, is one of the framework's. */
bool framework_has_namespace(const char *class, size_t len);

/* Returns true for the box of an async method, and for calls that the runtime suspends without a
   box if their method is known. */
bool type_is_async(const struct type *t);
/* Returns true for calls of async methods that the runtime suspends without a box:
   System.Runtime.CompilerServices.Continuation. The runtime makes the types of these objects; heaps
   with memory have one for each method, as if Continuation had the method as its type argument. */
bool type_is_continuation(const struct type *t);
/* Returns true for such calls of unknown methods. */
static inline bool
type_is_nameless_call(const struct type *t)
{
	return type_is_continuation(t) && !type_is_async(t);
}
/* Returns the part of the raw name that begins with the outermost class. For an async method, it is
   the class that declares the method. */
const char *type_class_name(const struct type *t);

#endif
