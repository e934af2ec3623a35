#!/bin/sh
# check_delivery.sh makes what is delivered: the source archive, a Debian package, an
# RPM, the list of libraries, and the root folder of an image. Each is made from the
# unpacked archive, without git. The archive and a tenth of the objects are made twice,
# in folders with different names, and must be identical; the package and the release
# are made twice from the same objects. Missing tools are skipped and counted.
set -u
version=$(sed -n 's/^VERSION = //p' Makefile)
built=$(realpath "${BUILD:-build}")
make=${MAKE:-make}
# The settings of the calling make are not for the builds here.
unset BUILD CPPFLAGS CFLAGS VERSION MAKELEVEL
passed=0 failed=0
result() { # result STATUS NAME
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "check-delivery: failed: $2"
		[ ! -s "$log" ] || tail -n 20 "$log"
	fi
	: >"$log"
}
has() { command -v "$1" >/dev/null 2>&1; }
skipped() { echo "skipped: $1"; }

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
log=$folder/log
: >"$log"
# Without optimization, which builds faster and makes no difference here.
run() { # run FOLDER TARGET…
	tree=$1
	shift
	$make -C "$tree" CC="${CC:-cc}" CFLAGS='-O0 -g' "$@" >"$log" 2>&1
}
finish() {
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
	exit
}

# --- the source ---------------------------------------------------------------

if ! tar --version 2>/dev/null | grep -q GNU; then
	skipped 'the source archive and all that is made of it: tar is not GNU tar'
	finish
fi
name=heaptop-$version
run . dist BUILD="$folder/first"
result $? "make dist"
archive=$folder/first/$name.tar.gz
one=$folder/one/$name two=$folder/another_one/$name
mkdir -p "$folder/one" "$folder/another_one"
tar -C "$folder/one" -xzf "$archive" && tar -C "$folder/another_one" -xzf "$archive"
result $? "the archive can be unpacked"
run "$one" dist && cmp "$archive" "$one/build/$name.tar.gz" >"$log" 2>&1
result $? "the archive makes itself again, without git"
tar -tzf "$archive" >"$folder/names"
tr / '\001' <"$folder/names" | LC_ALL=C sort -c - 2>"$log" && [ -z "$(grep -v "^$name/" "$folder/names")" ]
result $? "its names are sorted, below one folder"
[ "$(tar --utc -tvzf "$archive" | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" -eq 1 ]
result $? "its owners and times are one"
if [ -e .git ] && has git && git rev-parse HEAD >/dev/null 2>&1; then
	git ls-files | sort >"$folder/known"
	sed -n "s,^$name/\(.*[^/]\)\$,\1,p" "$folder/names" | sort |
		diff - "$folder/known" >"$log"
	result $? "it has the files that git knows"
	[ "$(sh "$one/.ci/commit")" = "$(sh .ci/commit)" ]
	result $? "it knows its commit"
else
	skipped 'what git knows: there is no git'
fi

# --- the program --------------------------------------------------------------

heap=$(realpath tests/data/leaky-10.gcdump)
can_deb=
if has dpkg-deb && has readelf && has gzip && [ -d /var/lib/dpkg/info ]; then
	can_deb=1
	target=deb
else
	skipped 'the Debian package: there is no dpkg-deb'
	target='all BUILD=build-deb PREFIX=/usr'
