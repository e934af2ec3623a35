# bash completion for heaptop; checked against the program by `make check`.
_heaptop()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local options='-b --batch --csv --tsv --json --jsonl --md --columns -n --rows -s --sort -f --filter
		-x --execute -l --list --port --yes --budget --mem -o --output --force --theme --help -V --version'
	local commands='diff findings groups ignored inspect memory merged objects objsize path paths references referrers roots summary tree types walks'
	local columns='address avg bytes count count_1 count_delta distance finding frozen gc gen gen0 gen1 gen2 harmless held in index kind label list loh max meaning module name number objects out part pause_ms per_object pinned poh raw refs root roots share size size_1 size_delta state target this time times trend type value way what'
	local themes='default light high-contrast mono'

	case $before in
	-b | --batch) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
	-s | --sort) COMPREPLY=($(compgen -W "$columns" -- "$word")) ;;
	--theme) COMPREPLY=($(compgen -W "$themes" -- "$word")) ;;
	--help) COMPREPLY=($(compgen -W 'keys columns' -- "$word")) ;;
	-n | --rows | -f | --filter | -x | --execute | --budget | --mem) COMPREPLY=() ;;
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
