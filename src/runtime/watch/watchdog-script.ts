import { ENTERING_TOOLS } from '../base/inside.ts';
import { CONTAINER_MARKER } from './process-table.ts';

/**
 * The script of the watchdog, for every POSIX shell. It reads lines:
 *
 *     add PGID:START     kill this process group when podrun dies; START may be empty
 *     del PGID:START     the group has ended
 *     mark N ID          kill all processes with the mark of this container when podrun dies; N is a number for it
 *     unmark N           no process has the mark any more
 *     log N FILE         the log for the content of the pipes N and N+1 when podrun dies
 *     out N PATH         a FIFO with the standard output of a container: hold its reading end
 *     err N PATH         the same for the standard error; N is the number of the log plus one
 *     runs N             the container's own program writes to the pipes
 *     free N             podrun has read them to the end
 *
 * The end of its input means that podrun is gone, for any reason, and that all that it has forked has another program
 * by now: until then a child has this pipe open, too. The script then kills every listed group, unless its leader has
 * another start time, and, where there is /proc, every process with a listed mark. It looks for marks several times,
 * since a process that forks may be missed, and waits for processes in the middle of execve(2), whose marks cannot be
 * read just then: on a busy machine that takes its time.
 *
 * The content of a pipe lives as long as a process has the pipe open. The script reads nothing while podrun lives.
 * Output that podrun leaves unread when it is killed is then appended to the log, as records of cri-line.ts, all with
 * the time of that moment. N is a descriptor of the shell, 10 or more: dash, alone among the usual shells, has none
 * above 9, and there the pipes end with podrun. The tools before a program write errors into the same pipe, and must
 * fail when podrun dies: before `runs`, lines that begin like their errors are left out.
 *
 * podrun may be killed between reading a piece and writing it into the log. The output behind that piece is then left
 * out: a log may lack its end, but has no gap. The access time of the pipe shows this: podrun sets it to 0 when
 * everything that it has read is in the log, and reading changes it. On a file system without access times, reading
 * here does not change it either, and the rest is left out as well.
 *
 * Each entry has a variable, which is unset when the entry ends. The list of their names only grows until `tidyUp`:
 * removing one of hundreds from a list takes a shell milliseconds, and with probes hundreds come and go in a second.
 * Groups are killed by a builtin: this works where no program can be started any more.
 *
 * Portable to simple shells: dash knows `kill -s KILL -- -1` only in this form, and busybox complains about the `--`
 * but does it. grep fails when one file among many cannot be read, though it has printed a match, and busybox's grep
 * stops at the first NUL of a line. The state of a process is read without another process.
 */