fi
# shellcheck disable=SC2086 # words are wanted
run "$one" $target
result $? "make $target"
# A tenth of the objects says whether the folder's name gets into them.
objects=$(cd "$one" && for source in model/base/*.c tui/cli/*.c; do echo "build-deb/${source%.c}.o"; done)
# shellcheck disable=SC2086 # words are wanted
run "$two" BUILD=build-deb PREFIX=/usr $objects
result $? "make objects elsewhere"
for object in $objects; do
	cmp "$one/$object" "$two/$object"
done >"$log" 2>&1
[ ! -s "$log" ]
result $? "the objects are the same bytes in folders of different names"
"$one/build-deb/heaptop" --version >"$folder/said"
grep -qx "commit   $(sh "$one/.ci/commit")" "$folder/said"
result $? "the program says its commit: $(sed -n 2p "$folder/said")"
run "$one" all BUILD=build-deb PREFIX=/usr && ! grep -q '\.o$' "$log"
result $? "nothing is compiled again"
"$built/heaptop" --version | sed 1,2d | cmp -s - /dev/null
[ $? -eq 1 ]
result $? "--version names libraries"

if [ -n "$can_deb" ]; then
	deb=$(echo "$one"/build-deb/*.deb)
	cp "$deb" "$folder/first.deb"
	run "$one" deb && cmp "$deb" "$folder/first.deb" >"$log" 2>&1
	result $? "the package is the same bytes when it is made again"
	dpkg-deb -x "$deb" "$folder/deb" >"$log" 2>&1 &&
		[ "$("$folder/deb/usr/bin/heaptop" --version | head -n 1)" = "heaptop $version" ]
	result $? "the program in it runs"
	(cd "$folder/deb" && dpkg-deb --info "$deb" md5sums | md5sum -c --quiet) >"$log" 2>&1
	result $? "its sums are right"
	[ "$(dpkg-deb -f "$deb" Version)" = "$version" ]
	result $? "its version is $version"
	depends=$(dpkg-deb -f "$deb" Depends)
	for library in libc6 libedit2 libncursesw6 libzstd1 libjansson4 libsqlite3-0; do
		echo ", $depends" | grep -q ", $library (>= [0-9]"
		result $? "it depends on a version of $library: $depends"
	done
	for file in man/man1/heaptop.1.gz man/man7/heaptop-tutorial.7.gz doc/heaptop/copyright \
		bash-completion/completions/heaptop heaptop/themes/light.theme; do
		[ -s "$folder/deb/usr/share/$file" ]
		result $? "it has share/$file"
	done
fi

# --- what is in it, and the image ---------------------------------------------

run "$one" sbom container BUILD=build-deb PREFIX=/usr
made=$?
json=
for tool in jq python3; do
	[ -n "$json" ] || ! has $tool || json=$tool
done
valid() { # valid FILE
	case $json in
	jq) jq . "$1" ;;
	python3) python3 -m json.tool "$1" ;;
	esac >"$folder/json" 2>"$log"
}
if has readelf && [ -n "$json" ]; then
	for file in "$one"/build-deb/*.cdx.json; do
		valid "$file" && grep -q '"CycloneDX"' "$folder/json"
		result $? "$(basename "$file") is JSON"
		for library in glibc ncursesw libedit libzstd jansson sqlite3; do
			grep -Eq "\"($library|$(echo "$library" | sed 's/glibc/musl/'))\"" "$folder/json"
			result $? "$(basename "$file") names $library"
		done
		! grep -q '"unknown"\|"version": ""' "$folder/json"
		result $? "$(basename "$file") knows all versions"
	done
else
	skipped 'what is in the program: there is no readelf, or neither jq nor python3'
fi

root=$one/build-deb/container
if [ ! -x "$one/build-deb/heaptop-static" ]; then
	skipped 'the image: no static program can be linked here'
else
	[ $made -eq 0 ] && [ "$(ls -A "$root")" = heaptop ]
	result $? "the image has the program and nothing else"
	grep -qx 'ENTRYPOINT \["/heaptop"\]' .ci/Containerfile
	result $? "the image runs it"
	change='chroot'
	chroot / true 2>/dev/null || change='unshare -r chroot'
	if $change / true 2>/dev/null; then
		$change "$root" /heaptop --version 2>"$log" | grep -qx "heaptop $version"
		result $? "it runs in the image"
		$change "$root" /heaptop -b types -n 3 - <"$heap" 2>"$log" | grep -q '^Leaky.Session '
		result $? "it reads a dump in the image"
	else
		skipped 'running the image: no root can be changed here'
	fi
fi

# --- a release ----------------------------------------------------------------

if [ ! -x "$one/build-deb/heaptop-static" ] || ! has readelf; then
	skipped 'a release: no static program can be linked here, or there is no readelf'
else
	release=build-release/$name-linux
	for archive_of in first second; do
		run "$one" release BUILD=build-deb PREFIX=/usr RELEASE_ARM64=
		result $? "make release, the $archive_of time"
		mv "$one/$release.tar.gz" "$folder/$archive_of.tar.gz"
		mv "$one/$release.tar.gz.sha256" "$folder/"
	done
	cmp "$folder/first.tar.gz" "$folder/second.tar.gz" >"$log" 2>&1
	result $? "the release is the same bytes when it is made again"
	mv "$folder/second.tar.gz" "$one/$release.tar.gz"
	mv "$folder/$name-linux.tar.gz.sha256" "$one/build-release/"
	mkdir "$folder/release" && tar -C "$folder/release" -xzf "$one/$release.tar.gz" &&
		(cd "$folder/release/$name-linux" && sha256sum -c --quiet SHA256SUMS) >"$log" 2>&1
	result $? "its checksums are right"
	(cd "$one/build-release" && sha256sum -c --quiet "$name-linux.tar.gz.sha256") >"$log" 2>&1
	result $? "the checksum of the archive is right"
	program=$(echo "$folder/release/$name-linux"/heaptop-*[!n])
	[ "$(find "$folder/release" -type f | wc -l)" -eq $(($(wc -l <"$folder/release/$name-linux/SHA256SUMS") + 1)) ]
	result $? "every file has a checksum"
	"$program" --version | grep -qx "heaptop $version"
	result $? "its program runs"
	"$program" --via env -l >"$folder/said" 2>"$log"
	! grep -q 'there is no static' "$log"
	result $? "its program finds what to send: $(cat "$log")"
fi

# --- RPM ----------------------------------------------------------------------

if has rpmspec; then
	[ "$(rpmspec -q --qf '%{name}-%{version}' .ci/heaptop.spec 2>"$log")" = "$name" ]
	result $? "the RPM has this version"
else
	skipped 'the RPM: there is no rpmspec'
fi
if has rpmbuild; then
	rpmbuild -tb --nodeps --define "_topdir $folder/rpm" --define 'optflags -O0' \
		--define 'debug_package %{nil}' "$archive" >"$log" 2>&1
	result $? "rpmbuild -tb $name.tar.gz"
	rpm -qlp "$folder"/rpm/RPMS/*/*.rpm >"$folder/files" 2>"$log"
	for file in bin/heaptop share/man/man7/heaptop-tutorial.7 share/heaptop/themes; do
		grep -q "^/usr/$file" "$folder/files"
		result $? "the RPM has $file"
	done
else
	skipped 'building the RPM: there is no rpmbuild'
fi
finish
