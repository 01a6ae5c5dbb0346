# Completion for fish. The command gives the candidates; if there are none, file names are completed.
function __torsor_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c torsor -f -a '(__torsor_candidates)'
