# A newline in an argument: a request is one line.
nl='
'
# mark, words of a request. On stdin its input. What it prints goes out at once, its complaints follow.
answer() {
  said=$( (
    export LC_ALL=C
    eval "$2"
  ) 2>&1 >&3)
  status=$?
  # What is left of the input would be taken for the next request.
  cat >/dev/null
  printf '\000%s err\n%s\000%s end %s\n' "$1" "$said" "$1" "$status"
}
# mark. Says that all is ready, then answers requests until stdin ends. Each is a line of its mark, the bytes of its input and the words of
# a function above with its arguments; the input follows. `read` takes no byte more than the line, and what comes after the input is sent
# only after the answer, so that nothing is lost to a `head` that reads ahead.
serve() {
  exec 3>&1
  printf '\000%s ok\n' "$1"
  while read -r mark size words; do
    case $words in
      do_run\ *)
        (
          exec 3>&-
          eval "$words"
        )
        continue
        ;;
    esac
    printf '\000%s ok\n' "$mark"
    if [ "$size" -gt 0 ]; then
      head -c "$size" | answer "$mark" "$words"
    else
      answer "$mark" "$words" </dev/null
    fi
  done
}
