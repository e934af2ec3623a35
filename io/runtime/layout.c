#include "io/runtime/layout.h"

enum {
	VERSIONS_COUNT = 4,
	FIRST_VERSION = 8,
	ARM64_FIRST = 10, /* the first that was read */
	ARM64_LATER = 11,
	NONE = -1,
	ZERO = -2, /* the offset 0 */
};

struct row {
	const char *name;
	int offset[VERSIONS_COUNT]; /* 0: unchanged since the version before */
	int arm64_more[2];          /* extra offset on arm64, as read for 10, and
				       from 11 on; 0: unchanged */
};

/* The first row serves an unknown version, the last one all later versions. */
static const struct clr_facts versions[] = {
	{
	    .version = 0,
	    .collectible_flag = 0x00200000,
	    .argument_offset = 16,
	    .gc_info_version = 5,
	    .newest_command = 6,
	    .watch_command = 2,
	    .native_walks = true,
	    .native_samples = true,
	},
	{
	    .version = 8,
	    .table_bytes = 1256,
	    .collectible_flag = 0x10000000,
	    .argument_offset = 8,
	    .thin_lock_bits = 0x3ff,
	    .has_domain_assemblies = true,
	    .has_thread_links = true,
	    .has_module_statics = true,
	    .has_short_token = true,
	    .has_loader_module = true,
	    .gc_info_version = 2,
	    .has_multicast_frame = true,
	    .frame_slot = 123,
	    .is_collector_measured = true,
	    .newest_command = 2,
	    .watch_command = 2,
	    .collects_at_end = true,
	},
	{
	    .version = 9,
	    .table_bytes = 1264,
	    .collectible_flag = 0x00200000,
	    .argument_offset = 16,
	    .has_thread_links = true,
	    .gc_info_version = 3,
	    .frame_slot = 125,
	    .has_lock_objects = true,
	    .is_collector_measured = true,
	    .newest_command = 4,
	    .watch_command = 4,
	    .collects_at_end = true,
	    .native_samples = true,
	},
	{
	    .version = 10,
	    .table_bytes = 1032,
	    .collectible_flag = 0x00200000,
	    .argument_offset = 16,
	    .has_thread_links = true,
	    .gc_info_version = 4,
	    .has_frame_numbers = true,
	    .has_lock_objects = true,
	    .is_collector_measured = true,
	    .newest_command = 5,
	    .watch_command = 4,
	    .filter_command = 5,
	    .samples_allocations = true,
	    .native_walks = true,
	    .native_samples = true,
	},
	{
	    .version = 11, /* and later */
	    .table_bytes = 1048,
	    .collectible_flag = 0x00200000,
	    .argument_offset = 16,
	    .gc_info_version = 5,
	    .has_frame_numbers = true,
	    .has_lock_objects = true,
	    .is_collector_measured = true,
	    .newest_command = 6,
	    .watch_command = 4,
	    .filter_command = 5,
	    .samples_allocations = true,
	    .native_walks = true,
	    .native_server_walks = true,
	    .native_samples = true,
	    .walks_blocking = true,
	},
};

