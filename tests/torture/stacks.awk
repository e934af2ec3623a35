# Reduces stacks to what three sources spell alike: the names of methods as in C#,
# without namespaces, types and generic arguments. Each line of output is a stack, the
# outermost method first and separated by ";", a tab, and a number. `from` says whose
# stacks are read: "heaptop" (--stacks), "traces" (tests/programs/traces), or
# "program" (what tests/programs/sites answers to "stacks"). With `prefix`, only methods
# whose full name begins so count.
function without_arguments(name,    depth, i, c, out) {
	for (i = 1; i <= length(name); i++) {
		c = substr(name, i, 1)
		if (c == "[" || c == "<") depth++
		if (!depth) out = out c
		if (c == "]" || c == ">") depth--
	}
	return out
}
function method(name,    at) {
	if (from != "heaptop") {
		# The bodies of async methods, lambdas and local functions are moved.
		if (name ~ /\.MoveNext$/ && match(name, /.*<[A-Za-z0-9_.]+>d__/)) {
			name = substr(name, 1, RLENGTH - 4)
			sub(/.*</, "", name)
			return name
		}
		if (match(name, /<[A-Za-z0-9_.]+>b__[0-9_]+$/)) {
			name = substr(name, RSTART + 1)
			sub(/>b__/, " lambda ", name)
			sub(/^\./, "", name)
			return name
		}
		if (match(name, />g__[A-Za-z0-9_]+\|/))
			return substr(name, RSTART + 4, RLENGTH - 5)
	}
	name = without_arguments(name)
	at = match(name, /\.[^.]*$/)
	return at ? substr(name, at + 1) : name
}
function add(name) {
	if (index(name, prefix) != 1)
		return
	stack = stack (stack == "" ? "" : ";") method(name)
}
from == "heaptop" {
	number = $NF
	sub(/ [0-9]+$/, "")
	frames = split($0, frame, ";")
	stack = ""
	for (i = 1; i < frames; i++)
		add(frame[i])
	print stack "\t" number
}
from == "traces" {
	frames = split($0, frame, "\t")
	stack = ""
	for (i = 4; i <= frames; i++)
		if (frame[i] != "")
			add(frame[i])
	print stack "\t" frame[1]
}
# The innermost first, below two methods that take the stack.
function end_of_stack() {
	stack = ""
	for (i = depth; i > 2; i--)
		add(frame[i])
	if (depth)
		print stack "\t0"
	depth = 0
}
from == "program" && $1 == "at" {
	name = $0
	sub(/^ *at /, "", name)
	sub(/\(.*/, "", name)
	frame[++depth] = name
	next
}
from == "program" { end_of_stack() }
