#!/bin/sh
# check_completions.sh runs the completions in the shells and checks what Tab offers
# for a command line. A substitute for heaptop lists the processes; the format of its
# list is compared with the real one. A missing shell is skipped and counted.
set -u
heaptop=${HEAPTOP:-build/heaptop}
. tests/run/results.sh

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
man=$(pwd)/man
mkdir -p "$folder/bin" "$folder/themes" "$folder/work/inner"
touch "$folder/themes/own.theme" "$folder/work/one.gcdump" \
	"$folder/work/two.heaptop.zst" "$folder/work/notes.txt"
# Names that a careless completion would run as commands.
evil='o$(touch ran)`touch ran`'
touch "$folder/themes/$evil.theme"
cat >"$folder/bin/heaptop" <<END
#!/bin/sh
case "\$*" in
"-l --tsv --columns pid,name") printf 'pid\tname\n4711\tapi\n4712\tworker\n4713\t%s\n' '$evil' ;;
--paths) echo "themes    read     $folder/themes" ;;
esac
END
chmod +x "$folder/bin/heaptop"
"$heaptop" -l --tsv --columns pid,name >"$folder/list" 2>&1
grep -Eqx "$(printf 'pid\tname')|heaptop: no .NET process is running" "$folder/list"
result $? "heaptop -l has the columns that the completions ask for: $(cat "$folder/list")"
"$heaptop" --paths | grep -q '^themes  *[a-z]* .*/themes$'
result $? "heaptop --paths names the folders of themes"
PATH=$folder/bin:$PATH
export PATH

# Print what a shell offers for the last word, one a line.
offers_bash() { # offers_bash WORD…
	bash --norc -c '. "$0/heaptop.bash"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_heaptop heaptop "${@: -1}" "${COMP_WORDS[COMP_CWORD-1]}"
		printf "%s\n" "${COMPREPLY[@]}"' "$man" "$@"
}
offers_fish() {
	fish -c 'source $argv[1]/heaptop.fish; complete -C "$argv[2..]"' "$man" "$@" |
		sed 's/	.*//'
}
# zsh needs a terminal; its output also contains the words of the line.
escape=$(printf '\033')
offers_zsh() {
	cat >"$folder/drive.zsh" <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "stty cols 200; PS1='> '; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D
bindkey '^X' list-choices; zle-line-init() { print READ''Y }; zle -N zle-line-init"
zpty -r z out '*READY*'
zpty -w -n z "$2"$'\x18\x01: \x05 ; echo DO''NE\n'
zpty -r z out '*DONE*'
print -r -- "$out"
zpty -d z
END
	zsh -f "$folder/drive.zsh" "$man" "$*" | sed "s/$escape\\[[0-9;?]*[a-zA-Z]//g" |
		tr -s ' \r' '\n\n'
}

# Rows: the line after "heaptop", a word that must be offered, one that must not.
rows='
--max-re|--max-retained|--max
-s cou|count_delta|size
--columns count,retained_|retained_share|count
-b dom|dominators|types
--theme o|own|mono
--theme m|mono|own
--format gc|gcdump|notes.txt
--help f|filter|keys
-o heap|heap.gcdump|heap.txt
--symbols i|inner/|one.gcdump
--sysroot i|inner/|one.gcdump
47|4711|one.gcdump
4713|4713|api
o|one.gcdump|notes.txt
t|two.heaptop.zst|one.gcdump
con|convert|check
'
for shell in bash zsh fish; do
	if ! command -v $shell >/dev/null 2>&1; then
		echo "skipped: completions of $shell: there is no $shell"
		continue
	fi
	echo "$rows" | while IFS='|' read -r line wanted other; do
		[ -n "$line" ] || continue
		# shellcheck disable=SC2086 # words are wanted
		found=$(cd "$folder/work" && offers_$shell heaptop $line | sed 's,/$,,;s/^count,//')
		ok=0
		echo "$found" | grep -Fqx -- "${wanted%/}" || ok=1
		# fish also offers other files, after those of heaps.
		[ $shell = fish ] || ! echo "$found" | grep -Fqx -- "$other" || ok=1
		[ $ok -eq 0 ] || { echo "found: $found" | head -n 20 >&2; }
		echo "$ok $shell: heaptop $line offers $wanted and not $other"
	done >"$folder/results"
	while read -r status name; do
		result "$status" "$name"
	done <"$folder/results"
done
[ ! -e "$folder/work/ran" ]
result $? "no shell runs what stands in the name of a process or a theme"
# If no file looks like a heap, any file is offered.
if command -v bash >/dev/null 2>&1; then
	(cd "$folder/work" && offers_bash heaptop n | grep -qx notes.txt)
	result $? "bash: heaptop n offers notes.txt, as nothing else is there"
	(cd "$folder/work" && offers_bash heaptop --sort = si | grep -qx size)
	result $? "bash: heaptop --sort=si offers size"
	# The typed text must not run, and a name like an option must not be offered.
	(cd "$folder/work" && offers_bash heaptop -o "$evil" >"$folder/offered")
	[ ! -e "$folder/work/ran" ]
	result $? "bash: heaptop -o '$evil' runs nothing"
	(cd "$folder/work" && offers_bash heaptop '' >"$folder/offered")
	grep -qx 4713 "$folder/offered" && grep -qx worker "$folder/offered" &&
		! grep -q 'ran' "$folder/offered"
	result $? "bash: heaptop offers worker and 4713, whose name wants quotes"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