/* clang-format off */
static const struct row rows[CLR_FIELDS_COUNT] = {
	/*                                                                           8     9    10    11 */
	[CLR_THREAD_STORE_FIRST] =             { "ThreadStore.FirstThreadLink",   {  160,  160,   88 }, { 0 } },
	[CLR_THREAD_STORE_COUNT] =             { "ThreadStore.ThreadCount",       {  184,  184,  112,   96 }, { 0 } },
	[CLR_THREAD_STATE] =                   { "Thread.State",                  {    8, ZERO, ZERO }, { 0 } },
	[CLR_THREAD_PREEMPTIVE_DISABLED] =     { "Thread.PreemptiveGCDisabled",   {   12,    4,    4 }, { 0 } },
	[CLR_THREAD_FRAME] =                   { "Thread.Frame",                  {   16,    8,    8 }, { 0 } },
	[CLR_THREAD_ID] =                      { "Thread.Id",                     {   32,   16,   16 }, { 0 } },
	[CLR_THREAD_OS_ID] =                   { "Thread.OSId",                   {  424,  296,  296,  224 }, { 40, 48 } },
	[CLR_THREAD_NEXT] =                    { "Thread.LinkNext",               {  232,  112,  112 }, { 40 } },
	[CLR_THREAD_LOCALS] =                  { "Thread.RuntimeThreadLocals",    { NONE,   32,   32 }, { 0 } },
	[CLR_THREAD_ALLOC_CONTEXT] =           { "Thread.AllocContext",           {   88, NONE, NONE }, { 0 } },
	[CLR_LOCALS_ALLOC_CONTEXT] =           { "RuntimeThreadLocals.AllocContext", { NONE, ZERO, ZERO }, { 0 } },
	[CLR_EE_CONTEXT_GC_CONTEXT] =          { "EEAllocContext.GCAllocationContext", { NONE, NONE, 8 }, { 0 } },
	[CLR_ALLOC_POINTER] =                  { "GCAllocContext.Pointer",        { ZERO, ZERO, ZERO }, { 0 } },
	[CLR_ALLOC_LIMIT] =                    { "GCAllocContext.Limit",          {    8,    8,    8 }, { 0 } },
	[CLR_THREAD_GC_HANDLE] =               { "Thread.GCHandle",               {  432,  304,  304,  232 }, { 40, 48 } },
	[CLR_THREAD_LAST_THROWN] =             { "Thread.LastThrownObject",       { 464,  336,  336,  264 }, { 40, 48 } },
	[CLR_THREAD_LOCAL_DATA] =              { "Thread.ThreadLocalDataPtr",     { NONE,  928,  568,  496 }, { 40, 48 } },
	[CLR_THREAD_DATA_IN_FLIGHT] =          { "ThreadLocalData.InFlightData", { NONE,   32,   32,   40 }, { 0 } },
	[CLR_THREAD_STACK_BASE] =              { "Thread.CachedStackBase",        {  248,  120,  120 }, { 40 } },
	[CLR_THREAD_STACK_LIMIT] =             { "Thread.CachedStackLimit",       {  256,  128,  128 }, { 40 } },
	[CLR_THREAD_STATICS] =                 { "Thread.TLMTable",               { 1080, NONE, NONE }, { 40 } },
	[CLR_THREAD_STATICS_COUNT] =           { "Thread.TLMTableSize",           { 1088, NONE, NONE }, { 40 } },
	[CLR_MT_FLAGS] =                       { "MethodTable.MTFlags",           { ZERO, ZERO, ZERO }, { 0 } },
	[CLR_MT_BASE_SIZE] =                   { "MethodTable.BaseSize",          {    4,    4,    4 }, { 0 } },
	[CLR_MT_FLAGS2] =                      { "MethodTable.MTFlags2",          {    8,    8,    8 }, { 0 } },
	[CLR_MT_NUM_VIRTUALS] =                { "MethodTable.NumVirtuals",       {   12,   12,   12 }, { 0 } },
	[CLR_MT_NUM_INTERFACES] =              { "MethodTable.NumInterfaces",     {   14,   14,   14 }, { 0 } },
	[CLR_MT_PARENT] =                      { "MethodTable.ParentMethodTable", {   16,   16,   16 }, { 0 } },
	[CLR_MT_MODULE] =                      { "MethodTable.Module",            {   24,   24,   24 }, { 0 } },
	[CLR_MT_AUXILIARY] =                   { "MethodTable.AuxiliaryData",     {   32,   32,   32 }, { 0 } },
	[CLR_MT_CLASS_OR_CANON] =              { "MethodTable.EEClassOrCanonMT",  {   40,   40,   40 }, { 0 } },
	[CLR_MT_PER_INST] =                    { "MethodTable.PerInstInfo",       {   48,   48,   48 }, { 0 } },
	[CLR_CLASS_MT] =                       { "EEClass.MethodTable",           {   16,   16,   16 }, { 0 } },
	[CLR_CLASS_FIELDS] =                   { "EEClass.FieldDescList",         {   24,   24,   24 }, { 0 } },
	[CLR_CLASS_METHODS] =                  { "EEClass.MethodDescChunk",       {   32,   32,   32 }, { 0 } },
	[CLR_CLASS_NUM_INSTANCE_FIELDS] =      { "EEClass.NumInstanceFields",     { NONE,   50,   50 }, { 0 } },
	[CLR_CLASS_NUM_METHODS] =              { "EEClass.NumMethods",            { NONE,   52,   52 }, { 0 } },
	[CLR_CLASS_NUM_STATIC_FIELDS] =        { "EEClass.NumStaticFields",       { NONE,   54,   54 }, { 0 } },
	[CLR_CLASS_NUM_THREAD_STATIC_FIELDS] = { "EEClass.NumThreadStaticFields", { NONE,   58,   58 }, { 0 } },
	[CLR_CLASS_ATTRIBUTES] =               { "EEClass.CorTypeAttr",           { NONE,   40,   40 }, { 0 } },
	[CLR_CLASS_ELEMENT_TYPE] =             { "EEClass.InternalCorElementType", { NONE,  48,   48 }, { 0 } },
	[CLR_ARRAY_CLASS_RANK] =               { "ArrayClass.Rank",               { NONE,   72,   72 }, { 0 } },
	[CLR_MODULE_PE_ASSEMBLY] =             { "Module.PEAssembly",             {  272,  280,  216 }, { 0 } },
	[CLR_MODULE_BASE] =                    { "Module.Base",                   { NONE,  288,  224 }, { 0 } },
	[CLR_MODULE_PATH] =                    { "Module.Path",                   { NONE,  272,  200 }, { 0 } },
	[CLR_MODULE_FILE_NAME] =               { "Module.FileName",               { NONE, NONE,  208 }, { 0 } },
	[CLR_MODULE_FLAGS] =                   { "Module.Flags",                  { NONE,  296,  232 }, { 0 } },
	[CLR_MODULE_ASSEMBLY] =                { "Module.Assembly",               { NONE,  312,  248 }, { 0 } },
	[CLR_MODULE_LOADER_ALLOCATOR] =        { "Module.LoaderAllocator",        { NONE,  248,  176 }, { 0 } },
	[CLR_MODULE_TYPE_DEFS] =               { "Module.TypeDefToMethodTableMap", { 752,  624,  416 }, { 0 } },
	[CLR_MODULE_TYPE_REFS] =               { "Module.TypeRefToMethodTableMap", {   8,    8,    8 }, { 0 } },
	[CLR_MODULE_FIELD_DEFS] =              { "Module.FieldDefToDescMap",      { 816,  720,  512,  480 }, { 0 } },
	[CLR_MODULE_TYPE_PARAMS] =             { "Module.AvailableTypeParams",    {  968,  808,  600 }, { 0 } },
	[CLR_MODULE_DYNAMIC_METADATA] =        { "Module.DynamicMetadata",        { NONE, 1120,  840 }, { 0 } },
	[CLR_MODULE_STATICS] =                 { "Module.ModuleID",               { 1224, NONE, NONE }, { 0 } },
	[CLR_MODULE_NUMBER] =                  { "Module.ModuleIndex",            { 1232, NONE, NONE }, { 0 } },
	[CLR_PE_ASSEMBLY_IMAGE] =              { "PEAssembly.PEImage",            {    8,    8,    8 }, { 0 } },
	[CLR_PE_IMAGE_FLAT] =                  { "PEImage.FlatImageLayout",       {  112,  120,  120 }, { 0 } },
	[CLR_PE_IMAGE_LOADED] =                { "PEImage.LoadedImageLayout",     {  120,  128,  128 }, { 0 } },
	[CLR_PE_LAYOUT_BASE] =                 { "PEImageLayout.Base",            {    8,    8,    8,   16 }, { 0 } },
	[CLR_PE_LAYOUT_SIZE] =                 { "PEImageLayout.Size",            {   16,   16,   16,   24 }, { 0 } },
	[CLR_PE_LAYOUT_FLAGS] =                { "PEImageLayout.Flags",           {   20,   20,   20,   28 }, { 0 } },
	[CLR_APP_DOMAIN_ASSEMBLIES] =          { "AppDomain.DomainAssemblyList",  { 2544, 1824,  576 }, { 0 } },
	[CLR_CONTINUATION_RESUME_INFO] =       { "ContinuationObject.ResumeInfo", { NONE, NONE, NONE,   16 }, { 0 } },
	[CLR_RESUME_CODE] =                    { "AsyncResumeInfo.DiagnosticIP",  { NONE, NONE, NONE,    8 }, { 0 } },
	[CLR_METHOD_FLAGS] =                   { "MethodDesc.Flags",              {    6,    6,    6 }, { 0 } },
	[CLR_GENERIC_METHOD_ARGUMENTS] =       { "InstantiatedMethodDesc.PerInstInfo", { NONE, 24, 24 }, { 0 } },
	[CLR_GENERIC_METHOD_COUNT] =           { "InstantiatedMethodDesc.NumGenericArgs", { NONE, 34, 34 }, { 0 } },
	[CLR_SYNC_LOCK] =                      { "SyncBlock.Lock",                { NONE, NONE, NONE, ZERO }, { 0 } },
	[CLR_SYNC_THIN_LOCK] =                 { "SyncBlock.ThinLock",            { NONE, NONE, NONE,    8 }, { 0 } },
	[CLR_GENERATION_CONTEXT] =             { "Generation.AllocationContext",  { ZERO, ZERO, ZERO }, { 0 } },
	[CLR_GENERATION_SEGMENT] =             { "Generation.StartSegment",       {   56,   56,   56 }, { 0 } },
	[CLR_SEGMENT_ALLOCATED] =              { "HeapSegment.Allocated",         { ZERO, ZERO, ZERO }, { 0 } },
	[CLR_SEGMENT_COMMITTED] =              { "HeapSegment.Committed",         {    8,    8,    8 }, { 0 } },
	[CLR_SEGMENT_RESERVED] =               { "HeapSegment.Reserved",          {   16,   16,   16 }, { 0 } },
	[CLR_SEGMENT_MEM] =                    { "HeapSegment.Mem",               {   32,   32,   32 }, { 0 } },
	[CLR_SEGMENT_FLAGS] =                  { "HeapSegment.Flags",             {   40,   40,   40 }, { 0 } },
	[CLR_SEGMENT_NEXT] =                   { "HeapSegment.Next",              {   48,   48,   48 }, { 0 } },
	[CLR_FRAGMENT_NEXT] =                  { "RangeSectionFragment.Next",     { ZERO, ZERO, ZERO }, { 0 } },
	[CLR_FRAGMENT_BEGIN] =                 { "RangeSectionFragment.RangeBegin", {    8,    8,    8 }, { 0 } },
	[CLR_FRAGMENT_END] =                   { "RangeSectionFragment.RangeEndOpen", {   16,   16,   16 }, { 0 } },
	[CLR_FRAGMENT_SECTION] =               { "RangeSectionFragment.RangeSection", {   24,   24,   24 }, { 0 } },
	[CLR_SECTION_BEGIN] =                  { "RangeSection.RangeBegin",       { ZERO, ZERO, ZERO }, { 0 } },
	[CLR_SECTION_END] =                    { "RangeSection.RangeEndOpen",     {    8,    8,    8 }, { 0 } },
	[CLR_SECTION_FLAGS] =                  { "RangeSection.Flags",            {   16,   16,   16 }, { 0 } },
	[CLR_SECTION_MODULE] =                 { "RangeSection.R2RModule",        {   32,   32,   32 }, { 0 } },
	[CLR_SECTION_HEAP] =                   { "RangeSection.HeapList",         {   40,   40,   40 }, { 0 } },
	[CLR_SECTION_DELETED] =                { "RangeSection.NextForDelete",    {   64,   64,   64 }, { 0, -8 } },
	[CLR_CODE_HEAP_BASE] =                 { "CodeHeapListNode.MapBase",      {   32,   32,   32 }, { 0 } },
	[CLR_CODE_HEAP_MAP] =                  { "CodeHeapListNode.HeaderMap",    {   40,   40,   40 }, { 0 } },
	[CLR_CODE_HEADER_GC_INFO] =            { "RealCodeHeader.GCInfo",         {   16,   16,   16 }, { 0 } },
	[CLR_CODE_HEADER_METHOD] =             { "RealCodeHeader.MethodDesc",     {   24,   24,   24 }, { 0 } },
	[CLR_CODE_HEADER_COUNT] =              { "RealCodeHeader.NumUnwindInfos", {   32,   32,   32 }, { 0 } },
	[CLR_CODE_HEADER_ENTRIES] =            { "RealCodeHeader.UnwindInfos",    {   36,   36,   36 }, { 0 } },
	[CLR_MODULE_READY] =                   { "Module.ReadyToRunInfo",         { 1152,  984,  704 }, { 0 } },
	[CLR_READY_COMPOSITE] =                { "ReadyToRunInfo.CompositeInfo",  {   40,   40,   40 }, { 0 } },
	[CLR_READY_FUNCTIONS] =                { "ReadyToRunInfo.RuntimeFunctions", {   80,   80,   80 }, { 0 } },
	[CLR_READY_FUNCTIONS_COUNT] =          { "ReadyToRunInfo.NumRuntimeFunctions", {   88,   88,   88 }, { 0 } },
	[CLR_READY_COLD_MAP] =                 { "ReadyToRunInfo.HotColdMap",     {   96,   96,   96 }, { 0 } },
	[CLR_READY_COLD_COUNT] =               { "ReadyToRunInfo.NumHotColdMap",  {  104,  104,  104 }, { 0 } },
	[CLR_READY_METHODS] =                  { "ReadyToRunInfo.EntryPointToMethodDescMap", {  432,  432,  360,  376 }, { 0 } },
	[CLR_HASH_BUCKETS] =                   { "HashMap.Buckets",               {   16,   16,   16 }, { 0 } },
	[CLR_DYNAMIC_METHOD_NAME] =            { "DynamicMethodDesc.MethodName",  {   24,   32,   32 }, { 0 } },
	[CLR_FRAME_NEXT] =                     { "Frame.Next",                  {    8,    8,    8 }, { 0 } },
	[CLR_INLINED_METHOD] =                 { "InlinedCallFrame.Datum",      { NONE,   16,   16 }, { 0 } },
	[CLR_INLINED_SP] =                     { "InlinedCallFrame.CallSiteSP", {   32,   24,   24 }, { 0 } },
	[CLR_INLINED_RETURN] =                 { "InlinedCallFrame.CallerReturnAddress", {   40,   32,   32 }, { 0 } },
	[CLR_INLINED_FP] =                     { "InlinedCallFrame.CalleeSavedFP", {   48,   40,   40 }, { 0 } },
	[CLR_FRAMED_BLOCK] =                   { "FramedMethodFrame.TransitionBlockPtr", {   16,   16,   16 }, { 0 } },
	[CLR_FRAMED_METHOD] =                  { "FramedMethodFrame.MethodDescPtr", {   24,   24,   24 }, { 0 } },
	[CLR_BLOCK_SAVED] =                    { "TransitionBlock.CalleeSavedRegisters", {   48,   48,   48 }, { 0 } },
	[CLR_BLOCK_RETURN] =                   { "TransitionBlock.ReturnAddress", {   96,   96,   96 }, { 0 } },
	[CLR_RESUMABLE_CONTEXT] =              { "ResumableFrame.TargetContextPtr", {   16,   16,   16 }, { 0 } },
	[CLR_FAULTING_CONTEXT] =               { "FaultingExceptionFrame.TargetContext", {   32,   32,   32 }, { 0 } },
	[CLR_SOFTWARE_CONTEXT] =               { "SoftwareExceptionFrame.TargetContext", { NONE, NONE,  288 }, { 0 } },
	[CLR_HIJACK_RETURN] =                  { "HijackFrame.ReturnAddress",   {   16,   16,   16 }, { 0 } },
	[CLR_HIJACK_ARGUMENTS] =               { "HijackFrame.HijackArgsPtr",   {   32,   32,   32 }, { 0 } },
	[CLR_HIJACK_SAVED] =                   { "HijackArgs.CalleeSavedRegisters", {   24,   24,   24 }, { 0 } },
};
/* clang-format on */

