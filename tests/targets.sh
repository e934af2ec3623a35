#!/bin/sh
# targets.sh: builds the reference program (tests/leaky) for each version of
# .NET that is tested, once, into build/targets/leaky-VERSION, and as a single
# file into leaky-VERSION-single. That needs the .NET SDK and its package
# registry; where they are missing, it says so, remembers it for a while, and
# the tests that need the programs are skipped. With HEAPTOP_TARGETS_REQUIRED=1
# it fails, and so do they.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${HEAPTOP_TARGETS:-build/targets}
versions='8.0 8.0-single 9.0 9.0-single 10.0 10.0-single'

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
	# Not again at once: waiting for a network that is not there takes long.
	if [ -n "$(find "$folder/failed-$version" -mmin -30 2>/dev/null)" ]; then
		echo "targets: publishing for .NET $version failed a while ago"
		failed=1
		continue
	fi
	work=$folder/work-$version
	rm -rf "$work" && cp -R tests/leaky "$work" || exit 1
	single=false
	[ "${version%-single}" = "$version" ] || single=true
	if $limit dotnet publish "$work/leaky.csproj" -c Release -r "$system-$machine" \
		--self-contained true -p:Framework=net${version%-single} \
		-p:PublishSingleFile=$single -nodeReuse:false \
		-p:UseSharedCompilation=false -o "$work/out" >"$folder/log-$version" 2>&1; then
		rm -f "$folder/failed-$version"
		mv "$work/out" "$folder/leaky-$version"
	else
		echo "targets: cannot publish for .NET $version:"
		tail -n 3 "$folder/log-$version"
		touch "$folder/failed-$version"
		failed=1
	fi
	rm -rf "$work"
done
[ $failed -eq 0 ] || [ "${HEAPTOP_TARGETS_REQUIRED:-0}" != 1 ]
