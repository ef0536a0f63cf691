# slug TITLE: a title as used in a web address.
slug() {
    printf '%s\n' "$1" |
        tr '[:upper:]' '[:lower:]' |
        tr -c '[:alnum:]\n' '-' |
        sed 's/^-*//'
}
