# heaptop: see README.md for the targets.
BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wformat=2 -Wundef \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes \
	-Wimplicit-fallthrough -Wnull-dereference
ifeq ($(WERROR),1)
WARN += -Werror
endif
PKG_CONFIG ?= pkg-config
LIBS = ncursesw libedit libzstd

override CPPFLAGS += -I. -I$(BUILD) -D_POSIX_C_SOURCE=200809L
override CFLAGS += -std=c17 -pthread $(WARN)
LDLIBS = $(shell $(PKG_CONFIG) --libs $(LIBS)) -pthread

LIB_SRC = $(wildcard model/*.c io/*.c capture/*.c) $(filter-out tui/main.c,$(wildcard tui/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(BUILD)/%.o)
TESTS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))

all: $(BUILD)/heaptop
$(BUILD)/heaptop: $(BUILD)/tui/main.o $(LIB_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(LIB_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all
