/** For fish 3 and later. fish itself leaves no space behind `=`, `/` and `:`. */
export const FISH: string = `# fish completion of podrun: podrun completion fish | source

function __podrun_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --cut-at-cursor --current-token)
    set -l program (string replace --regex '^~(?=/)' $HOME -- $words[1])
    set -e words[1]
    set -l lines ($program __complete $words "$current" 2>/dev/null)
    set -l flag (string match --regex -- '^--[a-z0-9-]+=' $current)
    set -l start (string replace -- "$flag" '' "$current")
    switch "$lines[-1]"
        case :files
            for file in (__fish_complete_path "$start")
                printf '%s\\n' "$flag$file"
            end
        case :folders
            for folder in (__fish_complete_directories "$start")
                printf '%s\\n' "$flag$folder"
            end
        case '*'
            string match --invert --regex -- '^:' $lines
    end
end

complete --command podrun --erase
complete --command podrun --no-files --arguments '(__podrun_complete)'
`;
