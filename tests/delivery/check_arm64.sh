#!/bin/sh
# check_arm64.sh reads a real .NET heap of arm64. An npm package with a program that
# contains the .NET 10.0 runtime runs in qemu's user emulation, without a network,
# until a signal crashes it and qemu writes the core. The heap must be sound, its types
# must have names, and the runtime's descriptor must match the built-in layout. The
# check is skipped if a tool is missing. HEAPTOP is the program to test. It takes 10 s
# of CPU time.
set -u
cd "$(dirname "$0")/../.." || exit 1
heaptop=$(realpath "${HEAPTOP:-build/heaptop}")
package=@azure/mcp-linux-arm64@2.0.5
store=$(realpath -m "${HEAPTOP_TARGETS:-build/targets}")/arm64
libraries=${HEAPTOP_ARM64_LIBRARIES:-/usr/aarch64-linux-gnu}
passed=0
failed=0

skip() {
	echo "skipped: $*: no heap of arm64"
	echo "0 passed, 0 failed"
	exit 0
}

# expect WHAT PATTERN: a line of $text must match.
expect() {
	if printf '%s\n' "$text" | grep -Eq -- "$2"; then
		passed=$((passed + 1))
	else
		echo "FAILED: $1: nothing like \"$2\" in"
		printf '%s\n' "$text" | head -n 30
		failed=$((failed + 1))
	fi
}

for tool in qemu-aarch64 unshare npm; do
	command -v $tool >/dev/null 2>&1 || skip "no $tool"
done
[ -e "$libraries/lib/libstdc++.so.6" ] || skip "no libraries in $libraries"
unshare -rn true 2>/dev/null || skip "a namespace without a network is denied"

work=$(mktemp -d "${TMPDIR:-/tmp}/heaptop-arm64.XXXXXX") || exit 1
emulator=
clean_up() {
	[ -z "$emulator" ] || kill -KILL "$emulator" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

if [ ! -x "$store/package/dist/azmcp" ]; then
	(cd "$work" && timeout 200 npm pack --silent "$package" >/dev/null 2>&1) ||
		skip "cannot get $package"
	mkdir -p "$store" && tar -xzf "$work"/*.tgz -C "$store" || exit 1
	rm -f "$work"/*.tgz
fi

# Name the libraries: the emulated loader would use the cache of this machine.
mkfifo "$work/stdin" || exit 1
(
	cd "$work" || exit 1
	ulimit -c unlimited
	export DOTNET_GCHeapHardLimit=8000000 DOTNET_EnableDiagnostics=0
	export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
	export DOTNET_BUNDLE_EXTRACT_BASE_DIR="$work/files"
	export AZURE_MCP_COLLECT_TELEMETRY=false
	exec unshare -rn qemu-aarch64 -cpu cortex-a57 \
		-E LD_LIBRARY_PATH="$libraries/lib" -L "$libraries" \
		"$store/package/dist/azmcp" server start \
		<"$work/stdin" >"$work/out" 2>&1
) &
emulator=$!
exec 3>"$work/stdin"

# This thread exists when most of the program has started.
tries=0
until grep -qs '^Console logger' "/proc/$emulator/task"/*/comm; do
	kill -0 "$emulator" 2>/dev/null || skip "the program ended: $(tail -n 1 "$work/out")"
	tries=$((tries + 1))
	[ $tries -le 1200 ] || skip "the program does not start within two minutes"
	sleep 0.1
done
# The runtime handles the first signal and ignores it. A further signal while qemu
# writes the core would cut it.
tries=0
until ls "$work"/qemu_*.core >/dev/null 2>&1; do
	[ $((tries % 30)) -ne 0 ] || kill -SEGV "$emulator" 2>/dev/null || break
	tries=$((tries + 1))
	[ $tries -le 300 ] || break
	sleep 0.1
done
tries=0
while kill -0 "$emulator" 2>/dev/null && [ $tries -le 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -KILL "$emulator" 2>/dev/null
wait "$emulator" 2>/dev/null
emulator=
core=$(ls "$work"/qemu_*.core 2>/dev/null)
[ -n "$core" ] || skip "qemu wrote no core"

text=$("$heaptop" --probe "$core" 2>&1)
expect machine '^machine arm64$'
expect version '^version 10\.0\.9 '
expect "what it tells" '^layout of types 5[0-9] fields described by the runtime in memory'
expect threads ', [1-9][0-9]* managed$'
if printf '%s\n' "$text" | grep -q '^doubt'; then
	echo "FAILED: $(printf '%s\n' "$text" | grep '^doubt')"
	failed=$((failed + 1))
fi
printf '%s\n' "$text" | grep -q '^gc_state objects are being moved' &&
	skip "its collector was at work"
text=$("$heaptop" -b verify "$core" 2>&1)
expect verify '^nothing is wrong: [1-9][0-9]{0,2},[0-9]{3} objects'
echo "arm64: $text"
text=$("$heaptop" -b types "$core" 2>&1)
expect types '^Microsoft\.Extensions\.DependencyInjection\.ServiceDescriptor +Microsoft\.Extensions[^ ]*\.dll +[1-9]'
expect "generic types" '^ConcurrentDictionary<.*>\.Node '
text=$("$heaptop" -b roots "$core" 2>&1)
expect statics '^ *Environment\.s_commandLineArgs +string\[\] '
expect "statics of threads" '^thread static: [1-9]'
expect stacks '^conservative stack: [1-9]'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
