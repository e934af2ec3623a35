#!/bin/sh
# man/completions.sh bash|zsh|fish prints the completions for that shell, with the
# options, commands, columns and suffixes that the program itself lists. The files
# beside this one are its output: sh tests/source/check_docs.sh --update
set -u
heaptop=${HEAPTOP:-build/heaptop}
help=$("$heaptop" --help)

words() { tr '\n' ' ' | sed 's/ *$//'; }
suffixes() { grep -Eo '\.[a-z]+' | words; }

# Prints a row for each option: short, long, argument and help, separated by tabs.
options() {
	echo "$help" | awk -v OFS='\t' '
		/^  (-|    --)/ {
			count = split(substr($0, 3, 27), left, " ")
			i = 1; short = ""
			if (left[1] ~ /^-[a-zA-Z],$/) { short = substr(left[1], 2, 1); i = 2 }
			print short == "" ? "-" : short, substr(left[i], 3),
				i < count ? left[i + 1] : "-", substr($0, 30)
		}'
}

# Prints the kind of an option's argument: the name of a list below, files, folders,
# heaps, saves (a name with a suffix), any (no suggestions), or none (no argument).
kind() { # kind LONG ARGUMENT
	case $1:$2 in
	help:*) echo topics ;;
	*:-) echo none ;;
	output:*) echo saves ;;
	baseline:*) echo heaps ;;
	theme:*) echo themes ;;
	via:*) echo any ;;
	*:COMMAND) echo commands ;;
	*:COLUMN | *:A,B,C) echo columns ;;
	*:FORMAT) echo formats ;;
	*:DIR) echo folders ;;
	*:FILE | *:PATH) echo files ;;
	*) echo any ;;
	esac
}

commands=$("$heaptop" --help columns | grep '^[^ ]' | sort | words)
columns=$("$heaptop" --help columns | sed -n 's/^  \([^ ]*\).*/\1/p' | sort -u | words)
themes=$(for theme in themes/*.theme; do basename "$theme" .theme; done | words)
subcommands=$(echo "$help" | sed -n 's/^  heaptop \([a-z][a-z]*\) .*/\1/p' | words)
topics=$(echo "$help" | sed -n 's/.*; --help \(.*\): more$/\1/p' | tr -d ,)
topics="$topics $(echo "$help" | tr '\n' ' ' |
	sed -n 's/.*Manual, with --help PAGE: \([^.]*\)[.].*/\1/p' | tr -d ,)"
reads=$(echo "$help" | sed -n '/^  heaptop \[options\] FILE /p' | suffixes)
saves=$(options | grep '^o	output' | suffixes)
formats=$(echo "$saves" | tr -d .)
either=$(echo "$reads" | sed 's/^\.//; s/ \./|/g')
lists='commands columns themes subcommands topics saves formats'

# Prints a pattern for bash that matches the options of a kind: "-s | --sort".
pattern() { # pattern KIND
	options | while IFS='	' read -r short long argument _; do
		[ "$(kind "$long" "$argument")" = "$1" ] || continue
		[ "$short" = - ] || printf '%s\n' "-$short"
		printf '%s\n' "--$long"
	done | words | sed 's/ / | /g'
}

