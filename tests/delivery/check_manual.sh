#!/bin/sh
# check_manual.sh [--update] checks the manual and README.md: pages render without a
# warning, the tutorial's commands print the output that the page shows, its numbers
# and keys exist, and the examples for builds and clusters run. With --update it
# rewrites the outputs in the tutorial.
set -u
heaptop=${HEAPTOP:-build/heaptop}
tutorial=man/heaptop-tutorial.7
. tests/run/results.sh
has() { command -v "$1" >/dev/null 2>&1; }

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
printf '#!/bin/sh\nexec %s "$@"\n' "$(realpath "$heaptop")" >"$folder/bin/heaptop"
chmod +x "$folder/bin/heaptop"
PATH=$folder/bin:$PATH LC_ALL=C HEAPTOP_RC=
export PATH LC_ALL HEAPTOP_RC
cp tests/data/leaky-10.gcdump tests/data/leaky-10-later.gcdump.zst "$folder/work"

words() { tr -s ' \n' '\n'; }

# --- the tutorial -------------------------------------------------------------

plain() { # roff as text
	sed 's/\\(aq/'"'"'/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\-/-/g; s/\\&//g; s/\\f[BIR]//g; s/\\e/\\/g'
}
roff() { sed 's/\\/\\e/g; s/-/\\-/g; s/\^/\\(ha/g; s/~/\\(ti/g; s/'"'"'/\\(aq/g; s/^\./\\\&./'; }

# Prints the page with the present output of its commands. A command continues on
# the next line if it ends with \e, which is a backslash.
renewed() {
	shown=1 command=
	while IFS= read -r line; do
		case $command$line in
		'$ '*\\e)
			printf '%s\n' "$line"
			command="$command${line%??} "
			;;
		'$ '*)
			printf '%s\n' "$line"
			command=$(printf '%s\n' "$command$line" | plain)
			(cd "$folder/work" && sh -c "${command#??}" 2>&1 </dev/null) | roff
			shown=0 command=
			;;
		.EE) shown=1 && printf '%s\n' "$line" ;;
		*) [ $shown -eq 0 ] || printf '%s\n' "$line" ;;
		esac
	done <$tutorial
}
renewed >"$folder/page"
if [ "${1-}" = --update ]; then
	cat "$folder/page" >$tutorial
	exit
fi
diff $tutorial "$folder/page"
result $? "$tutorial shows what its commands print (sh tests/delivery/check_manual.sh --update)"
grep -q '^\$ heaptop' $tutorial
result $? "$tutorial has commands"

examples() { sed -n '/^\$ /,/^\.EE/p' $tutorial | plain; }
prose() { sed '/^\.EX/,/^\.EE/d; /^\.TH/d' $tutorial | plain; }
for number in $(prose | grep -Eo '[0-9][0-9,]*[0-9]' | sort -u); do
	examples | grep -q -- "$number"
	result $? "$tutorial says $number, and shows it"
done
# Each "\fBP\fR (\fB:merged\fR)" is a key and its command.
sed -n 's/.*\\fB\([^\\]*\)\\fR (\\fB:\([^ ]*\)\\fR).*/\1 \2/p' $tutorial | plain | sort -u |
	while read -r key command; do
		heaptop --help keys | awk -v key="$key" -v command="$command" '
			{ names = " " substr($0, 1, 20) " " }
			index(names, " " key " ") && index(substr($0, 22) " ", command " ") == 1 { found = 1 }
			END { exit !found }'
		echo "$? $key :$command"
	done >"$folder/keys"
while read -r status name; do
	result "$status" "$tutorial names the key $name, and it is one"
done <"$folder/keys"
[ -s "$folder/keys" ]
result $? "$tutorial names keys"

# --- every page ---------------------------------------------------------------

for page in man/heaptop*.[157]; do
	if has groff; then
		said=$(groff -man -ww -Kutf8 -Tutf8 -z "$page" 2>&1)
		[ -z "$said" ]
		result $? "groff renders $page: $said"
		said=$(LC_ALL=C groff -man -ww -Tascii -z "$page" 2>&1)
		[ -z "$said" ]
		result $? "groff renders $page without UTF-8: $said"
		groff -man -Kutf8 -Tutf8 -rHY=0 -P-cbou "$page" | sed '1d;$d' | words >"$folder/theirs"
		"$heaptop" --help "$(basename "$page")" | sed 1d | words >"$folder/ours"
		[ -s "$folder/ours" ] && cmp -s "$folder/ours" "$folder/theirs"
		result $? "heaptop --help prints the words of $page as groff does"
	else
		echo "skipped: rendering a page of the manual: there is no groff"
	fi
	if has mandoc; then
		# Not style: long lines are tables, dates and sections are intended.
		said=$(mandoc -Tlint -Wwarning "$page" 2>&1)
		[ -z "$said" ]
		result $? "mandoc renders $page: $said"
	else
		echo "skipped: rendering a page of the manual: there is no mandoc"
	fi
	name=$(basename "$page" | sed 's/\(.*\)\.\(.\)/\1(\2)/')
	grep -q "^\.TH .*\"heaptop $(heaptop --version | sed 's/.* //;q')\"" "$page"
	result $? "$page has this version"
	[ "$page" = man/heaptop.1 ] ||
		grep -q "^\.BR $(echo "${name%(*}" | sed 's/-/\\\\-/g') " man/heaptop.1
	result $? "man/heaptop.1 names $name"
done

# --- examples in the README ---------------------------------------------------

# The lines below "run: |", as the shell runs them.
sed -n '/^```yaml/,/^```/p' README.md | sed -n '/run: |/,/^```/p' | sed '1d;$d;s/^ *//' \
	>"$folder/action"
cp tests/data/leaky-10.gcdump "$folder/work/before.gcdump"
cp tests/data/leaky-10-later.gcdump.zst "$folder/work/after.gcdump"
# The example names types that no heap has, so it must not pass unchanged.
(cd "$folder/work" && sh -e ../action >../out 2>&1)
[ $? -eq 5 ] && grep -q 'no type "MyApp.Session"; nearest: Leaky.Session' "$folder/out"
result $? "the example for builds does not pass as it stands: $(cat "$folder/out")"
sed 's/heaptop check/heaptop check --allow-missing/' "$folder/action" >"$folder/allowing"
(cd "$folder/work" && sh -e ../allowing >../out 2>&1) && [ -s "$folder/action" ]
result $? "README.md has an example for builds, which passes: $(cat "$folder/out")"
grep -q '<testsuite' "$folder/work/heap.xml"
result $? "it leaves a report for the build server"
sed 's/MyApp/Leaky/g; s/heap\.xml/leaky.xml/' "$folder/action" >"$folder/leaky"
(cd "$folder/work" && sh -e ../leaky >../out 2>&1)
[ $? -eq 1 ] && grep -q '^FAILED .*Leaky.Session=1000: 10,001 objects' "$folder/out"
result $? "the example for builds fails on a leak: $(cat "$folder/out")"

# docker and kubectl are not available, so run the command that they would start in
# the container. It must report that process 1 is not a .NET process.
for tool in kubectl docker; do
	line=$(grep "^$tool .* 1\$" README.md | sed 's/.* \(\/*heaptop 1\)$/\1/; s,^/,,')
	[ "$line" = 'heaptop 1' ]
	result $? "README.md has an example for $tool"
	# shellcheck disable=SC2086 # words are wanted
	$line >"$folder/out" 2>&1 </dev/null
	[ $? -eq 3 ] && grep -q 'process 1 (' "$folder/out"
	result $? "what $tool starts runs: $(cat "$folder/out")"
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
