/**
 * The script for bash 3.2 and later, with or without the package bash-completion. bash splits words at `=` and `:`. The
 * script joins them for podrun, and returns only the part behind the last split.
 */
export const BASH: string = `# bash completion of podrun: source <(podrun completion bash)

_podrun_complete() {
  local line="\${COMP_LINE:0:COMP_POINT}" rest word index
  local -a words=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    rest="\${line#"\${line%%[![:space:]]*}"}"
    word="\${COMP_WORDS[index]}"
    if ((index == COMP_CWORD)); then word="$rest"; fi
    if ((index > 0)) && [[ "$rest" == "$line" ]]; then
      words[\${#words[@]} - 1]+="$word"
    else
      words+=("$word")
    fi
    line="\${rest#"$word"}"
  done
  local current="\${words[\${#words[@]} - 1]}" cut="" part
  for part in = :; do
    if [[ "$COMP_WORDBREAKS" == *"$part"* && "$current" == *"$part"* ]]; then
      part="\${current%"$part"*}$part"
      if ((\${#part} > \${#cut})); then cut="$part"; fi
    fi
  done
  local program="\${words[0]/#\\~/$HOME}" then=""
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) then="$line" ;;
      *) word="\${line%%$'\\t'*}"; COMPREPLY+=("\${word#"$cut"}") ;;
    esac
  done < <("$program" __complete "\${words[@]:1}" 2>/dev/null)
  # bash 3.2 has no compopt: there, files are offered where nothing else is.
  if ! type compopt >/dev/null 2>&1; then return; fi
  if [[ "$then" != :files ]]; then compopt +o default; fi
  if [[ "$then" == :folders ]]; then compopt -o dirnames; fi
  if ((\${#COMPREPLY[@]} == 1)) && [[ "\${COMPREPLY[0]}" == *[=/:] ]]; then compopt -o nospace; fi
}

complete -o default -F _podrun_complete podrun
`;

/** The script for fish 3 and later. fish itself adds no space behind `=`, `/` and `:`. */
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

/** The script for zsh 5 and later: to be sourced, or stored as the file `_podrun` in a folder of `$fpath`. */
export const ZSH: string = `#compdef podrun
# zsh completion of podrun: source <(podrun completion zsh)

_podrun() {
  local -a lines whole open
  local line value then
  lines=("\${(@f)$("\${~words[1]}" __complete "\${(@Q)words[2,CURRENT - 1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    if [[ "$line" == :* ]]; then
      then="$line"
      continue
    fi
    value="\${\${line%%$'\\t'*}//:/\\\\:}"
    if [[ "$line" == *$'\\t'* ]]; then line="$value:\${line#*$'\\t'}"; else line="$value"; fi
    if [[ "$value" == *[=/:] ]]; then open+=("$line"); else whole+=("$line"); fi
  done
  case "$then" in
    :files) compset -P '--[a-z0-9-]##='; _files ;;
    :folders) compset -P '--[a-z0-9-]##='; _files -/ ;;
    *)
      local failed=1
      if ((\${#whole})); then _describe -t values value whole && failed=0; fi
      if ((\${#open})); then _describe -t values value open -S '' && failed=0; fi
      return failed
      ;;
  esac
}

if [[ "\${funcstack[1]}" == _podrun ]]; then
  _podrun "$@"
else
  if ((! \${+functions[compdef]})); then
    autoload -Uz compinit
    compinit
  fi
  compdef _podrun podrun
fi
`;