bash_completions() {
	cat <<END
# bash completion for heaptop; written by man/completions.sh.
_heaptop()
{
	local word=\$2 before=\$3 i
	local options='$(options | while IFS='	' read -r short long _; do
		[ "$short" = - ] || printf '%s\n' "-$short"
		printf '%s\n' "--$long"
	done | words)'
END
	for name in $lists; do
		eval "printf \"	local %s='%s'\n\" \$name \"\$$name\""
	done
	cat <<END

	# bash splits --sort=count into three words.
	if [[ \$word == '=' ]]; then
		word=
	elif [[ \$before == '=' ]]; then
		before=\${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	case \$before in
	$(pattern commands)) _heaptop_words "\$commands" ;;
	$(pattern columns)) _heaptop_columns "\$columns" ;;
	$(pattern themes))
		_heaptop_words "\$themes"
		_heaptop_names < <("\$1" --paths 2>/dev/null |
			sed -n 's/^themes *[a-z]* *//p' | while read -r i; do
			ls "\$i" 2>/dev/null | sed -n 's/\.theme\$//p'; done)
		;;
	$(pattern topics)) _heaptop_words "\$topics" ;;
	$(pattern formats)) _heaptop_words "\$formats" ;;
	$(pattern saves))
		[[ -z \$word || \$word == *.* || -d \$word ]] || _heaptop_names \\
			< <(for i in \$saves; do printf '%s\n' "\$word\$i"; done)
		_heaptop_files
		;;
	$(pattern heaps)) _heaptop_heaps ;;
	$(pattern folders)) _heaptop_files -d ;;
	$(pattern files)) _heaptop_files ;;
	$(pattern any)) ;;
	*)
		if [[ \$word == -* ]]; then
			_heaptop_words "\$options"
			return
		fi
		[[ \$COMP_CWORD -gt 1 ]] || _heaptop_words "\$subcommands"
		_heaptop_names < <("\$1" -l --tsv --columns pid,name 2>/dev/null |
			sed 1d | tr '\t' '\n')
		_heaptop_heaps
		;;
	esac
}
# These add matches of \$word to COMPREPLY.
# Only for words of heaptop: compgen -W runs any \$(command) in them.
_heaptop_words()
{
	COMPREPLY+=(\$(compgen -W "\$1" -- "\$word"))
}
# For names from elsewhere: a process may have any name. Names that need quotes or
# look like options are left out; the process can be given by its number.
_heaptop_names()
{
	local name quoted

	while IFS= read -r name; do
		printf -v quoted %q "\$name"
		[[ \$name != "\$word"* || \$name != "\$quoted" || \$name == -* ]] ||
			COMPREPLY+=("\$name")
	done
}
# The last of several columns, separated by commas; or after - for --sort.
_heaptop_columns()
{
	local begin=

	[[ \$word != *,* ]] || begin=\${word%,*},
	[[ \$word != -* ]] || begin=-
	COMPREPLY+=(\$(compgen -P "\$begin" -W "\$1" -- "\${word#"\$begin"}"))
}
_heaptop_files()
{
	local IFS=\$'\n'

	compopt -o filenames 2>/dev/null
	COMPREPLY+=(\$(compgen "\${1:--f}" -- "\$word"))
}
# Any file, if no name looks like a heap: heaps are recognised by their content.
_heaptop_heaps()
{
	local IFS=\$'\n' file found=

	compopt -o filenames 2>/dev/null
	for file in \$(compgen -f -- "\$word"); do
		if [[ -d \$file || \$file == *.@($either)?(.zst) || \${file##*/} == core* ]]; then
			COMPREPLY+=("\$file")
			found=1
		fi
	done
	[[ -n \$found || \${#COMPREPLY[@]} -gt 0 ]] || _heaptop_files
}
complete -F _heaptop heaptop
END
}

zsh_completions() {
	echo '#compdef heaptop'
	echo '# zsh completion for heaptop; written by man/completions.sh.'
	for name in $lists; do
		eval "printf 'local -a %s=(%s)\n' \$name \"\$$name\""
	done
	cat <<END

# These offer the processes and themes that exist now.
_heaptop_processes() {
	local -a processes=(\${(f)"\$(\$words[1] -l --tsv --columns pid,name 2>/dev/null |
		sed '1d; s/	/:/')"})
	_describe -t processes process processes
}
_heaptop_heaps() {
	_files -g '*.($either)(|.zst)' || _files
}
_heaptop_themes() {
	local -a folders=(\${(f)"\$(\$words[1] --paths 2>/dev/null | sed -n 's/^themes *[a-z]* *//p')"})
	compadd -- \$themes \${^folders}/*.theme(N:t:r)
}
_heaptop_saves() {
	[[ -n \$PREFIX && \$PREFIX != *.* ]] && compadd -- \$PREFIX\${^saves}
	_files
}
_heaptop_first() {
	(( CURRENT == 2 )) && compadd -- \$subcommands
	_alternative 'processes:process:_heaptop_processes' 'heaps:heap:_heaptop_heaps'
}

_arguments -s -S \\
END
	options | while IFS='	' read -r short long argument text; do
		text=$(printf '%s' "$text" | sed "s/[]:[]/\\\\&/g; s/'/'\\\\''/g")
		case $(kind "$long" "$argument") in
		none) action= ;;
		topics) action='::topic:($topics)' ;;
		themes) action=:theme:_heaptop_themes ;;
		saves) action=:file:_heaptop_saves ;;
		heaps) action=:heap:_heaptop_heaps ;;
		files) action=:file:_files ;;
		folders) action=":folder:_files -/" ;;
		any) action=":$argument:" ;;
		columns)
			action=':column:($columns)'
			[ "$argument" = COLUMN ] || action=':columns:_values -s , column $columns'
			;;
		*) action=":$argument:(\$$(kind "$long" "$argument"))" ;;
		esac
		case $short:$text in
		-:check*) printf "	'*--%s[%s]%s' \\\\\n" "$long" "$text" "$action" ;;
		-:*) printf "	'--%s[%s]%s' \\\\\n" "$long" "$text" "$action" ;;
		*)
			printf "	'(-%s --%s)'{-%s,--%s}'[%s]%s' \\\\\n" \
				"$short" "$long" "$short" "$long" "$text" "$action"
			;;
		esac
	done
	echo "	'*:heap dump or process:_heaptop_first'"
}

fish_completions() {
	cat <<END
# fish completion for heaptop; written by man/completions.sh.
function __heaptop_processes
    heaptop -l --tsv --columns pid,name 2>/dev/null | sed 1d
end
function __heaptop_saves
    set -l name (commandline -ct)
    if test -n "\$name"; and not string match -q '*.*' -- \$name
        for suffix in $saves
            echo \$name\$suffix
        end
    end
end
function __heaptop_columns
    printf '%s\\n' $(echo "$columns")
end
function __heaptop_themes
    for folder in (heaptop --paths 2>/dev/null | sed -n 's/^themes *[a-z]* *//p')
        for theme in \$folder/*.theme
            basename \$theme .theme
        end
    end
end

END
	for name in $lists; do
		eval "printf 'set -l %s %s\n' \$name \"\$$name\""
	done
	printf '\ncomplete -c heaptop -n __fish_use_subcommand -a "$subcommands"\n'
	printf "complete -c heaptop -a '(__heaptop_processes)'\n"
	options | while IFS='	' read -r short long argument text; do
		text=$(printf '%s' "$text" | sed "s/'/\\\\'/g")
		case $(kind "$long" "$argument") in
		none) action= ;;
		topics) action=' -x -a "$topics"' ;;
		saves) action=" -r -a '(__heaptop_saves)'" ;;
		themes) action=" -x -a \"\$themes (__heaptop_themes)\"" ;;
		heaps | files) action=' -r' ;;
		folders) action=" -x -a '(__fish_complete_directories)'" ;;
		any) action=' -x' ;;
		columns)
			action=' -x -a "$columns"'
			[ "$argument" = COLUMN ] ||
				action=" -x -a '(__fish_complete_list , __heaptop_columns)'"
			;;
		*) action=" -x -a \"\$$(kind "$long" "$argument")\"" ;;
		esac
		if [ "$short" = - ]; then short=; else short="-s $short "; fi
		printf "complete -c heaptop %s-l %s%s -d '%s'\n" \
			"$short" "$long" "$action" "$text"
	done
}

case ${1-} in
bash | zsh | fish) "$1_completions" ;;
*)
	echo 'usage: sh man/completions.sh bash|zsh|fish' >&2
	exit 2
	;;
esac
