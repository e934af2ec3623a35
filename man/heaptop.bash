# bash completion for heaptop; checked against the program by `make check`.
_heaptop()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	# Options.
	local options='-b --batch --csv --tsv --json --jsonl --md --columns -n --rows -s
		--sort -f --filter -x --execute -g --gcs -v --verbose --min-pause -l
		--list --probe --sysroot -m --memory --port --yes --budget --mem -o --output --format --compat --force --raw --strict --max --max-size
		--max-retained --where --grew --baseline --junit --theme --no-rc --paths --help -V
		--version'
	# Written by tests/check_docs.sh.
	local commands='diff dominators findings gcs groups ignored inspect memory merged objects objsize path paths references referrers roots summary tree types walks ways'
	local columns='address after allocated announced asked at avg before bookkeeping budget_gen bytes client clock committed committed0 compacted count count_1 count_delta decided distance dominator duration_us expand final_bytes finalized finding free frees frozen gc gen gen0 gen0_budget gen0_cuts gen1 gen2 generation handles harmless heaps held in incomplete index join_wait_us kind label list load loh mark max meaning mechanisms mode module name number objects out part pause1_us pause2_us pause_ms pause_us per_object pinned poh prepare_us promo_gen0 promo_gen1 promo_gen2 promo_loh promo_poh promoted rate raw reason refs resume_us retained retained_delta retained_share root roots share since_us size size_1 size_delta size_gen0 size_gen1 size_gen2 size_loh size_poh state stop_us survived sync_blocks target this through time times trend triggered type value way what why'
	local themes='default light high-contrast mono'

	case $before in
	-b | --batch) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
	-s | --sort) COMPREPLY=($(compgen -W "$columns" -- "$word")) ;;
	--theme) COMPREPLY=($(compgen -W "$themes" -- "$word")) ;;
	--format) COMPREPLY=($(compgen -W 'heaptop gcdump gclog' -- "$word")) ;;
	--compat) COMPREPLY=($(compgen -W 'dotnet-gcdump' -- "$word")) ;;
	--help) COMPREPLY=($(compgen -W 'keys columns filter settings' -- "$word")) ;;
	-n | --rows | -f | --filter | -x | --execute | --budget | --mem | --min-pause) COMPREPLY=() ;;
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
