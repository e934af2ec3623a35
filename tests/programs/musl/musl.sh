#!/bin/sh
# musl.sh FOLDER makes a root with musl in FOLDER/root, and in FOLDER the reference
# program on the .NET runtimes for musl: leaky-11.0, leaky-10.0, leaky-10.0-single and
# leaky-8.0.
# Each program is a script that enters the root. There /proc, /sys, /dev, /tmp, FOLDER
# and the folder it is called from are the same as outside. It needs root, and the registries of Debian's packages
# and NuGet; it takes some minutes, once. If something is missing it prints the reason
# and fails.
#
# Debian has musl, but no C++ library for it. So gcc's own is built from Debian's
# source of gcc; the one for unwinding is Debian's, with what it needs of glibc in
# find_object.c.
set -u
cd "$(dirname "$0")/../../.." || exit 1
here=$PWD/tests/programs/musl
mkdir -p "$1" && cd "$1" || exit 1
folder=$PWD
root=$folder/root
libraries=$root/usr/lib

fail() {
	echo "musl: $*"
	exit 1
}

[ "$(uname -m)" = x86_64 ] || fail "only on x86-64"
for tool in apt-get dpkg-deb dotnet gcc g++ make unshare pivot_root; do
	command -v $tool >/dev/null 2>&1 || fail "no $tool"
done
unshare -m true 2>/dev/null || fail "mounts of its own are denied"
exec 9>"$folder/lock" || exit 1
flock 9
# targets.sh adds no programs for glibc, so that tests can run with this folder.
touch "$folder/is-whole"
[ ! -e ../samples ] || ln -sfn ../samples samples

# package NAME FOLDER unpacks a package of Debian.
package() {
	(cd "$folder/work" && apt-get download "$1" >log 2>&1 && dpkg-deb -x "$1"_*.deb "$2") ||
		fail "cannot get Debian's package $1"
}

# compile COMPILER writes the script work/COMPILER, which compiles for the root.
compile() {
	printf '#!/bin/sh\nexec %s "$@" -specs %s/specs\n' "$1" "$folder/work" >"$folder/work/$1"
	chmod +x "$folder/work/$1"
}

make_root() {
	gcc=$(gcc -dumpversion)
	rm -rf "$root" work && mkdir -p "$libraries" "$root/etc" work/tree work/libstdc++ || exit 1
	package musl "$folder/work/musl"
	package musl-dev "$folder/work/musl"
	package busybox-static "$folder/work/busybox"
	package "gcc-$gcc-source" "$folder/work/source"
	ln -s usr/lib "$root/lib"
	ln -s usr/bin "$root/bin"
	mkdir "$root/usr/bin"
	cp work/busybox/bin/busybox "$root/usr/bin"
	for name in sh umount; do ln -s busybox "$root/usr/bin/$name"; done
	cp work/musl/lib/x86_64-linux-musl/libc.so "$libraries/ld-musl-x86_64.so.1"
	ln -s ld-musl-x86_64.so.1 "$libraries/libc.musl-x86_64.so.1"

	musl=$folder/work/musl/usr
	ln -sf "$libraries/ld-musl-x86_64.so.1" "$musl/lib/x86_64-linux-musl/libc.so"
	sed "s,/usr/include,$musl/include,; s,/usr/lib/x86,$musl/lib/x86,g
		/^\*libgcc:/{n; s/.*/libgcc.a%s --push-state --no-as-needed -lgcc_s --pop-state libgcc.a%s/}" \
		"$musl/lib/x86_64-linux-musl/musl-gcc.specs" >work/specs
	compile gcc
	compile g++
	cp -L "$(gcc -print-file-name=libgcc_s.so.1)" "$libraries" &&
		work/gcc -O1 -fPIC -shared -nostdlib -Wl,-soname,libfind_object.so \
			-o "$libraries/libfind_object.so" "$here/find_object.c" -lc &&
		echo "GROUP ( $libraries/libgcc_s.so.1 $libraries/libfind_object.so )" \
			>"$musl/lib/x86_64-linux-musl/libgcc_s.so" || exit 1

	nice tar -C work/tree --strip-components=1 --no-wildcards-match-slash --wildcards \
		-xf work/source/usr/src/gcc-*/gcc-*.tar.* '*/libstdc++-v3' '*/libgcc' '*/config' \
		'*/config.*' '*/config-ml.in' '*/*.m4' '*/ltmain.sh' '*/include' '*/libiberty' \
		'*/libbacktrace' '*/install-sh' '*/missing' '*/mkinstalldirs' '*/move-if-change' \
		'*/multilib.am' '*/depcomp' '*/gcc/DATESTAMP' '*/gcc/BASE-VER' || exit 1
	ln -s gthr-posix.h work/tree/libgcc/gthr-default.h
	(
		cd work/libstdc++ &&
			nice ../tree/libstdc++-v3/configure --host=x86_64-linux-musl \
				--disable-multilib --disable-nls --disable-libstdcxx-pch --disable-static \
				--disable-libstdcxx-filesystem-ts CC="$folder/work/gcc" \
				CXX="$folder/work/g++" CFLAGS=-O1 CXXFLAGS=-O1 AR=ar RANLIB=ranlib LD=ld \
				NM=nm AS=as && nice make -j2
	) >log-root 2>&1 && cp -L work/libstdc++/src/.libs/libstdc++.so.6 "$libraries" ||
		fail "cannot build libstdc++: $(tail -n 1 log-root)"
	rm -rf work && touch "$root/whole"
}

