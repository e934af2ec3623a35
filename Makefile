# make, make demo, make check, make install. Every variant has a build folder
# of its own, so that none spoils another.
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
# What every x86-64 of the last fifteen years has; nothing on other machines.
ARCH := $(shell echo | $(CC) -march=x86-64-v2 -E - >/dev/null 2>&1 && echo -march=x86-64-v2)
pkg = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)

override CPPFLAGS += -I. -I$(BUILD) -D_POSIX_C_SOURCE=200809L
override CFLAGS += -std=c17 -pthread $(ARCH) $(WARN)
LDLIBS := $(call pkg,--libs ncursesw libedit libzstd) -lm -pthread
TEST_LDLIBS := -Wl,--as-needed $(call pkg,--libs cmocka vterm)

LIB_SRC = $(wildcard model/*.c io/*.c capture/*.c) $(filter-out tui/main.c,$(wildcard tui/*.c))
HEADERS = $(wildcard model/*.h io/*.h capture/*.h tui/*.h tests/*.h)
SRC = $(LIB_SRC) tui/main.c $(wildcard tests/*.c)
# Programs; whatever else is in tests/ is shared by them.
TESTS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/test_*.c))
FUZZERS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz_*.c))
CHECKS = $(wildcard tests/check_*.sh)
TEST_LIB_SRC = $(filter-out tests/test_% tests/fuzz_% tests/gen_% tests/bench% \
	tests/replay.c,$(wildcard tests/*.c))
# Puts a test's report beside it; a sum is made of the reports at the end.
RUN_TEST = BUILD=$(BUILD) HEAPTOP=$(BUILD)/heaptop CC='$(CC)' VERSION=$(VERSION) \
	CPPFLAGS='$(CPPFLAGS)' MAKE='$(MAKE)' sh tests/run_one.sh

all: $(BUILD)/heaptop

$(BUILD)/libheaptop.a: $(LIB_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/libtests.a: $(TEST_LIB_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/%.a:
	@rm -f $@
	@$(AR) rcs $@ $^
$(BUILD)/heaptop: $(BUILD)/tui/main.o $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# One file to copy to a box. Not everywhere are there static libraries.
STATIC_LDLIBS = $(call pkg,--static --libs ncursesw libedit libzstd) -lm -pthread
$(BUILD)/heaptop-static: $(BUILD)/tui/main.o $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -s -o $@ $^ $(STATIC_LDLIBS) 2>$@.log || \
		{ echo "no static heaptop: see $@.log"; rm -f $@; }
static: $(BUILD)/heaptop-static
	@ls -l $(BUILD)/heaptop-static
$(BUILD)/tests/test_static.report: | $(BUILD)/heaptop-static
$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/libtests.a $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TEST_LDLIBS)
# FUZZ_MAIN is libFuzzer in build-fuzz, else a main() that replays files.
FUZZ_MAIN = $(BUILD)/tests/replay.o
$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz_%.o $(BUILD)/tests/replay.o $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(BUILD)/libheaptop.a $(LDLIBS)
$(BUILD)/tests/gen_gcdump: $(BUILD)/tests/gen_gcdump.o $(BUILD)/tests/gen_graph.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^
$(BUILD)/tests/bench: $(BUILD)/tests/bench.o $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/tests/bench_live: $(BUILD)/tests/bench_live.o $(BUILD)/libtests.a $(BUILD)/libheaptop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TEST_LDLIBS)

# The curses flags say themselves which of the system's names they want.
$(BUILD)/tui/%.o: override CPPFLAGS += $(call pkg,--cflags ncursesw libedit)
$(BUILD)/tui/main.o: override CPPFLAGS += -DHEAPTOP_VERSION='"$(VERSION)"'
$(BUILD)/tui/main.o: Makefile
$(BUILD)/tui/places.o: override CPPFLAGS += -DSHARE_FOLDER='"$(PREFIX)/share/heaptop"'
$(BUILD)/tui/places.o: $(BUILD)/prefix
$(BUILD)/tui/theme.o: $(BUILD)/themes_builtin.h
$(BUILD)/prefix: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(PREFIX)' ] || echo '$(PREFIX)' >$@
# The built-in themes are the files themselves.
$(BUILD)/themes_builtin.h: $(sort $(wildcard themes/*.theme))
	@mkdir -p $(@D)
	@{ echo 'static const struct builtin_theme { const char *name, *text; } builtin_themes[] = {'; \
	for theme in $^; do echo "{ \"$$(basename $$theme .theme)\","; \
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $$theme; echo '},'; done; echo '};'; } >$@
$(BUILD)/%.o: %.c | $(BUILD)/has-build
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
-include $(SRC:%.c=$(BUILD)/%.d)

# Nothing is installed here: a missing package is named, with a command.
$(BUILD)/has-%: .ci/setup
	@packages=$$(sh .ci/setup --missing $*) || { echo; \
		echo "heaptop needs packages that are not there: $$packages"; \
		echo "To install them and go on: sh .ci/setup make $(MAKECMDGOALS)"; \
		echo; exit 1; } >&2
	@mkdir -p $(@D) && touch $@
$(TESTS:%=%.o) $(TEST_LIB_SRC:%.c=$(BUILD)/%.o): | $(BUILD)/has-check

demo: all
	@if [ -t 1 ]; then $(BUILD)/heaptop tests/data/leaky-10.gcdump; \
	else $(BUILD)/heaptop -b types tests/data/leaky-10.gcdump; fi

check: all $(TESTS) $(FUZZERS) $(BUILD)/tests/gen_gcdump
	@$(MAKE) $(TESTS:%=%.report) $(FUZZERS:%=%.report) $(CHECKS:%.sh=$(BUILD)/%.report)
	@sh tests/sum_up.sh $(TESTS:%=%.report) $(FUZZERS:%=%.report) $(CHECKS:%.sh=$(BUILD)/%.report)
$(BUILD)/tests/test_%.report: FORCE
	@$(RUN_TEST) $@ $(@:.report=)
$(BUILD)/tests/fuzz_%.report: FORCE
	@$(RUN_TEST) $@ $(@:.report=) tests/corpus/$*
$(BUILD)/tests/check_%.report: FORCE
	@$(RUN_TEST) $@ sh tests/check_$*.sh

SANITIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined
check-asan:
	@$(MAKE) check BUILD=build-asan CC=clang CFLAGS='$(SANITIZE) -fno-sanitize-recover=all'
check-clang:
	@$(MAKE) all tests BUILD=build-clang CC=clang WERROR=1
tests: $(TESTS) $(FUZZERS) $(BUILD)/tests/gen_gcdump $(BUILD)/tests/bench $(BUILD)/tests/bench_live
check-layers check-headers check-docs check-install: check-%: all
	@BUILD=$(BUILD) HEAPTOP=$(BUILD)/heaptop CC='$(CC)' VERSION=$(VERSION) \
		CPPFLAGS='$(CPPFLAGS)' MAKE='$(MAKE)' sh tests/check_$*.sh

fuzz-%:
	@mkdir -p build-fuzz/corpus-$*
	@$(MAKE) build-fuzz/tests/fuzz_$* BUILD=build-fuzz CC=clang FUZZ_MAIN=-fsanitize=fuzzer \
		CFLAGS='$(SANITIZE),fuzzer-no-link -fno-sanitize-recover=all'
	build-fuzz/tests/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 -timeout=25 \
		-print_final_stats=1 -artifact_prefix=build-fuzz/ build-fuzz/corpus-$* tests/corpus/$*
coverage:
	-@$(MAKE) check BUILD=build-cov CC=gcc CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage
	@sh tests/coverage.sh build-cov $(LIB_SRC)
golden: $(TESTS)
	@HEAPTOP_GOLDEN=1 $(MAKE) check
# At a hundred moments of a capture, for each runtime; takes some minutes.
harm: all $(BUILD)/tests/test_harm
	HEAPTOP=$(BUILD)/heaptop HEAPTOP_KILLS=100 $(BUILD)/tests/test_harm
bench: all $(BUILD)/tests/bench $(BUILD)/tests/bench_live $(BUILD)/tests/gen_gcdump
	@sh tests/bench.sh $(BUILD)

format:
	clang-format -i $(SRC) $(HEADERS)
# Other versions of clang-format break lines elsewhere.
check-format:
	@case "$$(clang-format --version)" in \
	*'version 14.'*) clang-format --dry-run --Werror $(SRC) $(HEADERS) ;; \
	*) echo "not checked: the tree is formatted with clang-format 14" ;; esac
# In tests the analyzer does not know that cmocka's asserts do not return.
tidy: $(SRC:%.c=tidy/%)
tidy/tests/%: TIDY_CHECKS = --checks=-clang-analyzer-*
# Nor that memory_make_room() leaves no null behind.
tidy/model/heap_build: TIDY_CHECKS = --checks=-clang-analyzer-core.NullDereference
tidy/model/error: TIDY_FLAGS =
TIDY_FLAGS = -D_GNU_SOURCE= -include tests/tidy.h
tidy/%: | $(BUILD)/themes_builtin.h
	@clang-tidy --quiet --warnings-as-errors='*' $(TIDY_CHECKS) $*.c -- -std=c17 $(CPPFLAGS) \
		$(call pkg,--cflags ncursesw libedit) -DHEAPTOP_VERSION='""' $(TIDY_FLAGS) 2>/dev/null
# Shifting negative numbers right is what every compiler here does alike;
# cppcheck takes `p ? p : &v` for reading v; columns come from a constant table.
cppcheck:
	cppcheck --quiet -j $(JOBS) --std=c11 --enable=warning,portability --inline-suppr \
		--suppress=missingIncludeSystem --suppress=shiftNegativeLHS \
		--suppress=shiftTooManyBitsSigned --suppress=uninitvar \
		--suppress=arrayIndexOutOfBoundsCond:io/metadata_tables.c \
		--error-exitcode=1 -I. model io capture tui tests

DEST = $(DESTDIR)$(PREFIX)
install: all
	install -d $(DEST)/bin $(DEST)/share/man/man1 $(DEST)/share/man/man5 $(DEST)/share/heaptop/themes \
		$(DEST)/share/doc/heaptop $(DEST)/share/bash-completion/completions \
		$(DEST)/share/zsh/site-functions $(DEST)/share/fish/vendor_completions.d
	install -m 755 $(BUILD)/heaptop $(DEST)/bin/heaptop
	install -m 644 man/heaptop.1 $(DEST)/share/man/man1/heaptop.1
	install -m 644 man/heaptop*.5 $(DEST)/share/man/man5
	install -m 644 man/heaptop.bash $(DEST)/share/bash-completion/completions/heaptop
	install -m 644 man/_heaptop $(DEST)/share/zsh/site-functions/_heaptop
	install -m 644 man/heaptop.fish $(DEST)/share/fish/vendor_completions.d/heaptop.fish
	install -m 644 themes/*.theme $(DEST)/share/heaptop/themes
	install -m 644 LICENSE README.md man/heaptoprc $(DEST)/share/doc/heaptop
uninstall:
	rm -f $(DEST)/bin/heaptop $(DEST)/share/man/man1/heaptop.1 \
		$(patsubst man/%,$(DEST)/share/man/man5/%,$(wildcard man/heaptop*.5)) \
		$(DEST)/share/bash-completion/completions/heaptop \
		$(DEST)/share/zsh/site-functions/_heaptop \
		$(DEST)/share/fish/vendor_completions.d/heaptop.fish
	rm -rf $(DEST)/share/heaptop $(DEST)/share/doc/heaptop
clean:
	rm -rf build build-*

.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all static demo check check-asan check-clang check-layers check-headers check-docs \
	check-install tests coverage golden harm bench format check-format tidy cppcheck install \
	uninstall clean FORCE
