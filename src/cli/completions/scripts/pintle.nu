# Completes pintle in Nushell, and other commands as before.

let @ID@_others = $env.config?.completions?.external?.completer?

$env.config.completions.external.completer = {|spans: list<string>|
    if ($spans | first | path basename | str replace --regex '\.exe$' '') != @NAME@ {
        if $@ID@_others != null { do $@ID@_others $spans }
    } else {
        let lines = try { ^@PROGRAM@ complete -- ...$spans | complete | get stdout | lines } catch { [] }
        # Nushell completes paths if null is returned.
        if ($lines | is-empty) or ($lines | any {|line| $line | str starts-with "\t" }) {
            null
        } else {
            $lines | each {|line|
                let fields = $line | split row "\t"
                { value: $fields.0, description: ($fields | get -o 1 | default '') }
            }
        }
    }
}