export const WATCHDOG_SCRIPT: string = `# podrun-watchdog: ends what podrun runs when podrun is killed
trap '' INT TERM HUP QUIT PIPE
things= recent= count=0 limit=500 round=0
holds=
note() { # NAME: a variable that counts as long as it is set
  eval "$1=new"
  keep "$1"
  [ "$count" -lt "$limit" ] || tidyUp
}
keep() { # NAME: a long list is not copied for each
  recent="$recent$1 " count=$((count + 1))
  case $count in *00) things=$things$recent recent= ;; esac
}
tidyUp() { # drops ended entries and duplicates
  names=$things$recent things= recent= count=0 round=$((round + 1))
  for name in $names; do
    eval 'known=\${'"$name"'-}'
    case $known in '' | "$round") continue ;; esac
    eval "$name=$round"
    keep "$name"
  done
  limit=$((count * 2 + 500))
}
entries() { # KIND: puts the entries into $list
  list=
  for name in $things$recent; do
    case $name in "$1"_*) list="$list \${name#*_}" ;; esac
  done
}
canHold() { # does this shell have descriptors beyond 9?
  [ -n "$holds" ] && return
  holds=no
  { [ -n "\${BASH_VERSION-}" ] || (eval 'exec 11</dev/null'); } 2>/dev/null && holds=yes
  ulimit -n "$(ulimit -H -n)"
}
hold() { # N PATH: opened for writing first, since there may be no writer left to wait for
  canHold
  [ "$holds" = yes ] && [ -p "$2" ] || return 0
  command exec 9<>"$2" || return 0
  eval "command exec $1<"'"$2"' && note "pipe_$1" && eval "path$1="'$2'
  exec 9>&-
}
free() { # N
  eval 'held=\${pipe_'"$1"'-}'
  [ -z "$held" ] || eval "exec $1<&-"
  unset "pipe_$1"
}
while read -r verb what; do
  [ -n "$what" ] || continue
  n=\${what%% *}
  case $verb in
    add | del)
      case $what in *[!0-9:]* | *:*:* | :*) continue ;; *:*) ;; *) continue ;; esac ;;
    mark | unmark)
      case $n in '' | *[!0-9]*) continue ;; esac
      [ "$verb $what" != "mark $n" ] || continue ;;
    log | out | err | runs | free)
      case $n in '' | ? | *[!0-9]*) continue ;; esac ;;
  esac
  case $verb in
    add) note "group_\${what%%:*}_\${what#*:}" ;;
    del) unset "group_\${what%%:*}_\${what#*:}" ;;
    mark) note "mark_$n"; eval "id_$n="'\${what#* }' ;;
    unmark) unset "mark_$n" ;;
    log) file=\${what#* }; eval "log$n="'$file'" log$((n + 1))="'$file'" runs$n=yes runs$((n + 1))=" ;;
    out | err) eval "name$n=std$verb"; hold "$n" "\${what#* }" ;;
    runs) eval "runs$((n + 1))=yes" ;;
    free) free "$n"; free "$((n + 1))" ;;
  esac
done

set -f
tidyUp
startOf() { # PID: puts the start time into $start, empty when there is none
  start= text=
  [ -r "/proc/$1/stat" ] || return 0
  while read -r line || [ -n "$line" ]; do text="$text $line"; done <"/proc/$1/stat"
  [ -n "$text" ] || return 0
  set -- \${text##*) }
  start=\${20}
}
entries group
for group in $list; do
  pid=\${group%%_*}
  case $pid in 0 | 1) continue ;; esac
  startOf "$pid"
  [ -n "$start" ] && [ -n "\${group#*_}" ] && [ "$start" != "\${group#*_}" ] && continue
  kill -s KILL -- "-$pid"
done
entries mark
marks=$list
marked() { # prints PID/environ of each process with one of the marks in $patterns
  if [ "$greps" = 1 ]; then # beyond a NUL
    grep -l -s -F -f - [0-9]*/environ <<END
$patterns
END
    return
  fi
  for file in [0-9]*/environ; do
    tr '\\000' '\\n' 2>/dev/null <"$file" | grep -q -F -e "$patterns" && echo "$file"
  done 2>/dev/null
}
isStarting() { # is a process in the middle of execve(2)? It has a program, and neither words nor environment yet
  for file in $(grep -L -s '' [0-9]*/cmdline); do
    [ -e "\${file%/*}/exe" ] || continue
    line=
    read -r line 2>/dev/null <"\${file%/*}/environ"
    [ -n "$line" ] || return 0
  done
  return 1
}
killMarked() { # until nothing was found three times one after the other: a process that forks may be missed once
  [ -n "$marks" ] && [ -r /proc/self/environ ] || return 0
  patterns=
  for n in $marks; do
    eval 'mark=$id_'"$n"
    patterns="$patterns\${patterns:+
}${CONTAINER_MARKER}=$mark"
  done
  set +f
  cd /proc || return 0
  greps=$(printf 'a\\000b\\n' | grep -c -F b)
  round=0 quiet=0
  while [ "$quiet" -lt 3 ] && [ "$round" -lt 30 ]; do
    [ "$round" -eq 0 ] || sleep 0.02
    round=$((round + 1)) quiet=$((quiet + 1))
    if isStarting; then quiet=0; fi
    for file in $(marked); do
      kill -s KILL "\${file%%/*}"
      quiet=0
    done
  done
}
killMarked

entries pipe
pipes=$list
[ -n "$pipes" ] || exit 0
export LC_ALL=C
umask 077
limit=
command -v timeout >/dev/null && limit='timeout 2'
cut() { # LOG: a record that is not complete is of the piece that was lost
  [ -s "$1" ] && [ "$(tail -c 1 "$1" | wc -l)" -eq 0 ] || return 0
  truncate -s "$(($(wc -c <"$1") - $(tail -n 1 "$1" | wc -c)))" "$1" || echo >>"$1"
}
now=$(date -u +%Y-%m-%dT%H:%M:%S.%N)
case $now in *[!0-9T:.-]* | *.) now=\${now%%.*}.999999999 ;; esac
now=\${now}Z
# The pipes that podrun has marked as read to the end, and that no process has read since. One program looks for all.
set --
for n in $pipes; do
  eval 'set -- "$@" "$path'"$n"'"'
done
noted="
$(stat -c '%X %n' "$@" 2>/dev/null)
"
for n in $pipes; do
  eval 'path=$path'"$n"' log=$log'"$n"' name=$name'"$n"' runs=$runs'"$n"
  set -- "$@" "$path.rest"
  foreign=
  [ -n "$runs" ] || foreign='${ENTERING_TOOLS.map((tool) => `/^${tool}: /d;`).join('')}'
  case $noted in *"
0 $path
"*) ;; *) continue ;; esac
  # Reads until the last writer of the pipe is dead. The added newline is removed again, or ends half a line.
  { $limit cat <&$n; echo; } |
    sed -e "$foreign" -e '$!s/^/'"$now $name F /" -e '$ { /^$/d; s/^/'"$now $name P /; }" >"$path.rest"
  if [ -s "$path.rest" ] && [ "$(stat -c %X "$path")" != 0 ] && [ -d "\${log%/*/*/*}" ]; then
    mkdir -p "\${log%/*}"
    cut "$log"
    cat "$path.rest" >>"$log"
  fi
done
rm -f "$@"
`;