cat >enter <<'END'
#!/bin/sh
# enter COMMAND… runs it in the root.
root=$(dirname "$(realpath "$0")")/root
export root
exec unshare -m sh -c '
	mount --bind "$root" "$root" || exit 126
	for place in /proc /sys /dev /tmp "${root%/root}" "$PWD"; do
		mkdir -p "$root$place" && mount --rbind "$place" "$root$place" || exit 126
	done
	here=$PWD
	cd "$root" && pivot_root . . && exec /bin/sh -c "
		umount -l / && cd \"\$0\" && exec \"\$@\"" "$here" "$@"' sh "$@"
END
chmod +x enter

# publish NAME ARGUMENT… publishes the reference program into work/out.
publish() {
	rm -rf work && mkdir work && cp -R "$here/../leaky" work/leaky || exit 1
	[ -z "$extra" ] || printf '%s\n' "$extra" >work/leaky/Directory.Build.targets
	log=log-$1
	shift
	timeout 300 dotnet publish work/leaky/leaky.csproj -c Release -r linux-musl-x64 \
		-p:DisableTransitiveFrameworkReferenceDownloads=true "$@" -nodeReuse:false \
		-p:UseSharedCompilation=false -o work/out >"$log" 2>&1 ||
		fail "cannot publish: $(grep -m1 error "$log")"
}

# install NAME makes work/out the program of this name.
install() {
	mkdir work/program && mv work/out work/program/files || exit 1
	for file in leaky createdump; do
		[ -e "work/program/files/$file" ] || continue
		printf '#!/bin/sh\nhere=$(dirname "$(realpath "$0")")\nexec "$here/../enter" "$here/files/%s" "$@"\n' \
			$file >work/program/$file && chmod +x work/program/$file || exit 1
	done
	rm -rf "$1" && mv work/program "$1" && rm -rf work
}

export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
export DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1
[ -e "$root/whole" ] || make_root
extra=
for name in leaky-10.0-single leaky-10.0 leaky-11.0; do
	[ -x "$name/leaky" ] && continue
	single=false runtime=
	[ "${name%-single}" = "$name" ] || single=true
	[ "$name" != leaky-11.0 ] || runtime=-p:RuntimeFrameworkVersion=11.0.0
	publish "$name" --self-contained true -p:Framework=net10.0 -p:PublishSingleFile=$single \
		$runtime
	install "$name"
done

# The registry has .NET 8 for musl, but not its host. Take that of 10.0; the runtime's
# files replace those of the program for glibc.
version=8.0.34
pack=Microsoft.NETCore.App.Runtime.linux-musl-x64
if [ ! -x leaky-8.0/leaky ]; then
	glibc=$(dirname "$folder")/leaky-8.0
	[ -x "$glibc/leaky" ] || fail "no program for .NET 8.0 in $glibc"
	extra="<Project><ItemGroup><PackageDownload Include=\"$pack\" Version=\"[$version]\" />
		</ItemGroup></Project>"
	publish leaky-8.0 --self-contained false -p:Framework=net8.0 -p:UseAppHost=false
	packages=$(dotnet nuget locals global-packages -l | sed 's/^[^/]*//')
	files=$packages/$(echo $pack | tr '[:upper:]' '[:lower:]')/$version/runtimes/linux-musl-x64
	rm -rf work/out && cp -R "$glibc/." work/out &&
		cp "$files"/lib/net8.0/*.dll "$files"/native/* work/out &&
		cp leaky-10.0/files/leaky work/out/leaky || exit 1
	install leaky-8.0
fi
