#!/bin/sh
# targets.sh: builds the reference program (tests/leaky) for each version of
# .NET that is tested, once, into build/targets/leaky-VERSION. That needs the
# .NET SDK and its package registry; where they are missing, it says so and the
# tests that need the programs are skipped, unless HEAPTOP_TARGETS_REQUIRED=1.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${HEAPTOP_TARGETS:-build/targets}
versions='8.0 9.0 10.0'

missing=
for version in $versions; do
	[ -x "$folder/leaky-$version/leaky" ] || missing="$missing $version"
done
[ -n "$missing" ] || exit 0
mkdir -p "$folder" || exit 1

# One at a time, also among several runs of the tests.
exec 9>"$folder/lock" || exit 1
flock 9

# The tests run with a home of their own; the SDK's settings are in the real one.
home=$(getent passwd "$(id -u)" | cut -d: -f6)
[ -n "$home" ] && export HOME="$home"
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
export DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1

# What this machine runs.
case $(uname -m) in
aarch64) machine=arm64 ;;
*) machine=x64 ;;
esac
system=linux
ldd --version 2>&1 | grep -q musl && system=linux-musl
limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 300'

failed=0
if ! command -v dotnet >/dev/null 2>&1; then
	echo "targets: no .NET SDK (dotnet): real processes are not tested"
	failed=1
	missing=
fi
for version in $missing; do
	[ -x "$folder/leaky-$version/leaky" ] && continue
	work=$folder/work-$version
	rm -rf "$work" && cp -R tests/leaky "$work" || exit 1
	if $limit dotnet publish "$work/leaky.csproj" -c Release -r "$system-$machine" \
		--self-contained true -p:Framework=net$version -nodeReuse:false \
		-p:UseSharedCompilation=false -o "$work/out" >"$folder/log-$version" 2>&1; then
		mv "$work/out" "$folder/leaky-$version"
	else
		echo "targets: cannot publish for .NET $version:"
		tail -n 3 "$folder/log-$version"
		failed=1
	fi
	rm -rf "$work"
done
[ $failed -eq 0 ] || [ "${HEAPTOP_TARGETS_REQUIRED:-0}" != 1 ]
