#!/bin/sh
# check_install.sh checks the files of `make install`, that heaptop runs from there,
# and that `make uninstall` removes all of them and nothing else.
set -u
. tests/run/results.sh

dest=$(mktemp -d) || exit 1
trap 'rm -rf "$dest"' EXIT
root=$dest/opt/heaptop
# -o: install the existing program, even if it was built with other flags.
in_place() {
	${MAKE:-make} -s BUILD="${BUILD:=build}" -o "$BUILD/heaptop" DESTDIR="$dest" \
		PREFIX=/opt/heaptop "$1" >/dev/null
}

mkdir -p "$root/share/man/man1" "$root/bin"
echo mine >"$root/share/man/man1/mine.1"
echo mine >"$root/bin/mine"
in_place install
result $? "make install"
for page in man/heaptop*.[157]; do
	[ -s "$root/share/man/man${page##*.}/${page#man/}" ]
	result $? "$page is installed"
done
for file in bin/heaptop share/doc/heaptop/heaptoprc share/heaptop/leaky-10.gcdump \
	share/heaptop/leaky-10-later.gcdump.zst \
	share/bash-completion/completions/heaptop \
	share/zsh/site-functions/_heaptop \
	share/fish/vendor_completions.d/heaptop.fish \
	share/doc/heaptop/LICENSE share/doc/heaptop/README.md; do
	[ -s "$root/$file" ]
	result $? "$file is installed"
done
for theme in themes/README themes/*.theme; do
	[ -s "$root/share/heaptop/$theme" ]
	result $? "$theme is installed"
done
if [ -e "$BUILD/heaptop-static" ]; then
	cmp -s "$BUILD/heaptop-static" "$root/libexec/heaptop/heaptop-$(uname -m)"
	result $? "the static program is installed, for other machines"
else
	echo "skipped: no static program is built, which would be installed, too"
fi
[ "$("$root/bin/heaptop" --version | head -n 1)" = "heaptop ${VERSION:-}" ]
result $? "the installed program says its version"

in_place uninstall
result $? "make uninstall"
left=$(grep -rl '' "$dest" | sort | tr '\n' ' ')
[ "$left" = "$root/bin/mine $root/share/man/man1/mine.1 " ]
result $? "nothing but what was there is left: $left"
[ ! -e "$root/share/heaptop" ] && [ ! -e "$root/share/doc/heaptop" ] && [ ! -e "$root/libexec/heaptop" ]
result $? "its own folders are gone"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
