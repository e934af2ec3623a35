/* Types of the framework, and types of programs with similar names. */
#include "model/heap/build.h"
#include "model/heap/framework.h"
#include "tests/drive/run_tests.h"

#define CORE "System.Private.CoreLib.dll"
#define BOX  "AsyncStateMachineBox<System.Threading.Tasks.VoidTaskResult,"

/* clang-format off */
static const struct row {
	const char *name, *raw, *module;
	bool is_framework;
} rows[] = {
	{ "string",                "System.String",          CORE, true },
	{ "string, no module",     "System.String",          "", true },
	{ "array",                 "System.Byte[]",          CORE, true },
	{ "nested, name cut",      "Entry<System.Int32,Shop.Order>[]", CORE, true },
	{ "list of a program's",   "System.Collections.Generic.List<Shop.Order>", CORE, true },
	{ "the same, no module",   "System.Collections.Generic.List<Shop.Order>", "", true },
	{ "program's",             "Shop.Order",             "/app/shop.dll", false },
	{ "program's, no module",  "Shop.Order",             "", false },
	{ "program's array",       "Shop.Order[]",           "/app/shop.dll", false },
	{ "no namespace",          "Order",                  "", false },
	{ "shared folder",         "Interop+Handle",         "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/Odd.dll", true },
	{ "Windows",               "Kestrel",                "C:\\Program Files\\dotnet\\shared\\Microsoft.AspNetCore.App\\8.0.1\\K.dll", true },
	{ "package",               "Microsoft.EntityFrameworkCore.DbContext", "/app/Microsoft.EntityFrameworkCore.dll", true },
	{ "program at Microsoft",  "Microsoft.eShopWeb.Web.Program", "/app/Microsoft.eShopWeb.Web.dll", false },
	{ "the same, no module",   "Microsoft.eShopWeb.Web.Program", "", false },
	{ "program named System",  "System.Orders.Order",    "/app/System.Orders.dll", false },
	{ "polyfill of a program", "System.Runtime.CompilerServices.Polyfill", "/app/shop.dll", false },
	{ "everything in one file", "System.String",         "/app/shop", true },
	{ "the program in it",     "Shop.Order",             "/app/shop", false },
	{ "program's async",       BOX "Shop.Cart+<Load>d__5>", CORE, false },
	{ "framework's async",     BOX "System.Net.Http.HttpClient+<Send>d__5>", CORE, true },
	{ "the same, no module",   BOX "System.Net.Http.HttpClient+<Send>d__5>", "", true },
	{ "not even the System",   "SystemOfOurs.Thing",     "", false },
};
/* clang-format on */

TEST_ROWS(test_type_is_of_framework, rows)
{
	const struct row *row = *state;
	struct error err = { 0 };
	struct heap_builder *b = heap_builder_new(&err);
	type_id type;

	assert_non_null(b);
	type = heap_builder_type(b, row->raw, row->module, &err);
	assert_int_equal(type, 0);
	assert_int_equal(type_is_of_framework(heap_builder_types(b)), row->is_framework);
	heap_builder_free(b);
}
