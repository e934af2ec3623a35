#!/bin/sh
# targets.sh: builds the reference program (tests/programs/leaky) for each version of
# .NET that is tested, once, into build/targets/leaky-VERSION, and as a single
# file into leaky-VERSION-single, and by Native AOT into leaky-10.0-native where
# its compiler is to be had; and what heaptop is compared with
# (tests/programs/oracle), and what is loaded into the program (tests/programs/samples), into
# build/targets/oracle and samples, again when they have changed. That
# needs the .NET SDK and its package registry; where they are missing, it says
# so, remembers it for a while, and the tests that need the programs are
# skipped. With HEAPTOP_TARGETS_REQUIRED=1 it fails, and so do they.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=${HEAPTOP_TARGETS:-build/targets}
versions='8.0 8.0-single 9.0 9.0-single 10.0 10.0-single 10.0-native'

# is_there VERSION|oracle|samples
is_there() {
	case $1 in
	oracle | samples)
		[ -f "$folder/$1/$1.dll" ] &&
			[ -z "$(find "tests/programs/$1" -name '*.cs*' -newer "$folder/$1/$1.dll")" ]
		;;
	*) [ -x "$folder/leaky-$1/leaky" ] ;;
	esac
}

missing=
for version in $versions oracle samples; do
	is_there "$version" || missing="$missing $version"
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

# publish NAME PROJECT [ARGUMENT…]: into NAME
publish() {
	name=$1 project=$2
	shift 2
	# Not again at once: waiting for a network that is not there takes long.
	if [ -n "$(find "$folder/failed-$name" -mmin -30 2>/dev/null)" ]; then
		echo "targets: publishing $name failed a while ago"
		return 1
	fi
	work=$folder/work-$name
	rm -rf "$work" && cp -R "tests/programs/$project" "$work" || exit 1
	if $limit dotnet publish "$work/$project.csproj" -c Release "$@" \
		-nodeReuse:false -p:UseSharedCompilation=false -o "$work/out" \
		>"$folder/log-$name" 2>&1; then
		rm -rf "$folder/failed-$name" "${folder:?}/$name"
		mv "$work/out" "$folder/$name"
		rm -rf "$work"
		return 0
	fi
	echo "targets: cannot publish $name:"
	tail -n 3 "$folder/log-$name"
	touch "$folder/failed-$name"
	rm -rf "$work"
	return 1
}

failed=0
if ! command -v dotnet >/dev/null 2>&1; then
	echo "targets: no .NET SDK (dotnet): real processes are not tested"
	failed=1
	missing=
fi
for version in $missing; do
	is_there "$version" && continue
	case $version in
	oracle | samples)
		publish "$version" "$version" || failed=1
		continue
		;;
	*-native)
		publish "leaky-$version" leaky -r "$system-$machine" --self-contained true \
			-p:Framework=net${version%-native} -p:PublishAot=true -p:EventSourceSupport=true
		continue
		;;
	esac
	single=false
	[ "${version%-single}" = "$version" ] || single=true
	publish "leaky-$version" leaky -r "$system-$machine" --self-contained true \
		-p:Framework=net${version%-single} -p:PublishSingleFile=$single ||
		failed=1
done
[ $failed -eq 0 ] || [ "${HEAPTOP_TARGETS_REQUIRED:-0}" != 1 ]
