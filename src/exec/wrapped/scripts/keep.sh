# Keeps stdin in a temporary file. Prints its path.
file=$(mktemp) && cat >"$file" && printf %s "$file"
