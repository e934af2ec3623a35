# Main targets: all (the default), demo, check, install. Each variant has a build
# folder of its own.
VERSION = 0.1.0
BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
FUZZ_SECONDS ?= 60
JOBS := $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory
# make V=1 shows whole commands.
ifneq ($(V),1)
Q = @echo "  $@";
endif
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wformat=2 -Wundef \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes \
	-Wimplicit-fallthrough -Wnull-dereference
ifeq ($(WERROR),1)
WARN += -Werror
endif
# Every x86-64 of the last fifteen years is v2. Other machines get no flag.
ARCH := $(shell echo | $(CC) -march=x86-64-v2 -E - >/dev/null 2>&1 && echo -march=x86-64-v2)
pkg = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)

# heaptop reads hostile input, often as root, so memory errors must end the
# program. Flags that the compiler does not know are left out; the result is
# checked by check_hardening.sh. _FORTIFY_SOURCE needs optimization and conflicts
# with the sanitizers.
known = $(foreach flag,$(1),$(shell $(CC) -Werror $(flag) -S -o /dev/null -x c /dev/null 2>/dev/null && echo $(flag)))
HARDEN := $(call known,-fstack-protector-strong -fstack-clash-protection \
	-fcf-protection=full -mbranch-protection=standard) -fPIE
ifeq ($(filter -O0 -fsanitize%,$(CFLAGS)),)
HARDEN += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
endif
# C needs no tables for exceptions: 300 KB of the static program. Debuggers use those
# of -g; the sanitizers need them for backtraces.
ifeq ($(filter -fsanitize%,$(CFLAGS)),)
UNWIND := $(call known,-fno-asynchronous-unwind-tables)
endif
HARDEN_LINK = -pie -Wl,-z,relro,-z,now,-z,noexecstack
# Some C libraries have no static-pie programs. A program with a sanitizer cannot
# be static: its link with -static fails.
STATIC_LINK = $(if $(findstring -fsanitize,$(GIVEN_CFLAGS)),-static,$(STATIC_PIE)) \
	-Wl,-z,relro,-z,now,-z,noexecstack $(PACKED)
STATIC_PIE = $(shell echo 'int main(void) { return 0; }' | $(CC) -fPIE -static-pie -x c \
	-o /dev/null - 2>/dev/null && echo -static-pie || echo -static)
# Packed relocations save 250 KB; older C libraries do not apply them at the start.
PACKED = $(shell t=$$(mktemp) && echo 'int x, *p = &x; int main(void) { return p != &x; }' | $(CC) -fPIE \
	$(STATIC_PIE) -Wl,-z,pack-relative-relocs -x c -o $$t - 2>/dev/null && $$t 2>/dev/null && \
	echo -Wl,-z,pack-relative-relocs; rm -f $$t)

override CPPFLAGS += -I. -I$(BUILD) -D_POSIX_C_SOURCE=200809L
# Keep the paths of the tree and the build folder out of the program.
PLACELESS = -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(BUILD)=build
GIVEN_CFLAGS := $(CFLAGS)
override CFLAGS += -std=c17 -pthread $(ARCH) $(PLACELESS) $(HARDEN) $(UNWIND) $(WARN)
# A change of these rebuilds all objects.
FLAGS := $(CC) $(CPPFLAGS) $(CFLAGS)
LDLIBS := $(call pkg,--libs ncursesw libedit libzstd jansson sqlite3) -lm -pthread
TEST_LDLIBS := -Wl,--as-needed $(call pkg,--libs cmocka vterm)

