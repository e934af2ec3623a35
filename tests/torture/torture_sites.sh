#!/bin/sh
# torture_sites.sh [RUNS [SECONDS]] records tests/programs/sites, whose ten sites count
# for themselves, RUNS times for so long, and compares each site's estimated rate with
# the counts in the window of the recording. On .NET 10 at least 90 % of the 95 %
# intervals must cover the truth, for each site with 30 or more expected samples; with
# fewer than 50 runs, intervals twice as wide must always cover it. Older versions have
# no intervals: their bias is printed, and only the sum of all sites must be right,
# within 10 %. SITES_VERSIONS chooses versions; "-server" means server GC.
runs=${1:-100} seconds=${2:-4}
versions=${SITES_VERSIONS:-10.0 10.0-server 9.0 8.0}
. tests/torture/sites.sh

# record appends a line "window <start> <seconds> <lost events>" and the rows of one
# recording.
record() {
	"$heaptop" -b allocations --csv --columns $columns --for "${seconds}s" -o "$folder/run.nettrace" --force \
		--no-rc "$pid" >"$folder/rows" 2>"$folder/said" || return
	echo "window $(window "$folder/run.nettrace" "$folder/said")" \
		"$(sed -n 's/.*events were lost: //p' "$folder/said")"
	sed 1d "$folder/rows"
}

# Reads the counts, then the windows. The message rounds the length of a window; rows of
# .NET 10 have it exactly, as each sample of MakeFast is an object of 4024 bytes.
cat >"$folder/judge.awk" <<'AWK'
BEGIN {
	count = split("MakeSmall MakeString MakeBox MakeClosure MakeAsyncBox Make " \
		"MakePinned MakeArray MakeLarge MakeFast", methods)
	split("small string box closure async generic pinned array large fast", names)
	for (i = 1; i <= count; i++)
		site_of[methods[i]] = names[i]
}
FNR == NR && $1 == "clock" { clock[++clocks] = $2 }
FNR == NR && $1 == "site" { bytes[$2, clocks] = $4; objects[$2, clocks] = $3 }
FNR == NR { next }
$1 == "window" { end_run(); start = $2; seconds = $3; lost += $4; runs++; next }
{
	split($0, field, ",")
	site = field[9]
	sub(/.*\./, "", site)
	sum += field[1]
	if (random && site == "MakeFast")
		seconds = field[8] * 4024 / (1 - exp(-4024 / 102400)) / field[1]
	if (site in site_of) {
		site = site_of[site]
		rate[site] = field[1]; low[site] = field[2]; high[site] = field[3]
	}
}
END { end_run(); print_table() }

# The count at a time, between two lines of the log.
function at(counts, site, time,    from, to, middle) {
	from = 1; to = clocks
	while (to - from > 1) {
		middle = int((from + to) / 2)
		if (clock[middle] <= time) from = middle; else to = middle
	}
	return counts[site, from] + (counts[site, to] - counts[site, from]) * \
		(time - clock[from]) / (clock[to] - clock[from])
}
function end_run(    i, site, end, n, size, half, middle) {
	if (!runs)
		return
	end = start + seconds * 1e9
	if (start < clock[1] || end > clock[clocks])
		print "a window is not within the counts" > "/dev/stderr"
	for (i = 1; i <= count; i++) {
		site = names[i]
		n = at(objects, site, end) - at(objects, site, start)
		true_rate = (at(bytes, site, end) - at(bytes, site, start)) / seconds
		truth[site] += true_rate
		size = n > 0 ? true_rate * seconds / n : 1
		expected[site] += n * (1 - exp(-size / 102400))
		ratio = rate[site] / true_rate
		estimate[site] += ratio
		if (runs == 1 || ratio < least[site]) least[site] = ratio
		if (runs == 1 || ratio > most[site]) most[site] = ratio
		if (high[site] != "") {
			intervals[site]++
			covered[site] += low[site] <= true_rate && true_rate <= high[site]
			middle = rate[site]
			half = high[site] - middle
			twice[site] += middle - 2 * half <= true_rate && \
				true_rate <= middle + 2 * half
		}
		rate[site] = low[site] = high[site] = ""
		all += true_rate
	}
	estimated += sum
	sum = 0
}
function wrong(site) {
	if (expected[site] / runs < 30)
		return 0
	if (random && runs < 50)
		return twice[site] < runs
	return random && covered[site] < 0.9 * runs
}
function print_table(    i, site, bad) {
	printf "%-8s %12s %9s %9s %9s %9s %8s\n", "site", "bytes/s", "expected", \
		"mean", "least", "most", "covered"
	for (i = 1; i <= count; i++) {
		site = names[i]
		printf "%-8s %12.0f %9.1f %8.3fx %8.3fx %8.3fx %8s%s\n", site, \
			truth[site] / runs, expected[site] / runs, estimate[site] / runs, \
			least[site], most[site], \
			random ? covered[site] + 0 "/" intervals[site] + 0 : "-", \
			wrong(site) ? " WRONG" : ""
		bad += wrong(site)
	}
	ratio = estimated / all
	printf "all      %12.0f %9s %8.3fx, lost events %d, %d runs\n", all / runs, "", \
		ratio, lost, runs
	if (bad || ratio < 0.9 || ratio > 1.1 || lost || !runs)
		exit 1
}
AWK

for version in $versions; do
	has_sites "${version%-server}" || continue
	server=0 random=0
	[ "$version" = "${version%-server}" ] || server=1
	[ "${version%%.*}" -lt 10 ] || random=1
	export DOTNET_gcServer=$server DOTNET_GCHeapCount=2
	begin_sites "${version%-server}" --counts 0.02
	sleep 1
	for run in $(seq "$runs"); do
		record || { echo "run $run: exit code $?"; tail -n 1 "$folder/said"; }
	done >"$folder/windows"
	sleep 0.1
	end_sites
	echo "$version:"
	awk -v random=$random -f "$folder/judge.awk" "$folder/counts" "$folder/windows"
	result $? "$version"
done
print_results
