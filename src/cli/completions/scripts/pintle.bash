# Completes pintle in bash.

_@ID@_complete() {
    local i n=-1 rest=${COMP_LINE:0:COMP_POINT} space word
    local -a words=()
    # Undoes the splitting at the characters of COMP_WORDBREAKS: parts without a space between them are one word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        space=${rest%%[![:space:]]*}
        rest=${rest#"$space"}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$rest
        rest=${rest#"$word"}
        if ((n < 0)) || [[ -n $space ]]; then
            n=$((n + 1))
            words[n]=
        fi
        words[n]+=$word
    done
    local current=${words[n]} done=
    case $current in
        [\"\']*)
            current=${current#?}
            words[n]=$current
            ;;
        *)
            # Only the part after the last of these characters is replaced.
            local breaks=${COMP_WORDBREAKS//[^:=]/}
            [[ -n $breaks ]] && done=${current%"${current##*[$breaks]}"}
            ;;
    esac

    local tab=$'\t' line paths= value
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            "${tab}files$tab"* | "${tab}directories$tab"*)
                paths=${line#"$tab"}
                paths=${paths%%"$tab"*}
                ;;
            *)
                value=${line%%"$tab"*}
                [[ $value == "$done"* ]] && COMPREPLY+=("${value#"$done"}")
                ;;
        esac
    done < <(command @PROGRAM@ complete -- "${words[@]}" 2>/dev/null)

    # An older bash has no `compopt`, and completes files where there is no value.
    type compopt &>/dev/null || return 0
    if [[ -n $paths && ${#COMPREPLY[@]} -eq 0 ]]; then
        [[ $paths == files ]] && compopt -o default || compopt -o dirnames
    elif [[ -n $paths ]]; then
        compopt -o filenames
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -f -- "${current#"$done"}")
    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace
    fi
}

if ! type compopt &>/dev/null; then
    complete -o default -F _@ID@_complete -- @NAME@
elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    complete -o nosort -F _@ID@_complete -- @NAME@
else
    complete -F _@ID@_complete -- @NAME@
fi
