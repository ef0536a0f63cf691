# What kind of place this is, a value a line: system, home, shell, folder for temporary files, search path, and `proc` if `holders` works.
shell=/bin/bash
[ -x "$shell" ] || shell=/bin/sh
printf '%s\n%s\n%s\n%s\n%s\n' "$(uname -s)" "$HOME" "$shell" "${TMPDIR:-/tmp}" "$PATH"
if [ -d /proc/self ]; then echo proc; fi