/* Names that newer descriptors, or those of Native AOT, have for fields. */
static const struct {
	enum clr_field field;
	const char *name;
} renamed[] = {
	{ CLR_THREAD_GC_HANDLE, "Thread.ExposedObject" },
	{ CLR_MT_FLAGS, "MethodTable.Flags" },
	{ CLR_MT_PER_INST, "MethodTable.RelatedType" },
	{ CLR_APP_DOMAIN_ASSEMBLIES, "AppDomain.AssemblyList" },
};

const char *
clr_layout_versions(void)
{
	return ".NET " CLR_VERSIONS;
}

const struct clr_facts *
clr_facts(unsigned version)
{
	const struct clr_facts *f = versions;
	size_t count = sizeof(versions) / sizeof(versions[0]);

	if (version && version < FIRST_VERSION)
		version = FIRST_VERSION;
	while (f + 1 < versions + count && f[1].version <= version)
		f++;
	return f;
}

unsigned
clr_version_of_table(uint64_t table_bytes)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (table_bytes && versions[i].table_bytes == table_bytes)
			return versions[i].version;
	return 0;
}

static int
offset_in(const struct row *row, int column)
{
	int offset = 0;

	for (int i = 0; i <= column; i++)
		if (row->offset[i])
			offset = row->offset[i];
	return offset == ZERO ? 0 : offset;
}