PROGRAM_SRC = tui/cli/main.c tui/cli/version.c
PROGRAM = $(PROGRAM_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libheaptop.a
LIB_SRC = $(filter-out $(PROGRAM_SRC),$(wildcard model/*/*.c io/*/*.c capture/*.c capture/*/*.c tui/*/*.c))
HEADERS = $(wildcard model/*/*.h io/*/*.h capture/*.h capture/*/*.h tui/*/*.h tests/*/*.h)
# tests/FOLDER contains the tests of FOLDER; all test programs are in
# $(BUILD)/tests. Tests share made/ (input), drive/ (running the program) and
# judge/ (second opinions).
TESTED_FOLDERS = model io capture tui
TESTED = $(foreach folder,$(TESTED_FOLDERS),tests/$(folder) tests/$(folder)/*)
TEST_SRC = $(wildcard $(TESTED:%=%/test_*.c))
FUZZ_SRC = $(wildcard $(TESTED:%=%/fuzz_*.c))
TEST_LIB_SRC = $(wildcard tests/made/*.c tests/drive/*.c tests/judge/*.c)
SRC = $(LIB_SRC) $(PROGRAM_SRC) $(TEST_SRC) $(FUZZ_SRC) $(TEST_LIB_SRC) \
	$(wildcard tests/run/*.c tests/speed/*.c tests/torture/*.c)
in_tests = $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(1)))
TESTS = $(call in_tests,$(TEST_SRC))
FUZZERS = $(filter-out $(NOT_RUN:%=$(BUILD)/tests/%),$(call in_tests,$(FUZZ_SRC)))
CHECKS = $(wildcard tests/*/check_*.sh)
# Full sweeps; check_*.sh runs their short forms.
TORTURE = $(patsubst tests/torture/torture_%.sh,%,$(wildcard tests/torture/torture_*.sh))
# For programs of another machine: an emulator, and the tests that cannot run in it.
EMULATOR =
NOT_RUN =
TESTS_RUN = $(filter-out $(NOT_RUN:%=$(BUILD)/tests/%),$(TESTS))
PROGRAM_RUN = $(BUILD)/heaptop$(EMULATOR:%=-emulated)
# Runs one test and writes its report; sum_up.sh adds up the reports.
RUN_TEST = BUILD=$(BUILD) HEAPTOP=$(PROGRAM_RUN) CC='$(CC)' VERSION=$(VERSION) \
	CPPFLAGS='$(CPPFLAGS)' MAKE='$(MAKE)' sh tests/run/run_one.sh $(words $(REPORTS))

all: $(BUILD)/heaptop

$(BUILD)/libheaptop.a: $(LIB_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/libtests.a: $(TEST_LIB_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/%.a:
	@rm -f $@
	@$(AR) qcs $@ $^
# Compressed, the debug information of an optimized program makes it 8 MB instead of 14; the link takes
# 0.8 s more.
PACKED_DEBUG = $(if $(filter -O0,$(GIVEN_CFLAGS)),,$(shell echo 'int main(void) { return 0; }' | \
	$(CC) -gz -x c -o /dev/null - 2>/dev/null && echo -gz))
$(BUILD)/heaptop: $(PROGRAM)
	$(Q)$(CC) $(CFLAGS) $(HARDEN_LINK) $(PACKED_DEBUG) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# For a debugger: nothing is optimized, and the paths of the sources are absolute.
debug:
	@$(MAKE) build-debug/heaptop BUILD=build-debug CFLAGS='-O0 -g3' PLACELESS=
# A single file to copy to any machine. Some systems have no static libraries; a
# failure is only reported. Nothing unwinds the stack: the index for that is 50 KB.
# SQLite names zlib, which only its shell uses.
STATIC_LDLIBS = $(filter-out -lz,$(call pkg,--static --libs ncursesw libedit libzstd jansson sqlite3)) \
	-lm -pthread
$(BUILD)/heaptop-static: $(PROGRAM)
	$(Q)$(CC) $(CFLAGS) $(STATIC_LINK) -Wl,--no-eh-frame-hdr $(LDFLAGS) -s -Wl,-t,-t -o $@ $^ $(STATIC_LDLIBS) \
		>$@.linked 2>$@.log || { echo "no static heaptop: see $@.log"; rm -f $@; }
static: $(BUILD)/heaptop-static
	@ls -l $(BUILD)/heaptop-static
$(foreach test,test_static test_via check_via check_install,$(BUILD)/tests/$(test).report): | $(BUILD)/heaptop-static
TEST_LIBS = $(BUILD)/libtests.a $(BUILD)/libheaptop.a
# Options and commands need no speed: the program is 35 KB smaller.
ifneq ($(filter -O2,$(GIVEN_CFLAGS)),)
$(patsubst %.c,$(BUILD)/%.o,$(filter tui/cli/% tui/app/%,$(SRC))): override CFLAGS += -Os
endif
# 250 test programs are compiled and linked in half the time with less optimization
# and without debug information. For a debugger, make with CFLAGS='-O0 -g'.
ifneq ($(filter -O2,$(GIVEN_CFLAGS)),)
$(TEST_SRC:%.c=$(BUILD)/%.o) $(FUZZ_SRC:%.c=$(BUILD)/%.o) $(TEST_LIB_SRC:%.c=$(BUILD)/%.o): \
	override CFLAGS += -O1 -g0
TEST_LINK = -Wl,--strip-debug
endif
# One rule for each test program names its object file.
in_object_folder = $(call in_tests,$(1)): $(1:%.c=$(BUILD)/%.o)
$(foreach source,$(TEST_SRC) $(FUZZ_SRC),$(eval $(call in_object_folder,$(source))))
$(BUILD)/tests/test_%: $(TEST_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LINK) -o $@ $(filter %.o,$^) $(TEST_LIBS) $(LDLIBS) $(TEST_LDLIBS)
# FUZZ_MAIN is libFuzzer in build-fuzz, else a main() that replays files.
REPLAY = $(BUILD)/tests/run/replay.o
FUZZ_MAIN = $(REPLAY)
$(BUILD)/tests/fuzz_%: $(REPLAY) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LINK) -o $@ $(filter-out $(REPLAY) %.a,$^) $(FUZZ_MAIN) \
		$(TEST_LIBS) $(LDLIBS) $(TEST_LDLIBS)
SPEED = $(BUILD)/tests/speed
$(BUILD)/tests/gen_gcdump: $(SPEED)/gen_gcdump.o $(SPEED)/gen_graph.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^
$(BUILD)/tests/gen_fleet: $(BUILD)/tests/torture/gen_fleet.o $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/tests/bench: $(SPEED)/bench.o $(SPEED)/bench_heap.o $(SPEED)/bench_values.o $(SPEED)/bench_sql.o \
	$(TEST_LIBS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TEST_LDLIBS)
$(BUILD)/tests/bench_live: $(SPEED)/bench_live.o $(TEST_LIBS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TEST_LDLIBS)

# The flags of curses define their own feature test macros.
CURSES := $(call pkg,--cflags ncursesw libedit)
$(BUILD)/tui/%.o: override CPPFLAGS += $(CURSES)
$(BUILD)/tui/cli/version.o: override CPPFLAGS += -DHEAPTOP_VERSION='"$(VERSION)"' \
	-DHEAPTOP_COMMIT='"$(shell cat $(BUILD)/commit)"' \
	-DLIBEDIT_VERSION='"$(call pkg,--modversion libedit)"'
$(BUILD)/tui/cli/save_database.o: override CPPFLAGS += -DHEAPTOP_VERSION='"$(VERSION)"'
$(BUILD)/tui/cli/save_database.o: Makefile
$(BUILD)/tui/cli/version.o: Makefile $(BUILD)/commit
COMMIT = $(shell sh .ci/commit)
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(COMMIT)' ] || echo '$(COMMIT)' >$@
$(BUILD)/tui/base/places.o: override CPPFLAGS += -DSHARE_FOLDER='"$(PREFIX)/share/heaptop"'
$(BUILD)/tui/base/places.o: $(BUILD)/prefix
$(BUILD)/tui/term/theme.o: $(BUILD)/themes_builtin.h
$(BUILD)/tui/base/queries.o: $(BUILD)/queries_builtin.h
$(BUILD)/capture/remote/carrier.o: $(BUILD)/box_builtin.h
$(BUILD)/tui/cli/tour_dumps.o: $(BUILD)/tour_builtin.h
$(BUILD)/prefix: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(PREFIX)' ] || echo '$(PREFIX)' >$@
$(BUILD)/tui/cli/manual.o: $(BUILD)/manual_builtin.h
BUILTIN = $(BUILD)/manual_builtin.h $(BUILD)/themes_builtin.h $(BUILD)/queries_builtin.h $(BUILD)/box_builtin.h \
	$(BUILD)/tour_builtin.h
# The built-in themes, queries and script are generated from their files: "NAME", "text".
builtin = @mkdir -p $(@D); { \
	echo 'static const struct builtin_$(1) { const char *name, *text; } $(2)[] = {'; \
	for file in $^; do echo "{ \"$$(basename $$file .$(3))\","; \
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $$file; echo '},'; done; echo '};'; } >$@
$(BUILD)/themes_builtin.h: $(sort $(wildcard themes/*.theme))
	$(call builtin,theme,builtin_themes,theme)
$(BUILD)/box_builtin.h: capture/remote/box.sh
	$(call builtin,box,builtin_box,sh)
$(BUILD)/queries_builtin.h: $(sort $(wildcard queries/*.sql))
	$(call builtin,query,builtin_queries,sql)
# Pages and dumps are numbers, since compilers need not know strings of such length.
numbers = od -An -v -t$(1)1 $(2) | sed 's/  */,/g; s/^,//; s/$$/,/'
MANUAL = $(sort $(wildcard man/*.[1-9]))
$(BUILD)/manual_builtin.h: $(MANUAL)
	@mkdir -p $(@D); { n=0; for file in $(MANUAL); do n=$$((n + 1)); \
	echo "static const char page_$$n[] = {"; \
	$(call numbers,d,$$file); echo '0 };'; done; \
	echo 'static const struct { const char *name, *text; } builtin_manual[] = {'; \
	n=0; for file in $(MANUAL); do n=$$((n + 1)); \
	echo "{ \"$$(basename $$file)\", page_$$n },"; done; echo '};'; } >$@
# The dumps of the tour, saved by heaptop -o from those in tests/data.
TOUR = tour/leaky-1.heaptop tour/leaky-2.heaptop
$(BUILD)/tour_builtin.h: $(TOUR)
	@mkdir -p $(@D)
	@for dump in 1 2; do echo "static const unsigned char dump_$$dump[] = {"; \
	$(call numbers,u,tour/leaky-$$dump.heaptop); echo '};'; done >$@
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(FLAGS)' ] || echo '$(FLAGS)' >$@
$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/has-build
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
-include $(SRC:%.c=$(BUILD)/%.d)

# The commands that make would run, for clangd and other tools.
compile_commands.json: $(BUILTIN) FORCE
	@$(MAKE) -nB V=1 $(SRC:%.c=$(BUILD)/%.o) | sed -n -e 's/[\\"]/\\&/g' \
		-e 's|^.* -c -o [^ ]*\.o \([^ ]*\.c\)$$|{"directory": "$(CURDIR)", "file": "\1", "command": "&"},|p' | \
		sed -e '1s/^/[/' -e '$$s/,$$/]/' >$@

# make installs no packages: it names missing ones and a command to install them.
build-arm64/has-arm64: SETUP_FOR = HEAPTOP_SETUP=arm64 #
$(BUILD)/has-% build-arm64/has-%: .ci/setup
	@packages=$$(sh .ci/setup --missing $*) || { echo; \
		echo "heaptop needs packages that are not there: $$packages"; \
		echo "To install them and go on: $(SETUP_FOR)sh .ci/setup make $(MAKECMDGOALS)"; \
		echo; exit 1; } >&2
	@mkdir -p $(@D) && touch $@
$(TEST_SRC:%.c=$(BUILD)/%.o) $(TEST_LIB_SRC:%.c=$(BUILD)/%.o): | $(BUILD)/has-check

demo: all
	@if [ -t 1 ]; then $(BUILD)/heaptop tests/data/leaky-10.gcdump; \
	else $(BUILD)/heaptop -b types tests/data/leaky-10.gcdump; fi

# The longest begin first, so that the others run beside them.
LONGEST = test_kills check_delivery test_harm test_still test_planted check_allocations test_freeze check_via check_together \
	check_stacks check_sites test_clr_cores test_native test_clr_smash test_sql check_headers check_arm64
ALL_REPORTS = $(TESTS_RUN:%=%.report) $(FUZZERS:%=%.report) \
	$(patsubst %.sh,$(BUILD)/tests/%.report,$(notdir $(CHECKS)))
LONGEST_REPORTS = $(filter $(ALL_REPORTS),$(LONGEST:%=$(BUILD)/tests/%.report))
REPORTS = $(LONGEST_REPORTS) $(filter-out $(LONGEST_REPORTS),$(ALL_REPORTS))
check: $(PROGRAM_RUN) $(TESTS_RUN) $(FUZZERS) $(BUILD)/tests/gen_gcdump $(BUILD)/tests/gen_fleet
	@rm -f $(BUILD)/tests/*.report $(BUILD)/tests/*.report.beside
	@$(MAKE) $(REPORTS)
	@again=$$(sh tests/run/again.sh $(REPORTS)); [ -z "$$again" ] || $(MAKE) -j1 $$again
	@sh tests/run/sum_up.sh $(REPORTS)
$(BUILD)/tests/test_%.report: FORCE
	@$(RUN_TEST) $@ $(EMULATOR) $(@:.report=)
$(BUILD)/tests/fuzz_%.report: FORCE
	@$(RUN_TEST) $@ $(EMULATOR) $(@:.report=) tests/corpus/$*
$(BUILD)/tests/check_%.report: FORCE
	@$(RUN_TEST) $@ sh $(wildcard tests/*/check_$*.sh)

# Cross-compiled with Debian's compiler and packages for arm64.
ARM64 = BUILD=build-arm64 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
	PKG_CONFIG='env PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig pkg-config'
# Only the tests of bytes run: the screen does not depend on the machine, tests of
# processes would see those of the host and the emulator, and thousands of made-up
# graphs, methods and damaged files take half an hour. Of graphs and analyses the answers are compared instead.
ARM64_ANSWERS = types objects roots dominators findings groups
ARM64_TESTS = EMULATOR=qemu-aarch64 CHECKS= TESTED_FOLDERS='model/base model/heap io' \
	NOT_RUN='$(NOT_EMULATED)'
NOT_EMULATED = test_clr_cores test_clr_damage test_clr_smash test_clr_roots \
	test_core_limits test_async test_locks test_crashed test_waits test_samples \
	test_heap test_heap_stream test_names test_order test_walk test_walk_salvage \
	test_changing test_gcdump_anew test_gcdump_damage test_gcdump_write test_gclog \
	test_gclog_write test_saved test_saved_damage test_saved_derived test_gc_images test_stack_walk fuzz_clr
static-arm64: | build-arm64/has-arm64
	@$(MAKE) static $(ARM64)
check-arm64: $(BUILD)/heaptop | build-arm64/has-arm64
	@$(MAKE) static $(ARM64) CFLAGS=-O1
	@for view in $(ARM64_ANSWERS); do for heap in tests/data/leaky-10*.gcdump*; do \
		$(BUILD)/heaptop -b $$view --csv $$heap >build-arm64/here 2>&1; \
		qemu-aarch64 build-arm64/heaptop-static -b $$view --csv $$heap >build-arm64/there 2>&1; \
		cmp build-arm64/here build-arm64/there || exit 1; done; done
	@echo "not under an emulator: $(NOT_EMULATED)"
	@$(MAKE) check $(ARM64) CFLAGS=-O1 $(ARM64_TESTS)
$(BUILD)/heaptop-emulated: $(BUILD)/heaptop
	@printf '#!/bin/sh\nexec $(EMULATOR) $(abspath $<) "$$@"\n' >$@ && chmod +x $@

# These inspect the tree or the packages, replace malloc(), measure the effect on a
# target, start many of them, or mostly wait.
NOT_SANITIZED = delivery hardening allocations mem fleet layers calls headers docs install completions limits stops \
	sites together recording
NOT_SANITIZED_TESTS = test_harm test_kills test_still test_freeze test_static test_everywhere test_endings \
	test_capture_streams test_changing test_planted test_native test_new_objects test_reasons \
	test_questions test_fixed_leaks test_database test_via
SANITIZE = -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
# gcc compiles with both sanitizers in half of clang's time; with musl it has none.
# HEAPTOP_DAMAGES is the number of damaged cores for each test; 100 without sanitizers.
SANITIZER_CC = $(shell echo 'int main(void) { return 0; }' | gcc -fsanitize=address -x c -o /dev/null - 2>/dev/null && \
	echo gcc || echo clang)
check-asan:
	@HEAPTOP_DAMAGES=$${HEAPTOP_DAMAGES:-20} $(MAKE) check BUILD=build-asan CC=$(SANITIZER_CC) CFLAGS='$(SANITIZE) -fno-sanitize-recover=all' \
		CHECKS='$(filter-out $(foreach check,$(NOT_SANITIZED),%/check_$(check).sh),$(CHECKS))' NOT_RUN='$(NOT_SANITIZED_TESTS)'
# Warnings need no code generation.
check-clang: $(SRC:%.c=syntax/%)
syntax/%: | $(BUILTIN)
	@clang -fsyntax-only -Werror -std=c17 $(WARN) $(CPPFLAGS) $(if $(filter tui/%,$*),$(CURSES)) \
		$(TIDY_VERSION) $*.c
tests: $(TESTS) $(FUZZERS) $(BUILD)/tests/gen_gcdump $(BUILD)/tests/bench $(BUILD)/tests/bench_live
check-layers check-calls check-headers check-docs check-install check-hardening: check-%: all
	@BUILD=$(BUILD) HEAPTOP=$(BUILD)/heaptop CC='$(CC)' VERSION=$(VERSION) \
		CPPFLAGS='$(CPPFLAGS)' MAKE='$(MAKE)' sh $(wildcard tests/*/check_$*.sh)

fuzz-%:
	@mkdir -p build-fuzz/corpus-$*
	@$(MAKE) build-fuzz/tests/fuzz_$* BUILD=build-fuzz CC=clang FUZZ_MAIN=-fsanitize=fuzzer \
		CFLAGS='$(SANITIZE),fuzzer-no-link -fno-sanitize-recover=all'
	build-fuzz/tests/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 -timeout=25 \
		-print_final_stats=1 -artifact_prefix=build-fuzz/ build-fuzz/corpus-$* tests/corpus/$*
coverage:
	-@$(MAKE) check BUILD=build-cov PLACELESS= CC=gcc CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage
	@sh tests/run/coverage.sh build-cov $(LIB_SRC)
golden: $(TESTS)
	@HEAPTOP_GOLDEN=1 $(MAKE) check
# Take the pictures of README from a terminal.
screenshots: all $(BUILD)/tests/test_screenshots
	@HEAPTOP_GOLDEN=1 HEAPTOP=$(BUILD)/heaptop $(BUILD)/tests/test_screenshots
# Abort captures at a hundred moments, for each runtime; takes some minutes.
harm: all $(BUILD)/tests/test_harm $(BUILD)/tests/test_still $(BUILD)/tests/test_freeze
	HEAPTOP=$(BUILD)/heaptop HEAPTOP_KILLS=100 $(BUILD)/tests/test_harm
	HEAPTOP=$(BUILD)/heaptop HEAPTOP_KILLS=100 $(BUILD)/tests/test_still
	HEAPTOP_KILLS=100 $(BUILD)/tests/test_freeze
# Takes hours; TORTURE=allocations runs one of them.
torture: all $(BUILD)/tests/gen_fleet
	@for part in $(TORTURE); do echo "== $$part"; \
		BUILD=$(BUILD) HEAPTOP=$(BUILD)/heaptop CC='$(CC)' sh tests/torture/torture_$$part.sh || exit; done
bench: all $(BUILD)/tests/bench $(BUILD)/tests/bench_live $(BUILD)/tests/gen_gcdump
	@sh tests/speed/bench.sh $(BUILD)

format:
	clang-format -i $(SRC) $(HEADERS)
# Other versions of clang-format break lines differently.
check-format:
	@case "$$(clang-format --version)" in \
	*'version 14.'*) clang-format --dry-run --Werror $(SRC) $(HEADERS) ;; \
	*) echo "not checked: the tree is formatted with clang-format 14" ;; esac
# In tests the analyzer does not know that failed cmocka asserts do not return.
tidy: $(SRC:%.c=tidy/%)
tidy/tests/%: TIDY_CHECKS = --checks=-clang-analyzer-*
# The analyzer does not know that qsort() only reorders the pointers.
tidy/io/gcdump/types tidy/model/heap/build: TIDY_CHECKS = --checks=-clang-analyzer-core.NullDereference
# The analyzer does not know that what a map finds is in the list.
tidy/model/heap/async_modules: TIDY_CHECKS = --checks=-clang-analyzer-core.NullDereference
# The analyzer does not know that the second pass over the entries meets the kinds
# that the first has made room for.
tidy/model/graph/ignored: TIDY_CHECKS = --checks=-clang-analyzer-core.NullDereference
# The analyzer does not follow numbers that are written and read as bytes.
tidy/io/heaptop/derived tidy/io/clr/values tidy/io/clr/statics tidy/io/clr/graph_objects \
	tidy/io/runtime/types tidy/io/runtime/code_ready: TIDY_CHECKS = --checks=-clang-analyzer-core.UndefinedBinaryOperatorResult
tidy/model/base/error: TIDY_FLAGS =
TIDY_VERSION = -DHEAPTOP_VERSION='""' -DHEAPTOP_COMMIT='""' -DLIBEDIT_VERSION='""'
TIDY_FLAGS = -D_GNU_SOURCE= -include tests/run/tidy.h
# A third of the paths that the analyzer follows by default, in a third of the time.
ANALYZER = -Xclang -analyzer-config -Xclang max-nodes=75000
tidy/%: | $(BUILTIN)
	@clang-tidy --quiet --warnings-as-errors='*' $(TIDY_CHECKS) $*.c -- -std=c17 $(CPPFLAGS) \
		$(CURSES) $(TIDY_VERSION) $(TIDY_FLAGS) $(ANALYZER) 2>/dev/null
# All supported compilers shift negative numbers right arithmetically. cppcheck
# takes `p ? p : &v` for a read of v. The columns come from a constant table.
cppcheck:
	cppcheck --quiet -j $(JOBS) --std=c11 --enable=warning,portability --inline-suppr \
		--suppress=missingIncludeSystem --suppress=shiftNegativeLHS \
		--suppress=shiftTooManyBitsSigned --suppress=uninitvar \
		--suppress=arrayIndexOutOfBoundsCond:io/pe/metadata_tables.c \
		--error-exitcode=1 -I. model io capture tui tests

DEST = $(DESTDIR)$(PREFIX)
MAN = $(DEST)/share/man
BASH = $(DEST)/share/bash-completion/completions
ZSH = $(DEST)/share/zsh/site-functions
FISH = $(DEST)/share/fish/vendor_completions.d
STATIC_PROGRAMS = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine))):$(BUILD)/heaptop-static \
	aarch64:build-arm64/heaptop-static
PAGES = $(wildcard man/heaptop*.[157])
install: all
	install -d $(DEST)/bin $(MAN)/man1 $(MAN)/man5 $(MAN)/man7 $(DEST)/share/heaptop/themes \
		$(DEST)/share/doc/heaptop $(BASH) $(ZSH) $(FISH)
	install -m 755 $(BUILD)/heaptop $(DEST)/bin/heaptop
	@# What --via sends to other machines, if it is built.
	for machine in $(STATIC_PROGRAMS); do \
		[ ! -e $${machine#*:} ] || install -D -m 755 $${machine#*:} \
			$(DEST)/libexec/heaptop/heaptop-$${machine%%:*} || exit; \
	done
	for page in $(PAGES); do install -m 644 $$page $(MAN)/man$${page##*.} || exit; done
	install -m 644 man/heaptop.bash $(BASH)/heaptop
	install -m 644 man/_heaptop $(ZSH)/_heaptop
	install -m 644 man/heaptop.fish $(FISH)/heaptop.fish
	install -m 644 themes/README themes/*.theme $(DEST)/share/heaptop/themes
	install -m 644 LICENSE README.md man/heaptoprc $(DEST)/share/doc/heaptop
	install -m 644 tests/data/leaky-10.gcdump tests/data/leaky-10-later.gcdump.zst \
		$(DEST)/share/heaptop
uninstall:
	rm -f $(DEST)/bin/heaptop $(BASH)/heaptop $(ZSH)/_heaptop $(FISH)/heaptop.fish \
		$(foreach page,$(PAGES),$(MAN)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -rf $(DEST)/share/heaptop $(DEST)/share/doc/heaptop $(DEST)/libexec/heaptop

# Packages. The same commit gives the same bytes.
dist:
	@sh .ci/dist $(BUILD) $(VERSION)
deb:
	@rm -rf build-deb/tree
	@$(MAKE) install BUILD=build-deb DESTDIR=build-deb/tree PREFIX=/usr >/dev/null
	@CC='$(CC)' sh .ci/deb build-deb/tree build-deb $(VERSION)
# The libraries that the programs are linked with, as CycloneDX.
sbom: all static
	@for program in heaptop heaptop-static; do [ ! -e $(BUILD)/$$program ] || \
		CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' sh .ci/sbom $(BUILD)/$$program $(VERSION) \
		>$(BUILD)/$$program.cdx.json; done; ls -l $(BUILD)/*.cdx.json
$(BUILD)/heaptop-static.cdx.json: static FORCE
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' sh .ci/sbom $(BUILD)/heaptop-static $(VERSION) >$@
# Static programs for both machines, and what belongs to them. RELEASE_ARM64= makes
# one without that for arm64.
RELEASE_ARM64 = build-arm64/heaptop-static
release: $(BUILD)/heaptop-static.cdx.json
	@[ -z '$(RELEASE_ARM64)' ] || { $(MAKE) static-arm64 && \
		$(MAKE) build-arm64/heaptop-static.cdx.json $(ARM64); }
	@sh .ci/release build-release $(VERSION) $(BUILD)/heaptop-static $(RELEASE_ARM64)
# The root folder of an image with only the static program.
container: static
	@rm -rf $(BUILD)/container && mkdir $(BUILD)/container
	@cp $(BUILD)/heaptop-static $(BUILD)/container/heaptop
	@echo "docker build -f .ci/Containerfile -t heaptop $(BUILD)/container"
clean:
	rm -rf build build-* compile_commands.json

.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all debug static static-arm64 dist deb sbom release container demo check check-arm64 check-asan \
	check-clang check-layers check-calls check-headers check-docs check-install check-hardening tests coverage golden \
	harm torture bench format check-format tidy cppcheck install uninstall clean FORCE
