# results.sh is read by the check_*.sh, which count their results with it.
passed=0 failed=0

# Counts a result, and names one that has failed.
result() { # result STATUS NAME
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$(basename "$0" .sh | tr _ -): failed: $2"
	fi
}