static int
more_on_arm64(const struct row *row, int version)
{
	return version >= ARM64_LATER && row->arm64_more[1] ? row->arm64_more[1]
							    : row->arm64_more[0];
}

bool
clr_layout_init(struct clr_layout *layout, int version, enum memory_machine machine,
		struct error *err)
{
	int column = version - FIRST_VERSION;

	if (column < 0)
		return error_set(
		    err, ERROR_INPUT,
		    "memory is read from .NET %d on, and this is .NET %s%d; a process is read by "
		    "its events: heaptop PID; a core by: dotnet-dump analyze FILE",
		    FIRST_VERSION, version < 5 ? "Core " : "",
		    version == 4 ? 3 : version); /* 3.1 calls itself 4.700 */
	if (column >= VERSIONS_COUNT)
		return error_set(err, ERROR_INPUT,
				 ".NET %d cannot be read from memory, only " CLR_VERSIONS
				 "; " CLR_OTHER_WAYS,
				 version);
	*layout = (struct clr_layout){
		.version = version,
		.facts = clr_facts((unsigned)version),
		.is_guess = machine == MEMORY_ARM64 && version < ARM64_FIRST,
	};
	for (size_t i = 0; i < CLR_FIELDS_COUNT; i++) {
		int offset = offset_in(&rows[i], column);

		if (offset != NONE && machine == MEMORY_ARM64)
			offset += more_on_arm64(&rows[i], version);
		layout->offset[i] = offset == NONE ? CLR_ABSENT : (uint32_t)offset;
	}
	return true;
}

