#!/bin/sh
# targets.sh builds the C# programs of the tests in build/targets:
#   leaky-VERSION         the reference program, for each version of .NET, once
#   leaky-VERSION-single  the same as a single file
#   leaky-VERSION-native  the same by Native AOT, if its compiler is available; the
#                         symbols are in the program, for 10.0 in leaky.dbg beside it
#   leaky-VERSION-native-server
#                         the same with server GC, which is chosen when it is compiled;
#                         for 10.0 and 11.0
#   ingester-VERSION, shop-VERSION, hosted-VERSION, native-VERSION
#                         programs with faults to find; rebuilt after changes
#   sites-VERSION         allocations at known sites; rebuilt after changes
#   rtasync-11.0          suspended calls of runtime async
#   rtasync-11.0-off      the same calls as state machines
#   oracle                ClrMD's view, to compare with; rebuilt after changes
#   traces                TraceEvent's view of event traces; rebuilt after changes
#   samples               types that leaky loads; rebuilt after changes
# It needs the .NET SDK and its package registry. Without them it prints the reason,
# does not retry for half an hour, and the tests that need the programs are skipped.
# With HEAPTOP_TARGETS_REQUIRED=1 it fails, and so do those tests.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=${HEAPTOP_TARGETS:-build/targets}
names='leaky-8.0 leaky-8.0-single leaky-9.0 leaky-9.0-single leaky-10.0
	leaky-10.0-single leaky-8.0-native leaky-9.0-native leaky-10.0-native
	leaky-10.0-native-server
	oracle samples traces
	leaky-11.0 leaky-11.0-single leaky-11.0-native leaky-11.0-native-server
	rtasync-11.0 rtasync-11.0-off
	ingester-8.0 ingester-9.0 ingester-10.0 ingester-11.0 shop-10.0 shop-11.0 hosted-10.0
	native-10.0 sites-8.0 sites-9.0 sites-10.0 sites-11.0'

# A clone has new times but the same sources: a folder of programs may serve many.
sum_of_sources() { # sum_of_sources PROGRAM
	cat "tests/programs/$1"/*.cs* | cksum
}

# is_there NAME
is_there() {
	program=${1%%-*}
	case $1 in
	leaky-10.0-native*) [ -f "$folder/$1/leaky.dbg" ] ;;
	leaky-*) [ -x "$folder/$1/leaky" ] ;;
	*)
		[ -f "$folder/$1/$program.dll" ] &&
			[ "$(sum_of_sources "$program")" = "$(cat "$folder/$1/sources.sum" 2>/dev/null)" ]
		;;
	esac
}

missing=
for name in $names; do
	is_there "$name" || missing="$missing $name"
done
[ -n "$missing" ] && [ ! -e "$folder/is-whole" ] || exit 0
mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)

# Only one process builds at a time, even in several runs of the tests.
exec 9>"$folder/lock" || exit 1
flock 9

# Tests run with their own home; the SDK's settings are in the user's.
home=$(getent passwd "$(id -u)" | cut -d: -f6)
[ -n "$home" ] && export HOME="$home"
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
export DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1
# Profiles of a run of a minute cost more than they save.
export DOTNET_TieredPGO=0

# The machine to build for.
case $(uname -m) in
aarch64) machine=arm64 ;;
*) machine=x64 ;;
esac
system=linux
ldd --version 2>&1 | grep -q musl && system=linux-musl
limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 840'

# lists NAME PROJECT [PROPERTY=VALUE…] adds a copy of the project to the list of
# programs to publish.
programs=$folder/programs.props
listed=
lists() {
	name=$1 project=$2
	shift 2
	# Do not retry soon: waiting for a missing network takes long.
	if [ -n "$(find "$folder/failed-$name" -mmin -30 2>/dev/null)" ]; then
		echo "targets: publishing $name failed a while ago"
		return 1
	fi
	work=$folder/work-$name
	rm -rf "$work" && cp -R "tests/programs/$project" "$work" || exit 1
	printf '<Program Include="%s/%s.csproj" AdditionalProperties="%s" />\n' \
		"$work" "$project" "$(IFS=';' && echo "$*")" >>"$programs"
	listed="$listed $name"
}

# Puts a program into its place if it is published.
keeps() { # keeps NAME
	name=$1 work=$folder/work-$1
	if [ -e "$work/published" ]; then
		rm -rf "$folder/failed-$name" "${folder:?}/$name"
		sum_of_sources "${name%%-*}" >"$work/out/sources.sum"
		mv "$work/out" "$folder/$name"
		rm -rf "$work"
		return 0
	fi
	echo "targets: cannot publish $name:"
	grep "/work-$name/" "$folder/log" | grep ': error ' | tail -n 3
	touch "$folder/failed-$name"
	rm -rf "$work"
	return 1
}

# framework VERSION [native]: the properties that choose it. The SDK knows no .NET 11:
# programs are compiled for 10 and get the runtime of 11.
framework() {
	case $1 in
	11.0)
		echo "Framework=net10.0 RuntimeFrameworkVersion=11.0.0"
		[ "${2:-}" = native ] && echo "NativeCompiler=11.0.0"
		;;
	*) echo "Framework=net$1" ;;
	esac
}

# strips VERSION: whether the symbols go into a file of their own
strips() {
	case $1 in
	10.0-*) echo true ;;
	*) echo false ;;
	esac
}

failed=0
if ! command -v dotnet >/dev/null 2>&1; then
	echo "targets: no .NET SDK (dotnet): real processes are not tested"
	failed=1
	missing=
fi
echo '<Project><ItemGroup>' >"$programs"
for target in $missing; do
	is_there "$target" && continue
	program=${target%%-*} version=${target#*-}
	case $target in
	oracle | samples | traces)
		lists "$target" "$target" || failed=1
		continue
		;;
	*-native | *-native-server)
		server=false
		[ "${version%-server}" = "$version" ] || server=true
		version=${version%-server}
		# shellcheck disable=SC2046 # words are wanted
		lists "$target" "$program" "RuntimeIdentifier=$system-$machine" SelfContained=true \
			$(framework "${version%-native}" native) PublishAot=true EventSourceSupport=true \
			ServerGarbageCollection=$server \
			DebugType=portable "StripSymbols=$(strips "$version")"
		continue
		;;
	esac
	single=false
	[ "${version%-single}" = "$version" ] || single=true
	async=on
	[ "${version%-off}" = "$version" ] || async=off
	version=${version%-off}
	# shellcheck disable=SC2046 # words are wanted
	lists "$target" "$program" "RuntimeIdentifier=$system-$machine" SelfContained=true \
		$(framework "${version%-single}") PublishSingleFile=$single \
		RuntimeAsync=$async || failed=1
done
echo '</ItemGroup></Project>' >>"$programs"

if [ -n "$listed" ]; then
	# The compiler of this run, and of no other one.
	compiler=heaptop-$$
	# shellcheck disable=SC2086 # words are wanted
	$limit dotnet msbuild tests/programs/targets.proj -nologo -maxCpuCount:1 -nodeReuse:false \
		-p:Programs="$programs" -p:SharedCompilationId=$compiler >"$folder/log" 2>&1
	for target in $listed; do
		# Native AOT may lack its compiler.
		keeps "$target" || case $target in *-native*) ;; *) failed=1 ;; esac
	done
fi
[ $failed -eq 0 ] || [ "${HEAPTOP_TARGETS_REQUIRED:-0}" != 1 ]
