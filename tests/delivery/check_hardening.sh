#!/bin/sh
# check_hardening.sh checks that heaptop, and heaptop-static if it can be built, are
# hardened: position-independent, with read-only relocations, no writable and
# executable page, stack protection and checked buffer functions.
set -u

. tests/run/results.sh

# look PROGRAM prints each missing protection.
look() {
	elf=$(readelf -W -h -l -d "$1")
	symbols=$(nm -D "$1" 2>/dev/null; nm "$1" 2>/dev/null)
	echo "$elf" | grep -q 'Type: *DYN' || echo "one fixed address"
	echo "$elf" | grep -q 'GNU_RELRO' || echo "no RELRO"
	echo "$elf" | grep -Eq 'BIND_NOW|Flags:.*NOW' || echo "no immediate binding"
	echo "$elf" | grep -q 'GNU_STACK.* RW ' || echo "an executable stack"
	! echo "$elf" | grep -q 'LOAD.* RWE ' || echo "a page that is writable and executable"
	echo "$symbols" | grep -q '__stack_chk_fail' || echo "no stack protector"
	# Some C libraries have no checked functions.
	! has_fortify || echo "$symbols" | grep -q '__[a-z]*_chk' || echo "no checked functions"
}

# compile FLAGS… compiles standard input to $folder/program.
compile() { $CC "$@" -x c -o "$folder/program" - 2>/dev/null; }

has_fortify() { [ -n "$fortify" ]; }

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fortify=
copies='#include <string.h>
int main(int n, char **v) { char b[9]; strcpy(b, v[n - 1]); return b[0]; }'
if echo "$copies" | compile -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2; then
	fortify=$(nm -D "$folder/program" | grep __strcpy_chk)
fi

lacks=$(look "$BUILD/heaptop")
[ -z "$lacks" ]
result $? "heaptop has $lacks"

# The static program has no symbols, so only its headers can be checked.
can_be_pie() { echo 'int main(void) { return 0; }' | compile -fPIE -static-pie; }
if [ -e "$BUILD/heaptop-static" ] && can_be_pie; then
	lacks=$(look "$BUILD/heaptop-static" | grep -Ev 'stack protector|checked functions')
	[ -z "$lacks" ]
	result $? "heaptop-static has $lacks"
fi

# A program has this note only if the C library's objects have it too, so check our
# own objects.
case $(uname -m) in
x86_64) wanted='IBT, SHSTK' flag=-fcf-protection=full ;;
aarch64) wanted='BTI' flag=-mbranch-protection=standard ;;
*) wanted=nothing flag= ;;
esac
if echo 'int main(void) { return 0; }' | compile -c $flag &&
	readelf -n "$folder/program" | grep -q "$wanted"; then
	objects=$(ar t "$BUILD/libheaptop.a" | grep -c .)
	guarded=$(readelf -n "$BUILD/libheaptop.a" | grep -c "$wanted")
	[ "$objects" -gt 100 ] && [ "$guarded" -eq "$objects" ]
	result $? "$guarded of $objects objects have $wanted"
fi

# An unprotected program must fail the check.
echo "$copies" | compile -O2 -U_FORTIFY_SOURCE -no-pie -fno-stack-protector \
	-Wl,-z,norelro,-z,lazy,-z,execstack
found=$(look "$folder/program" | grep -c .)
[ "$found" -ge 5 ]
result $? "the program without protections lacks only $found"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
