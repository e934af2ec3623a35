# fish completion for heaptop; written by man/completions.sh.
function __heaptop_processes
    heaptop -l --tsv --columns pid,name 2>/dev/null | sed 1d
end
function __heaptop_saves
    set -l name (commandline -ct)
    if test -n "$name"; and not string match -q '*.*' -- $name
        for suffix in .heaptop .gcdump .gclog
            echo $name$suffix
        end
    end
end
function __heaptop_columns
    printf '%s\n' address after allocated announced asked at avg before block bookkeeping budget_gen bytes bytes_bar bytes_share callback chain check class client clock committed committed0 compacted count count_1 count_bar count_delta count_share dead dead_count decided declared dependent distance dominator due_ms duration_us end entered exception expand fault field final_bytes finalized finding free free_count free_share frees from frozen garbage gc gen gen0 gen0_budget gen0_cuts gen1 gen2 generation handle handles harmless heap heaps held here id image in incomplete index join_wait_us kind label length list live live_delta load loh mark max meaning mechanisms mode module name number object objects offset os_id out part pause1_us pause2_us pause_us per_object period_ms pinned poh prepare_us promo_gen0 promo_gen1 promo_gen2 promo_loh promo_poh promoted pulse rate raw reachable reason record refs reserved rest resume_us retained retained_delta retained_share root roots segments set share since_us size size_1 size_delta size_gen0 size_gen1 size_gen2 size_loh size_poh start state state_address states stop_us survived sync_blocks table target text this thread through thrown time times to token trend triggered type unreachable value waiters wasted way what where why
