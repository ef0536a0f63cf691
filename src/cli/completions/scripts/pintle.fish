# Completes pintle in fish.

function __@ID@_complete
    command --query @PROGRAM@; or return
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor | string trim --left --chars \'\")
    for line in (command @PROGRAM@ complete -- $words "$current" 2>/dev/null)
        set -l fields (string split \t -- $line)
        if test -n "$fields[1]"
            echo $line
            continue
        end
        set -l typed (string sub --start (math (string length -- "$fields[3]") + 1) -- "$current")
        if test $fields[2] = directories
            string replace -r '^' -- $fields[3] (__fish_complete_directories "$typed")
        else
            string replace -r '^' -- $fields[3] (complete -C "'' $typed")
        end
    end
end

complete --command @NAME@ --no-files --keep-order --arguments '(__@ID@_complete)'
