/** For zsh 5 and later: to be sourced, or as the file `_podrun` in a folder of `$fpath`. */
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
