/**
 * For bash 3.2 and later, with and without the package bash-completion. bash cuts words at `=` and `:`; the script puts
 * them together again for podrun, and hands back only what stands behind the last cut.
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
