# Turns what `heaptop --help TOPIC` prints into entries of a manual page.
#
#   a line that is not indented   a heading
#   "  left   right"              an entry; right begins in column `right`
#
# Sections with the same entries share one heading, and commands in succession
# with the same description share one entry. The variables:
#
#   right   the column, from 1, in which the description begins
#   tag     the width of the tags on the page
#   kind    keys: left is "KEYS   COMMAND ARGUMENTS"
#           columns: a section begins with a list of its columns, and what
#           three or more sections have in common is described once, at first
function roff(s) {
	gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); gsub(/\^/, "\\(ha", s)
	gsub(/\x27/, "\\(aq", s); gsub(/~/, "\\(ti", s); gsub(/"/, "\\(dq", s)
	gsub(/^ +| +$/, "", s)
	return s
}

function entry(left, text) {
	return ".IP \"\\fB" left "\\fR\" " tag "\n\\&" text "\n"
}

# Keys are the tag; the command and its arguments begin the text.
function key_entry(left, text,    at, command, keys, name) {
	at = match(left, /   */)
	if (!at && title ~ /SOS/)
		at = match(left, / [^ ]*$/)
	if (!at && substr(left, 1, 1) != " ")
		return entry(roff(left), roff(text))
	keys = substr(left, 1, at - 1)
	command = substr(left, at)
	gsub(/^ +| +$/, "", command)
	name = command
	sub(/ .*/, "", name)
	command = "\\fB" roff(name) "\\fR" \
		(command == name ? "" : " " roff(substr(command, length(name) + 2))) ": "
	gsub(/ /, ", ", keys)
	return entry(keys == "" ? ":" : roff(keys), command roff(text))
}

# "do", which means the same as "dumpobj" before it, goes into its tag.
function add_key(new,    tag_end, text) {
	tag_end = index(new, "\\fR\" ")
	text = substr(new, tag_end)
	if (text == last_text && substr(new, 1, tag_end) !~ /fB:/)
		body[sections] = substr(body[sections], 1,
			length(body[sections]) - length(text)) ", " \
			substr(new, 9, tag_end - 9) text
	else
		body[sections] = body[sections] new
	last_text = text
}

function heading(s) {
	print ".PD\n.SS " s "\n.PD 0"
}

# "In the view a" and "In the view b" become "In the views a and b".
function joined(titles,    name, n, i, s) {
	n = split(titles, name, "\n")
	if (kind == "keys")
		for (i = 1; i <= n && n > 1; i++)
			sub(/^In the view /, i > 1 ? "" : "In the views ", name[i])
	s = name[1]
	for (i = 2; i <= n; i++)
		s = s (i < n ? ", " : " and ") name[i]
	return roff(s)
}

/^$/ { next }
/^[^ ]/ {
	title = $0
	last_text = ""
	section_title[++sections] = title
	next
}
substr($0, right - 1, 1) != " " { print "too wide: " $0; next }
{
	if (!sections)
		section_title[++sections] = ""
	left = substr($0, 3, right - 3)
	text = substr($0, right)
	if (kind == "keys") {
		sub(/ +$/, "", left)
		add_key(key_entry(left, text))
		next
	}
	left = roff(left)
	text = roff(text)
	body[sections] = body[sections] entry(left, text)
	ids[sections] = ids[sections] (ids[sections] == "" ? "" : ", ") "\\%" left
	own[sections] = own[sections] left "\t" text "\n"
}

END {
	for (i = 1; i <= sections; i++) {
		if (body[i] in first) {
			titles[first[body[i]]] = titles[first[body[i]]] "\n" section_title[i]
			continue
		}
		first[body[i]] = i
		titles[i] = section_title[i]
		order[++groups] = i
	}
	if (kind == "columns")
		print_shared()
	for (g = 1; g <= groups; g++) {
		i = order[g]
		if (titles[i] != "")
			heading(joined(titles[i]))
		else
			sub(/\n/, "\n.PD 0\n", body[i])
		if (kind != "columns") {
			printf "%s", body[i]
			continue
		}
		print ids[i]
		print_own(i)
	}
	print ".PD"
}

# Of several descriptions of one column, the most frequent is the shared one.
# Those that continue the description of the column before stay where they are.
function print_shared(    g, i, j, n, line, part, list) {
	for (g = 1; g <= groups; g++) {
		n = split(own[order[g]], line, "\n")
		for (j = 1; j < n; j++)
			if (!times[line[j]]++)
				list[++count] = line[j]
	}
	for (i = 1; i <= count; i++) {
		split(list[i], part, "\t")
		if (times[list[i]] >= 3 && part[2] !~ /^(its|their|and) / &&
		    (!(part[1] in shared) || times[list[i]] > times[shared[part[1]]]))
			shared[part[1]] = list[i]
	}
	heading("Several views")
	for (i = 1; i <= count; i++) {
		split(list[i], part, "\t")
		if (shared[part[1]] == list[i])
			printf "%s", entry(part[1], part[2])
	}
}

function print_own(section,    n, j, line, part) {
	n = split(own[section], line, "\n")
	for (j = 1; j < n; j++) {
		split(line[j], part, "\t")
		if (shared[part[1]] != line[j])
			printf "%s", entry(part[1], part[2])
	}
}
