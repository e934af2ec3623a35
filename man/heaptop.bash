# bash completion for heaptop; written by man/completions.sh.
_heaptop()
{
	local word=$2 before=$3 i
	local options='-b --batch --csv --tsv --json --jsonl --md --columns --origin --label -n --rows -s --sort -f --filter -x --execute -g --gcs -v --verbose --min-pause -a --allocations --for --stacks --no-survival --samples -l --list --probe --mcp --allow-capture --via --agent --symbols --sysroot --runtime --port --start -m --memory --yes --budget --mem --csvguard --mine --mymodules --stackroots -o --output --format --force --raw --with --max --max-size --max-retained --where --grew --no-findings --no-new-findings --allow --baseline --junit --allow-missing --strict --secure --resume --theme --linear --tour --no-rc --paths -h --help -V --version'
	local commands='allocations async callees callers code collections contents diff dominators exceptions fields finalizers find findings free gcs groups handles heapmap heaps hex histogram ignored inspect locks memory merged method-table methods modules named-queries near objects objsize path paths pstacks references referrers resident roots samples schema segments sql stacks statics strings summary tables threads timers totals tree treemap types value verify walks ways'
	local columns='address after age alive alive_high alive_low alive_objects allocated allocated_by announced asked at avg before block bookkeeping budget_gen by bytes bytes_bar bytes_high bytes_low bytes_share callback calls capacity chain change check class client clock column columns committed committed0 compacted count count_1 count_bar count_delta count_share dead dead_count decided declared dependent distance dominator due_ms duration_us end ends entered entries error exception expand fate fault field final_bytes finalized finding frame free free_count free_share frees from frozen full garbage gc gen gen0 gen0_budget gen0_cuts gen1 gen2 generation gone growth growth_error growth_high growth_low handle handles harmless heap heaps held help here holder id ids image in incomplete index join_wait_us kept_by kind label length level list live live_delta living load loh mark max meaning mechanisms message method mode module name new number object objects objects_high objects_low objects_rate offset old oldest os_id others out own part parts pause1_us pause2_us pause_us per_object period_ms pinned poh prepare_us promo_gen0 promo_gen1 promo_gen2 promo_loh promo_poh promoted pulse query question rate raw reachable reason record refs reserved rest result resume_us retained retained_delta retained_share root roots samples segments set share since_us site size size_1 size_delta size_gen0 size_gen1 size_gen2 size_loh size_poh stack start state state_address states stop_us storage survived sync_blocks table target text this thread threads through thrown time times to token trend triggered type unconfirmed unknown unreachable value waiters waiting wasted way weight what where why'
	local themes='dark default deuteranopia high-contrast light mono tritanopia'
	local subcommands='types convert check'
	local topics='keys columns filter json settings sql heaptop-format heaptop-json heaptop-mcp heaptop-remote heaptop-sql heaptop-tutorial heaptop heaptoprc'
	local saves='.heaptop .gcdump .gclog .sqlite'
	local formats='heaptop gcdump gclog sqlite'

	# bash splits --sort=count into three words.
	if [[ $word == '=' ]]; then
		word=
	elif [[ $before == '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	case $before in
	-b | --batch) _heaptop_words "$commands" ;;
	--columns | -s | --sort) _heaptop_columns "$columns" ;;
	--theme)
		_heaptop_words "$themes"
		_heaptop_names < <("$1" --paths 2>/dev/null |
			sed -n 's/^themes *[a-z]* *//p' | while read -r i; do
			ls "$i" 2>/dev/null | sed -n 's/\.theme$//p'; done)
		;;
	-h | --help) _heaptop_words "$topics" ;;
	--format) _heaptop_words "$formats" ;;
	-o | --output)
		[[ -z $word || $word == *.* || -d $word ]] || _heaptop_names \
			< <(for i in $saves; do printf '%s\n' "$word$i"; done)
		_heaptop_files
		;;
	--baseline) _heaptop_heaps ;;
	--symbols | --sysroot) _heaptop_files -d ;;
	--stacks | --samples | --port | --junit) _heaptop_files ;;
	--label | -n | --rows | -f | --filter | -x | --execute | --min-pause | --for | --via | --runtime | --budget | --mem | --mymodules | --stackroots | --with | --max | --max-size | --max-retained | --where | --grew | --allow) ;;
	*)
		if [[ $word == -* ]]; then
			_heaptop_words "$options"
			return
		fi
		[[ $COMP_CWORD -gt 1 ]] || _heaptop_words "$subcommands"
		_heaptop_names < <("$1" -l --tsv --columns pid,name 2>/dev/null |
			sed 1d | tr '\t' '\n')
		_heaptop_heaps
		;;
	esac
}
# These add matches of $word to COMPREPLY.
# Only for words of heaptop: compgen -W runs any $(command) in them.
_heaptop_words()
{
	COMPREPLY+=($(compgen -W "$1" -- "$word"))
}
# For names from elsewhere: a process may have any name. Names that need quotes or
# look like options are left out; the process can be given by its number.
_heaptop_names()
{
	local name quoted

	while IFS= read -r name; do
		printf -v quoted %q "$name"
		[[ $name != "$word"* || $name != "$quoted" || $name == -* ]] ||
			COMPREPLY+=("$name")
	done
}
# The last of several columns, separated by commas; or after - for --sort.
_heaptop_columns()
{
	local begin=

	[[ $word != *,* ]] || begin=${word%,*},
	[[ $word != -* ]] || begin=-
	COMPREPLY+=($(compgen -P "$begin" -W "$1" -- "${word#"$begin"}"))
}
_heaptop_files()
{
	local IFS=$'\n'

	compopt -o filenames 2>/dev/null
	COMPREPLY+=($(compgen "${1:--f}" -- "$word"))
}
# Any file, if no name looks like a heap: heaps are recognised by their content.
_heaptop_heaps()
{
	local IFS=$'\n' file found=

	compopt -o filenames 2>/dev/null
	for file in $(compgen -f -- "$word"); do
		if [[ -d $file || $file == *.@(gcdump|nettrace|heaptop|gclog)?(.zst) || ${file##*/} == core* ]]; then
			COMPREPLY+=("$file")
			found=1
		fi
	done
	[[ -n $found || ${#COMPREPLY[@]} -gt 0 ]] || _heaptop_files
}
complete -F _heaptop heaptop
