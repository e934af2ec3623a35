# fish completion for heaptop; written by man/completions.sh.
function __heaptop_processes
    heaptop -l --tsv --columns pid,name 2>/dev/null | sed 1d
end
function __heaptop_saves
    set -l name (commandline -ct)
    if test -n "$name"; and not string match -q '*.*' -- $name
        for suffix in .heaptop .gcdump .gclog .sqlite
            echo $name$suffix
        end
    end
end
function __heaptop_columns
    printf '%s\n' address after age alive alive_high alive_low alive_objects allocated allocated_by announced asked at avg before block bookkeeping budget_gen by bytes bytes_bar bytes_high bytes_low bytes_share callback calls capacity chain change check class client clock column columns committed committed0 compacted count count_1 count_bar count_delta count_share dead dead_count decided declared dependent distance dominator due_ms duration_us end ends entered entries error exception expand fate fault field final_bytes finalized finding frame free free_count free_share frees from frozen full garbage gc gen gen0 gen0_budget gen0_cuts gen1 gen2 generation gone growth growth_error growth_high growth_low handle handles harmless heap heaps held help here holder id ids image in incomplete index join_wait_us kept_by kind label length level list live live_delta living load loh mark max meaning mechanisms message method mode module name new number object objects objects_high objects_low objects_rate offset old oldest os_id others out own part parts pause1_us pause2_us pause_us per_object period_ms pinned poh prepare_us promo_gen0 promo_gen1 promo_gen2 promo_loh promo_poh promoted pulse query question rate raw reachable reason record refs reserved rest result resume_us retained retained_delta retained_share root roots samples segments set share since_us site size size_1 size_delta size_gen0 size_gen1 size_gen2 size_loh size_poh stack start state state_address states stop_us storage survived sync_blocks table target text this thread threads through thrown time times to token trend triggered type unconfirmed unknown unreachable value waiters waiting wasted way weight what where why
