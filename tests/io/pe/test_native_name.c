/* Names of Native AOT's types, as its compilers of .NET 8 to 10 spell them. */
#include "tests/drive/run_tests.h"
#include "io/pe/name_spelling.h"
#include "io/pe/native_name.h"
#include <stdlib.h>
#include <string.h>

#define CORE "System.Private.CoreLib.dll"

/* Sorted: those that decide the names below. */
static const char *const names[] = {
	"Contoso_Shop_Core_Contoso_Shop_Order",
	"S_P_CoreLib_System_Collections_Generic_Dictionary_2",
	"S_P_CoreLib_System_Diagnostics_Tracing_EventSource",
	"S_P_CoreLib_System_Enum",
	"leaky_Leaky_Program",
	"leaky_Leaky_Program___c",
	"leaky_Leaky_Session",
};
static const struct native_known known = { names, COUNT_OF(names), "leaky" };

static const struct {
	const char *mangled, *name, *module;
} rows[] = {
	{ "String", "System.String", CORE },
	{ "Boxed_UInt8", "System.Byte", CORE },
	{ "__Array<Bool>", "System.Boolean[]", CORE },
	{ "__MDArray<Int32,2>", "System.Int32[,]", CORE },
	{ "__MDArray<__Array<Char>,1>", "System.Char[][*]", CORE },
	{ "Char<Pointer><Pointer>", "System.Char**", CORE },
	{ "__Array<__Array<Object>>", "System.Object[][]", CORE },
	{ "System___Canon", "System.__Canon", CORE },
	{ "S_P_CoreLib_System_Type", "System.Type", CORE },
	{ "S_P_CoreLib_Interop_Sys", "Interop.Sys", CORE },
	{ "S_P_CoreLib_SR", "SR", CORE },
	{ "S_P_Xml_Linq_System_Xml_Linq_XNode", "System.Xml.Linq.XNode",
	  "System.Private.Xml.Linq.dll" },
	{ "System_Console_System_IO_ConsoleStream", "System.IO.ConsoleStream",
	  "System.Console.dll" },
	{ "System_Collections_Concurrent_System_Collections_Concurrent_"
	  "ConcurrentDictionary_2_Node<Int32__leaky_Leaky_Session>",
	  "System.Collections.Concurrent.ConcurrentDictionary<System.Int32,Leaky.Session>+Node",
	  "System.Collections.Concurrent.dll" },
	{ "Microsoft_Extensions_Logging_Abstractions_Microsoft_Extensions_Logging_Logger_1<Object>",
	  "Microsoft.Extensions.Logging.Logger<System.Object>",
	  "Microsoft.Extensions.Logging.Abstractions.dll" },
	{ "leaky_Leaky_Session", "Leaky.Session", "leaky.dll" },
	{ "leaky_Other_Thing", "Other.Thing", "leaky.dll" },
	{ "leaky__Module_", "<Module>", "leaky.dll" },
	{ "leaky__PrivateImplementationDetails_", "<PrivateImplementationDetails>", "leaky.dll" },
	{ "__Array<leaky_Leaky_Session>", "Leaky.Session[]", "leaky.dll" },
	/* the first word comes again where the namespace begins */
	{ "Contoso_Shop_Core_Contoso_Shop_Order", "Contoso.Shop.Order", "Contoso.Shop.Core.dll" },
	{ "Contoso_Shop_Core_Contoso_Shop_Order_Line", "Contoso.Shop.Order+Line",
	  "Contoso.Shop.Core.dll" },
	{ "tools_Tools_Hammer", "Tools.Hammer", "tools.dll" },
	{ "Tools_Hammer", "Hammer", "Tools.dll" },
	/* arguments */
	{ "S_P_CoreLib_System_Func_2<System___Canon__Bool>",
	  "System.Func<System.__Canon,System.Boolean>", CORE },
	{ "leaky_Leaky_Holder_1_Inner_1<S_P_CoreLib_System_Collections_Generic_"
	  "List_1<leaky_Leaky_Session>____Array<Int32>>",
	  "Leaky.Holder<System.Collections.Generic.List<Leaky.Session>>+Inner<System.Int32[]>",
	  "leaky.dll" },
	{ "S_P_CoreLib_System_Func_2<__Array<UInt8>__Int8>",
	  "System.Func<System.Byte[],System.SByte>", CORE },
	{ "S_P_CoreLib_System_Func_2<UIntPtr____Array<Double>>",
	  "System.Func<System.UIntPtr,System.Double[]>", CORE },
	{ "__Array<S_P_CoreLib_System_Collections_Generic_Dictionary_2_Entry<String__Object>>",
	  "System.Collections.Generic.Dictionary<System.String,System.Object>+Entry[]", CORE },
	{ "S_P_CoreLib_System_Func_2<leaky_Leaky_Program___c__DisplayClass14_0__Int32>",
	  "System.Func<Leaky.Program+<>c__DisplayClass14_0,System.Int32>", CORE },
	/* what the C# compiler makes */
	{ "leaky_Leaky_Program___c", "Leaky.Program+<>c", "leaky.dll" },
	{ "leaky_Leaky_Program___c__DisplayClass20_0", "Leaky.Program+<>c__DisplayClass20_0",
	  "leaky.dll" },
	{ "S_P_CoreLib_System_Enum___c__62_1<UInt8>", "System.Enum+<>c__62<System.Byte>", CORE },
	{ "Boxed_leaky_Leaky_Program__WaitForever_d__16", "Leaky.Program+<WaitForever>d__16",
	  "leaky.dll" },
	{ "Boxed_leaky_Leaky_Program__Run_d__5_1<Int32>", "Leaky.Program+<Run>d__5<System.Int32>",
	  "leaky.dll" },
	{ "Boxed_leaky_Leaky_Program___c___Main_b__0_1_d", "Leaky.Program+<>c+<<Main>b__0_1>d",
	  "leaky.dll" },
	{ "leaky___f__AnonymousType0_2<Int32__String>",
	  "<>f__AnonymousType0<System.Int32,System.String>", "leaky.dll" },
	{ "S_P_CoreLib_System_Runtime_CompilerServices_AsyncTaskMethodBuilder_"
	  "1_AsyncStateMachineBox_1<S_P_CoreLib_System_Threading_Tasks_"
	  "VoidTaskResult__leaky_Leaky_Program__WaitForever_d__16>",
	  "System.Runtime.CompilerServices.AsyncTaskMethodBuilder<System."
	  "Threading.Tasks.VoidTaskResult>+AsyncStateMachineBox<Leaky.Program+<WaitForever>d__16>",
	  CORE },
	{ "S_P_CoreLib_System_Diagnostics_Tracing_EventSource_EventMetadata",
	  "System.Diagnostics.Tracing.EventSource+EventMetadata", CORE },
	{ "S_P_CoreLib_System___ComObject", "System.__ComObject", CORE },
	/* as they are */
	{ "", "", "" },
	{ "<", "<", "" },
	{ "A<", "A<", "" },
	{ "A>", "A>", "" },
	{ "A<B", "A<B", "" },
	{ "A,B", "A,B", "" },
	{ "__MDArray<Int32>", "__MDArray<Int32>", "" },
	{ "__MDArray<Int32,0>", "__MDArray<Int32,0>", "" },
	{ "__MDArray<Int32,33>", "__MDArray<Int32,33>", "" },
	{ "__FnPtr_10<S_P_CoreLib_System_Void<>>", "__FnPtr_10<S_P_CoreLib_System_Void<>>", "" },
};

