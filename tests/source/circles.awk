# Circles of uses, one a line: what reaches each other through "NAME T symbol",
# which NAME defines, and "NAME U symbol", which it uses. With by=folder NAME is
# the folder of a file, else the file. Prints the members of each, sorted.
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
		if (line in is_told)
			continue
		for (j = i + 1; j <= names_count; j++)
			if ((names[i], names[j]) in reached &&
			    (names[j], names[i]) in reached) {
				line = line " " names[j]
				is_told[names[j]] = 1
			}
		if (line != names[i])
			print line
	}
}
