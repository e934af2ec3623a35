# Prints circles of uses, one a line, members sorted. The input is "FILE T symbol"
# for a definition and "FILE U symbol" for a use. With by=folder the members are
# folders, otherwise files.
function member(path) {
	if (by == "folder")
		sub(/\/[^\/]*$/, "", path)
	return path
}

function reach(from, at,    i, n, next_ones) {
	reached[from, at] = 1
	n = split(uses[at], next_ones, " ")
	for (i = 1; i <= n; i++)
		if (!((from, next_ones[i]) in reached))
			reach(from, next_ones[i])
}

$2 == "T" { definer[$3] = member($1); next }
{ user[++count] = member($1); symbol[count] = $3 }

END {
	for (i = 1; i <= count; i++) {
		if (!(symbol[i] in definer))
			continue
		from = user[i]
		to = definer[symbol[i]]
		if (from == to || (from, to) in edge)
			continue
		edge[from, to] = 1
		uses[from] = uses[from] " " to
		is_used[to] = 1
	}
	for (name in uses)
		if (name in is_used)
			reach(name, name)
	for (name in uses)
		if (name in is_used)
			names[++names_count] = name
	for (i = 2; i <= names_count; i++)
		for (j = i; j > 1 && names[j - 1] > names[j]; j--) {
			name = names[j]
			names[j] = names[j - 1]
			names[j - 1] = name
		}
	for (i = 1; i <= names_count; i++) {
		line = names[i]
		if (line in is_listed)
			continue
		for (j = i + 1; j <= names_count; j++)
			if ((names[i], names[j]) in reached &&
			    (names[j], names[i]) in reached) {
				line = line " " names[j]
				is_listed[names[j]] = 1
			}
		if (line != names[i])
			print line
	}
}