TEST(reads_names)
{
	struct error err = { 0 };
	struct native_name n;
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_true(native_name_read(rows[i].mangled, &known, &a, &n, &err));
		assert_string_equal(*rows[i].module ? name_spell(n.name, &a, &err) : n.name,
				    rows[i].name);
		assert_string_equal(n.module, rows[i].module);
	}
	arena_clear(&a);
}

/* Names of 8 KiB are read, longer ones stay as they are. */
TEST(bounds_length)
{
	char longest[8192 + 2];
	struct error err = { 0 };
	struct native_name n;
	struct arena a;

	memset(longest, 'B', sizeof(longest));
	memcpy(longest, "S_P_CoreLib_A_", 14);
	longest[8192] = '\0';
	arena_init(&a, 0);
	assert_true(native_name_read(longest, &known, &a, &n, &err));
	assert_memory_equal(n.name, "A.BB", 4);
	longest[8192] = 'B';
	longest[8193] = '\0';
	assert_true(native_name_read(longest, &known, &a, &n, &err));
	assert_string_equal(n.name, longest);
	arena_clear(&a);
}

/* Arguments nest without end: the name stays as it is, and nothing recurses. */
TEST(bounds_depth)
{
	enum { DEPTH = 1000 };
	char *deep = malloc(4 * DEPTH + 1);
	struct error err = { 0 };
	struct native_name n;
	struct arena a;

	assert_non_null(deep);
	for (size_t i = 0; i < DEPTH; i++)
		memcpy(deep + 4 * i, "A_1<", 4);
	deep[4 * (size_t)DEPTH] = '\0';
	arena_init(&a, 0);
	assert_true(native_name_read(deep, &known, &a, &n, &err));
	assert_string_equal(n.name, deep);
	arena_clear(&a);
	free(deep);
}
