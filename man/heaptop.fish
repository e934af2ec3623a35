# fish completion for heaptop; checked against the program by `make check`.
set -l commands findings groups inspect memory merged objects path references referrers roots summary tree types walks
set -l columns address avg bytes count distance finding frozen gc gen gen0 gen1 gen2 harmless held in index kind label list loh max meaning module name number objects out part pause_ms per_object pinned poh raw refs root roots share size state target this time times type value

complete -c heaptop -s b -l batch -x -a "$commands" -d 'print what a command shows, and exit'
complete -c heaptop -l csv -d 'with -b: comma-separated'
complete -c heaptop -l tsv -d 'with -b: separated by tabs'
complete -c heaptop -l json -d 'with -b: one object of JSON'
complete -c heaptop -l jsonl -d 'with -b: an object a row'
complete -c heaptop -l md -d 'with -b: a table of Markdown'
complete -c heaptop -l columns -x -a "$columns" -d 'with -b: these columns'
complete -c heaptop -s n -l rows -x -d 'with -b: at most so many rows'
complete -c heaptop -s s -l sort -x -a "$columns" -d 'with -b: sort by a column'
complete -c heaptop -s f -l filter -x -d 'only rows that match: a regex, or conditions'
complete -c heaptop -s x -l execute -x -d 'run commands of the prompt first'
complete -c heaptop -s l -l list -d 'list the .NET processes'
complete -c heaptop -l port -r -d 'wait there for a runtime'
complete -c heaptop -l yes -d 'capture from a process without asking'
complete -c heaptop -l budget -x -d 'refuse if the pause may be longer'
complete -c heaptop -s o -l output -r -d 'keep the heap'
complete -c heaptop -l force -d 'replace a file that is there'
complete -c heaptop -l theme -x -a 'default light high-contrast mono' -d 'colours'
complete -c heaptop -l help -a 'keys columns' -d 'help'
complete -c heaptop -s V -l version -d 'the version'