end
function __heaptop_themes
    for folder in (heaptop --paths 2>/dev/null | sed -n 's/^themes *[a-z]* *//p')
        for theme in $folder/*.theme
            basename $theme .theme
        end
    end
end

set -l commands allocations async callees callers code collections contents diff dominators exceptions fields finalizers find findings free gcs groups handles heapmap heaps hex histogram ignored inspect locks memory merged method-table methods modules named-queries near objects objsize path paths pstacks references referrers resident roots samples schema segments sql stacks statics strings summary tables threads timers totals tree treemap types value verify walks ways
set -l columns address after age alive alive_high alive_low alive_objects allocated allocated_by announced asked at avg before block bookkeeping budget_gen by bytes bytes_bar bytes_high bytes_low bytes_share callback calls capacity chain change check class client clock column columns committed committed0 compacted count count_1 count_bar count_delta count_share dead dead_count decided declared dependent distance dominator due_ms duration_us end ends entered entries error exception expand fate fault field final_bytes finalized finding frame free free_count free_share frees from frozen full garbage gc gen gen0 gen0_budget gen0_cuts gen1 gen2 generation gone growth growth_error growth_high growth_low handle handles harmless heap heaps held help here holder id ids image in incomplete index join_wait_us kept_by kind label length level list live live_delta living load loh mark max meaning mechanisms message method mode module name new number object objects objects_high objects_low objects_rate offset old oldest os_id others out own part parts pause1_us pause2_us pause_us per_object period_ms pinned poh prepare_us promo_gen0 promo_gen1 promo_gen2 promo_loh promo_poh promoted pulse query question rate raw reachable reason record refs reserved rest result resume_us retained retained_delta retained_share root roots samples segments set share since_us site size size_1 size_delta size_gen0 size_gen1 size_gen2 size_loh size_poh stack start state state_address states stop_us storage survived sync_blocks table target text this thread threads through thrown time times to token trend triggered type unconfirmed unknown unreachable value waiters waiting wasted way weight what where why
set -l themes dark default deuteranopia high-contrast light mono tritanopia
set -l subcommands types convert check
set -l topics keys columns filter json settings sql heaptop-format heaptop-json heaptop-mcp heaptop-remote heaptop-sql heaptop-tutorial heaptop heaptoprc
set -l saves .heaptop .gcdump .gclog .sqlite
set -l formats heaptop gcdump gclog sqlite

complete -c heaptop -n __fish_use_subcommand -a "$subcommands"
complete -c heaptop -a '(__heaptop_processes)'
complete -c heaptop -s b -l batch -x -a "$commands" -d 'print what this command shows, and exit: \'objects TYPE\''
complete -c heaptop -l csv -d 'with -b: comma-separated, plain numbers'
complete -c heaptop -l tsv -d 'with -b: tab-separated, plain numbers'
complete -c heaptop -l json -d 'with -b: one JSON object, see heaptop-json(5)'
complete -c heaptop -l jsonl -d 'with -b: JSON Lines, one object per row'
complete -c heaptop -l md -d 'with -b: a Markdown table'
complete -c heaptop -l columns -x -a '(__fish_complete_list , __heaptop_columns)' -d 'with -b: these columns, in this order'
complete -c heaptop -l origin -d 'with --jsonl, --csv: rows say where they are from: host, pod'
complete -c heaptop -l label -x -d 'with --origin: another member, or another value: pod=web-1'
complete -c heaptop -s n -l rows -x -d 'with -b: at most this many rows'
complete -c heaptop -s s -l sort -x -a "$columns" -d 'sort by this column; -COLUMN reverses the order'
complete -c heaptop -s f -l filter -x -d 'only rows that match: a regex, byte[], or \'size > 1M\''
complete -c heaptop -s x -l execute -x -d 'then run commands of the prompt: \'cmd; cmd\''
complete -c heaptop -s g -l gcs -d 'garbage collections of a process or trace, as they end'
complete -c heaptop -s v -l verbose -d 'with -g: details of each generation and heap'
complete -c heaptop -l min-pause -x -d 'with -g: only pauses of at least this long: 10ms'
complete -c heaptop -s a -l allocations -d 'what a process or trace allocates, as it goes on'
complete -c heaptop -l for -x -d 'with -a, -b allocations: record a process this long: 30s'
complete -c heaptop -l stacks -r -d 'with -b allocations: write stacks for flame graphs, too'
complete -c heaptop -l no-survival -d 'with -b allocations: do not follow what stays; no stops'
complete -c heaptop -l samples -r -d 'join a recording of allocations: who allocated the objects'
complete -c heaptop -s l -l list -d 'list the .NET processes, and exit'
complete -c heaptop -l probe -d 'print what memory shows of a process or core, and exit'
complete -c heaptop -l mcp -d 'serve the Model Context Protocol, see heaptop-mcp(7)'
complete -c heaptop -l allow-capture -d 'with --mcp: the client may capture from processes'
complete -c heaptop -l via -x -d 'processes elsewhere: \'docker exec -i web\', \'ssh host\''
complete -c heaptop -l agent -d 'answer the heaptop that --via starts this one for'
complete -c heaptop -l symbols -x -a '(__fish_complete_directories)' -d 'for Native AOT: the folder with the program\'s symbols'
complete -c heaptop -l sysroot -x -a '(__fish_complete_directories)' -d 'for a core: the folder with the files it had mapped'
complete -c heaptop -l runtime -x -d 'if memory has several runtimes: which one, from 1'
complete -c heaptop -l port -r -d 'wait for a runtime to connect: DOTNET_DiagnosticPorts'
complete -c heaptop -l start -d 'resume the process first, if it waits at its start'
complete -c heaptop -s m -l memory -d 'read the process\'s memory: no collection, garbage too'
complete -c heaptop -l yes -d 'capture from a process without asking'
complete -c heaptop -l budget -x -d 'refuse a capture that may pause the process longer: 5s'
complete -c heaptop -l mem -x -d 'memory for heaps and what is computed: 512M, 2G'
complete -c heaptop -l csvguard -d 'in CSV and TSV, write \' before texts that a spreadsheet would take for formulas'
complete -c heaptop -l mine -d 'count only your own types, with the framework objects that they hold; key Z'
complete -c heaptop -l mymodules -x -d 'your modules: Shop*,Billing; empty: all but the framework\'s'
complete -c heaptop -l stackroots -x -d 'roots on stacks (-m, cores): known references, or all words like them'
complete -c heaptop -s o -l output -r -a '(__heaptop_saves)' -d 'save the heap: FILE.heaptop, .gcdump, .gclog, .sqlite'
complete -c heaptop -l format -x -a "$formats" -d 'with -o: heaptop, gcdump, gclog or sqlite, not by suffix'
complete -c heaptop -l force -d 'let -o replace a file; read even a bad .gclog'
complete -c heaptop -l raw -d 'with -o: uncompressed, to be mapped; twice the size'
complete -c heaptop -l with -x -d 'with -o: save results, too: distances, retained'
complete -c heaptop -l max -x -d 'check: at most N objects of the type'
complete -c heaptop -l max-size -x -d 'check: at most N bytes of the type'
complete -c heaptop -l max-retained -x -d 'check: at most N bytes retained by the type'
complete -c heaptop -l where -x -d 'check: no type matches'
complete -c heaptop -l grew -x -d 'check: no matching type has grown since --baseline'
complete -c heaptop -l no-findings -d 'check: nothing looks like a leak'
complete -c heaptop -l no-new-findings -d 'check: nothing but what --baseline has, too'
complete -c heaptop -l allow -x -d 'check: accept findings of these kinds: dominator,pinned'
complete -c heaptop -l baseline -r -d 'check: an earlier heap to compare with'
complete -c heaptop -l junit -r -d 'check: write the results as JUnit XML, too'
complete -c heaptop -l allow-missing -d 'check: accept a TYPE that does not exist'
complete -c heaptop -l strict -d 'treat warnings about a file as errors: exit 5'
complete -c heaptop -l secure -d 'no shell, pipe, writing or capture; or HEAPTOPSECURE=1'
complete -c heaptop -l resume -d 'restore what :save-session [FILE] saved'
complete -c heaptop -l theme -x -a "$themes (__heaptop_themes)" -d 'the colours: a name, or a file; else $HEAPTOP_THEME'
complete -c heaptop -l linear -d 'print a line for each key; for screen readers'
complete -c heaptop -l tour -d 'find a leak in five minutes and learn the keys'
complete -c heaptop -l no-rc -d 'read no heaptoprc'
complete -c heaptop -l paths -d 'list the files that are read and written, and exit'
complete -c heaptop -s h -l help -x -a "$topics" -d 'this text; --help keys, columns, filter, json, settings, sql: more'
complete -c heaptop -s V -l version -d 'print the version'
