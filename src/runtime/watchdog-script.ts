import { CONTAINER_MARKER } from './process-table.ts';

/**
 * What the watchdog does, for every POSIX shell. It reads lines:
 *
 *     add PGID:START     from now on this process group is to die with podrun; START may be empty
 *     del PGID:START     it has ended
 *     mark ID            so is whatever bears the mark of this container
 *     unmark ID          nothing bears it any more
 *
 * The end of its input means that podrun is gone, however that came. It then kills every group that is listed, unless
 * its leader started at another time than the one that was meant, and, where there is /proc, whatever bears a mark. It
 * looks for marks several times: a process in the middle of execve(2), or one that forks away, shows up later.
 *
 * Written for the least of shells: dash knows `kill -s KILL -- -1` only in this form; grep fails when one file among
 * many cannot be read, though it has answered; the state of a process is read without a process of its own.
 */
export const WATCHDOG_SCRIPT: string = `# podrun-watchdog: ends what podrun runs when podrun is killed
trap '' INT TERM HUP QUIT PIPE
groups=' '
marks=' '
without() { # LIST ITEM: answers in $list
  case $1 in
    *" $2 "*) list="\${1%%" $2 "*} \${1#*" $2 "}" ;;
    *) list=$1 ;;
  esac
}
while read -r verb what; do
  [ -n "$what" ] || continue
  case $verb in
    add) groups="$groups$what " ;;
    del) without "$groups" "$what"; groups=$list ;;
    mark) marks="$marks$what " ;;
    unmark) without "$marks" "$what"; marks=$list ;;
  esac
done

set -f
startOf() { # PID: answers in $start, empty when there is none
  start= text=
  [ -r "/proc/$1/stat" ] || return 0
  while read -r line || [ -n "$line" ]; do text="$text $line"; done <"/proc/$1/stat"
  [ -n "$text" ] || return 0
  set -- \${text##*) }
  start=\${20}
}
for group in $groups; do
  pid=\${group%%:*}
  case $pid in '' | *[!0-9]* | 0 | 1) continue ;; esac
  startOf "$pid"
  [ -n "$start" ] && [ -n "\${group#*:}" ] && [ "$start" != "\${group#*:}" ] && continue
  kill -s KILL -- "-$pid"
done
[ "$marks" != ' ' ] && [ -r /proc/self/environ ] || exit 0

patterns=
for mark in $marks; do
  patterns="$patterns\${patterns:+
}${CONTAINER_MARKER}=$mark"
done
set +f
cd /proc || exit 0
round=0
while [ "$round" -lt 6 ]; do
  round=$((round + 1))
  found=$(grep -l -s -F -f - [0-9]*/environ <<END
$patterns
END
)
  for file in $found; do
    kill -s KILL -- "\${file%%/*}"
  done
  [ -z "$found" ] && [ "$round" -ge 3 ] && break
  sleep 0.02
done
`;
