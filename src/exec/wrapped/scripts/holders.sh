# Prints how many processes have the output of this connection as theirs. One without a mark could print between two commands.
holders() {
  [ -d /proc/self ] || return 0
  ls -l /proc/[0-9]*/fd/[12] 2>/dev/null | grep -c -F -- "-> $(readlink "/proc/$$/fd/1")"
}
