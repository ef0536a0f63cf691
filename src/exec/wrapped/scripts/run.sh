# mark, working directory, shell, policy for variables, command. Stdin stays open as long as the command is wanted. The last line says if
# processes are left that could print on this connection.
mark=$1 cwd=$2 shell=$3 policy=$4 line=$5
exec 3<&0 0</dev/null
if ! cd "$cwd" 2>/dev/null; then
  printf '\000%s cwd\n' "$mark"
  exit 1
fi
if ! command -v "$shell" >/dev/null; then
  printf '\000%s shell\n' "$mark"
  exit 1
fi
setsid=$(command -v setsid)
before=$(holders)
(
  while read -r ignored <&3; do :; done
  # Nobody is there any more, or the command is to stop.
  trap '' TERM HUP INT
  began=$(date +%s)
  known=$(family "$mark" "")
  [ -n "$known" ] && kill -s TERM -- $(family "$mark" "$known" groups) 2>/dev/null
  while left=$(family "$mark" "$known") && [ -n "$left" ]; do
    known=$left
    now=$(date +%s)
    [ "$((now - began))" -gt 5 ] && break
    [ "$((now - began))" -gt 2 ] && kill -s KILL -- $(family "$mark" "$left" groups) 2>/dev/null
    sleep 0.1 2>/dev/null || sleep 1
  done
) >/dev/null 2>&1 &
watch=$!
exec 3<&-
is_name='^[A-Za-z_][A-Za-z0-9_]*='
core=' PATH HOME USER SHELL LANG TERM TMPDIR LOGNAME GOPATH GOROOT CARGO_HOME RUSTUP_HOME NVM_DIR VIRTUAL_ENV JAVA_HOME '
case $policy in
  filtered) names=$(env | grep "$is_name" | awk -F= 'toupper($1) ~ /(^|_)(SECRETS?|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|APIKEY|BEARER|AUTHTOKEN|(API|ACCESS|PRIVATE|ENCRYPTION|SIGNING|MASTER|DEPLOY|AUTH)_KEY)(_|$)|(PASSWORD|PASSWD|TOKEN|SECRET|APIKEY|SSHPASS)$|^(MYSQL_PWD|NPM_CONFIG__AUTH|NPM_AUTH|DOCKER_AUTH_CONFIG)$/ { print $1 }') ;;
  core) names=$(env | grep "$is_name" | awk -F= -v core="$core" 'index(core, " " $1 " ") == 0 { print $1 }') ;;
  none) names=$(env | grep "$is_name" | cut -d= -f1) ;;
  *) names= ;;
esac
printf '\000%s ok\n' "$mark"
# What this shell says of the command's end is not the command's.
exec 2>/dev/null
(
  if [ -n "$_locale" ]; then LC_ALL=$_locale; else unset LC_ALL; fi
  exec 2>&1
  # From here on only the arguments count: a variable of the place may have the name of one of these.
  for name in $names; do unset "$name"; done
  export TERM=dumb PAGER=cat GIT_PAGER=cat MANPAGER=cat SYSTEMD_PAGER=cat EDITOR=false VISUAL=false GIT_EDITOR=false GIT_TERMINAL_PROMPT=0
  export PINTLE_COMMAND="$1"
  exec $setsid "$3" -c "$5"
)
status=$?
# The next request is for the loop, and an input that is closed from here on ends nothing that stays in the background: so nobody may
# watch the input any more when the engine reads of the end. A watch that is ending the command is waited for: it does not heed this.
kill "$watch" 2>/dev/null
wait "$watch" 2>/dev/null
left=clean
if [ -n "$(family "$mark" "")" ] || [ "$(holders)" != "$before" ]; then left=left; fi
printf '\000%s end %s %s\n' "$mark" "$status" "$left"
