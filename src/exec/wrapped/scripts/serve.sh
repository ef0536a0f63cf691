# A newline in an argument: a request is one line. Variables have names here that no place exports, since commands see them.
_nl='
'
# mark, words of a request. On stdin its input. What it prints goes out at once, its complaints follow.
answer() {
  _said=$( (
    export LC_ALL=C
    eval "$2"
  ) 2>&1 >&3)
  _status=$?
  # What is left of the input would be taken for the next request.
  cat >/dev/null
  printf '\000%s err\n%s\000%s end %s\n' "$1" "$_said" "$1" "$_status"
}
# mark. Says that all is ready, then answers requests until stdin ends. Each is a line of its mark, the bytes of its input and the words of
# a function above with its arguments; the input follows. `read` takes no byte more than the line, and what comes after the input is sent
# only after the answer, so that nothing is lost to a `head` that reads ahead.
serve() {
  exec 3>&1
  # Some encodings have quotes within characters, and requests are UTF-8. Commands get the locale of the place back.
  _locale=${LC_ALL-}
  LC_ALL=C
  printf '\000%s ok\n' "$1"
  while read -r _mark _size _words; do
    case $_words in
      do_run\ *)
        (
          exec 3>&-
          eval "$_words"
        )
        [ "$?" -le 128 ] && continue
        # The command killed the shell that waited for it. Its watcher still reads the input, and stops it when the connection closes.
        printf '\000%s end 137 left\n' "$_mark"
        return
        ;;
    esac
    printf '\000%s ok\n' "$_mark"
    if [ "$_size" -gt 0 ]; then
      head -c "$_size" | answer "$_mark" "$_words"
    else
      answer "$_mark" "$_words" </dev/null
    fi
  done
}
