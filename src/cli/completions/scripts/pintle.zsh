#compdef @NAME@
# Completes pintle in zsh.

_@ID@() {
    local -a lines values open
    local line value text kind after tab=$'\t'
    lines=("${(@f)$(command @PROGRAM@ complete -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $lines; do
        if [[ $line == $tab* ]]; then
            kind=${${line#$tab}%%$tab*}
            after=${line##*$tab}
            continue
        fi
        value=${${line%%$tab*}//:/\\:}
        text=
        [[ $line == *$tab* ]] && text=:${${line#*$tab}//\\/\\\\}
        if [[ $value == *[/:=] ]]; then
            open+=("$value$text")
        else
            values+=("$value$text")
        fi
    done
    local -i found=1
    (( $#values )) && _describe -V 'value' values && found=0
    (( $#open )) && _describe -V 'value' open -S '' && found=0
    if [[ -n $kind ]]; then
        [[ -n $after ]] && compset -P "${(b)after}"
        if [[ $kind == directories ]]; then
            _files -/ && found=0
        else
            _files && found=0
        fi
    fi
    return found
}

if [[ $funcstack[1] == _@ID@ ]]; then
    _@ID@ "$@"
elif (( $+functions[compdef] )); then
    compdef _@ID@ @NAME@
fi