void
clr_layout_init_empty(struct clr_layout *layout, int version)
{
	*layout = (struct clr_layout){
		.version = version,
		.facts = clr_facts((unsigned)version),
	};
	for (size_t i = 0; i < CLR_FIELDS_COUNT; i++)
		layout->offset[i] = CLR_ABSENT;
}

void
clr_layout_init_native(struct clr_layout *layout, int version)
{
	static const struct clr_facts facts = { .is_collector_measured = true };

	clr_layout_init_empty(layout, version);
	layout->facts = &facts;
}

bool
clr_layout_is_enough(const struct clr_layout *layout, const char **missing)
{
	static const enum clr_field needed[] = {
		CLR_THREAD_STORE_FIRST, CLR_THREAD_STORE_COUNT, CLR_THREAD_ID,
		CLR_THREAD_OS_ID,       CLR_THREAD_STATE,       CLR_THREAD_NEXT,
		CLR_ALLOC_POINTER,      CLR_ALLOC_LIMIT,        CLR_MT_FLAGS,
		CLR_MT_BASE_SIZE,       CLR_MT_MODULE,          CLR_MT_CLASS_OR_CANON,
		CLR_CLASS_MT,           CLR_GENERATION_CONTEXT, CLR_GENERATION_SEGMENT,
		CLR_SEGMENT_ALLOCATED,  CLR_SEGMENT_COMMITTED,  CLR_SEGMENT_RESERVED,
		CLR_SEGMENT_MEM,        CLR_SEGMENT_FLAGS,      CLR_SEGMENT_NEXT,
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (clr_has(layout, needed[i]))
			continue;
		*missing = rows[needed[i]].name;
		return false;
	}
	*missing = rows[CLR_LOCALS_ALLOC_CONTEXT].name;
	return clr_has(layout, CLR_THREAD_ALLOC_CONTEXT) ||
	       (clr_has(layout, CLR_THREAD_LOCALS) && clr_has(layout, CLR_LOCALS_ALLOC_CONTEXT));
}