end
function __heaptop_themes
    for folder in (heaptop --paths 2>/dev/null | sed -n 's/^themes *[a-z]* *//p')
        for theme in $folder/*.theme
            basename $theme .theme
        end
    end
end

set -l commands async diff dominators fields finalizers find findings free gcs groups handles heapmap heaps hex histogram ignored inspect locks memory merged method-table methods modules near objects objsize path paths references referrers roots segments statics strings summary threads timers totals tree treemap types value verify walks ways
set -l columns address after allocated announced asked at avg before block bookkeeping budget_gen bytes bytes_bar bytes_share callback chain check class client clock committed committed0 compacted count count_1 count_bar count_delta count_share dead dead_count decided declared dependent distance dominator due_ms duration_us end entered exception expand fault field final_bytes finalized finding free free_count free_share frees from frozen garbage gc gen gen0 gen0_budget gen0_cuts gen1 gen2 generation handle handles harmless heap heaps held here id image in incomplete index join_wait_us kind label length list live live_delta load loh mark max meaning mechanisms mode module name number object objects offset os_id out part pause1_us pause2_us pause_us per_object period_ms pinned poh prepare_us promo_gen0 promo_gen1 promo_gen2 promo_loh promo_poh promoted pulse rate raw reachable reason record refs reserved rest resume_us retained retained_delta retained_share root roots segments set share since_us size size_1 size_delta size_gen0 size_gen1 size_gen2 size_loh size_poh start state state_address states stop_us survived sync_blocks table target text this thread through thrown time times to token trend triggered type unreachable value waiters wasted way what where why
set -l themes dark default deuteranopia high-contrast light mono tritanopia
set -l subcommands convert check
set -l topics keys columns filter json settings
set -l saves .heaptop .gcdump .gclog
set -l formats heaptop gcdump gclog
set -l tools dotnet-gcdump

complete -c heaptop -n __fish_use_subcommand -a "$subcommands"
complete -c heaptop -a '(__heaptop_processes)'
complete -c heaptop -s b -l batch -x -a "$commands" -d 'print what this command shows, and exit: \'objects TYPE\''
complete -c heaptop -l csv -d 'with -b: comma-separated, plain numbers'
complete -c heaptop -l tsv -d 'with -b: separated by tabs'
complete -c heaptop -l json -d 'with -b: one object of JSON, see heaptop-json(5)'
complete -c heaptop -l jsonl -d 'with -b: an object a row, nothing around them'
complete -c heaptop -l md -d 'with -b: a table of Markdown'
complete -c heaptop -l columns -x -a '(__fish_complete_list , __heaptop_columns)' -d 'with -b: these columns, in this order'
complete -c heaptop -s n -l rows -x -d 'with -b: at most so many rows'
complete -c heaptop -s s -l sort -x -a "$columns" -d 'sort by this column; -COLUMN: the other way round'
complete -c heaptop -s f -l filter -x -d 'only rows that match: a regex, byte[], or \'size > 1M\''
complete -c heaptop -s x -l execute -x -d 'then run commands of the prompt in it: \'cmd; cmd\''
complete -c heaptop -s g -l gcs -d 'garbage collections as they end, of a process or trace'
complete -c heaptop -s v -l verbose -d 'with -g: generation by generation, heap by heap'
complete -c heaptop -l min-pause -x -d 'with -g: only pauses of at least so long: 10ms'
complete -c heaptop -s l -l list -d 'list the .NET processes, and exit'
complete -c heaptop -l probe -d 'what memory tells of a process or core, and exit'
complete -c heaptop -l sysroot -x -a '(__fish_complete_directories)' -d 'of a core: where the files are that it had mapped'
complete -c heaptop -l runtime -x -d 'of memory with several runtimes: that one, from 1 on'
complete -c heaptop -l port -r -d 'wait there for a runtime: DOTNET_DiagnosticPorts'
complete -c heaptop -s m -l memory -d 'from the process\'s memory: no collection, garbage too'
complete -c heaptop -l yes -d 'capture from a process without asking'
complete -c heaptop -l budget -x -d 'refuse a capture whose pause may be longer: 5s'
complete -c heaptop -l mem -x -d 'memory for the heaps and all about them: 512M, 2G'
complete -c heaptop -s o -l output -r -a '(__heaptop_saves)' -d 'keep the heap: FILE.heaptop, .gcdump, .gclog'
complete -c heaptop -l format -x -a "$formats" -d 'with -o: heaptop, gcdump or gclog, whatever its name'
complete -c heaptop -l compat -x -a "$tools" -d 'print the report of that tool: dotnet-gcdump'
complete -c heaptop -l force -d '-o replaces a file; a bad .gclog is read anyway'
complete -c heaptop -l raw -d 'with -o: to be mapped, not unpacked; twice the size'
complete -c heaptop -l with -x -d '-o: and what is computed of it: distances, retained'
complete -c heaptop -l max -x -d 'check: so many objects of the type at most'
complete -c heaptop -l max-size -x -d 'check: so many bytes of them'
complete -c heaptop -l max-retained -x -d 'check: so many bytes that only they keep'
complete -c heaptop -l where -x -d 'check: no type is like that'
complete -c heaptop -l grew -x -d 'check: no such type has grown since --baseline'
complete -c heaptop -l baseline -r -d 'check: an earlier heap to compare with'
complete -c heaptop -l junit -r -d 'check: the results for a build server as well'
complete -c heaptop -l allow-missing -d 'check: a TYPE that no type is called may be'
complete -c heaptop -l strict -d 'what a file is warned of is an error: exit 5'
complete -c heaptop -l secure -d 'no shell, pipe, writing or capture; as HEAPTOPSECURE=1'
complete -c heaptop -l resume -d 'back to the session that :save-session [FILE] kept'
complete -c heaptop -l theme -x -a "$themes (__heaptop_themes)" -d 'the colours: a name, or a file; else $HEAPTOP_THEME'
complete -c heaptop -l linear -d 'no screen: a line for each key; for screen readers'
complete -c heaptop -l tour -d 'a leak, found in five minutes with the keys for it'
complete -c heaptop -l no-rc -d 'read no heaptoprc'
complete -c heaptop -l paths -d 'which files are read and written, and exit'
complete -c heaptop -s h -l help -x -a "$topics" -d 'this; --help keys, columns, filter, json, settings: more'
complete -c heaptop -s V -l version -d 'the version'
