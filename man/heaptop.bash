# bash completion for heaptop; checked against the program by `make check`.
_heaptop()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local options='-b --batch --csv --tsv -n --rows -s --sort -f --filter
		-x --execute --theme --help -V --version'
	local commands='types objects roots referrers references path tree
		summary memory'
	local columns='type raw module count size share avg max'
	local themes='default light high-contrast mono'

	case $before in
	-b | --batch) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
	-s | --sort) COMPREPLY=($(compgen -W "$columns" -- "$word")) ;;
	--theme) COMPREPLY=($(compgen -W "$themes" -- "$word")) ;;
	--help) COMPREPLY=($(compgen -W 'keys columns' -- "$word")) ;;
	-n | --rows | -f | --filter | -x | --execute) COMPREPLY=() ;;
	*)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "$options" -- "$word"))
		else
			compopt -o filenames 2>/dev/null
			COMPREPLY=($(compgen -f -- "$word"))
		fi
		;;
	esac
}
complete -F _heaptop heaptop