/* A descriptor has a thousand fields, most of them of no interest. */
static bool
is_named(const char *name, const char *type, size_t type_len, const char *field)
{
	return *name == *type && !strncmp(name, type, type_len) && name[type_len] == '.' &&
	       !strcmp(name + type_len + 1, field);
}

enum clr_field
clr_field_find(const char *type, const char *field)
{
	size_t type_len = strlen(type);

	for (size_t i = 0; i < CLR_FIELDS_COUNT; i++)
		if (is_named(rows[i].name, type, type_len, field))
			return (enum clr_field)i;
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (is_named(renamed[i].name, type, type_len, field))
			return renamed[i].field;
	return CLR_FIELDS_COUNT;
}

const char *
clr_field_name(enum clr_field field)
{
	return rows[field].name;
}

/* False: the field's place is unknown, or `base` is 0. */
static bool
field_address(const struct clr_layout *layout, uint64_t base, enum clr_field field,
	      uint64_t *address)
{
	return base && clr_has(layout, field) &&
	       !__builtin_add_overflow(base, layout->offset[field], address);
}

bool
clr_u16(const struct clr_layout *layout, struct memory_reader *r, uint64_t base,
	enum clr_field field, uint16_t *value)
{
	uint64_t address;

	*value = 0;
	return field_address(layout, base, field, &address) && memory_u16(r, address, value);
}

bool
clr_u32(const struct clr_layout *layout, struct memory_reader *r, uint64_t base,
	enum clr_field field, uint32_t *value)
{
	uint64_t address;

	*value = 0;
	return field_address(layout, base, field, &address) && memory_u32(r, address, value);
}

bool
clr_u64(const struct clr_layout *layout, struct memory_reader *r, uint64_t base,
	enum clr_field field, uint64_t *value)
{
	uint64_t address;

	*value = 0;
	return field_address(layout, base, field, &address) && memory_u64(r, address, value);
}
