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
# NETWORK is the network of the scenarios' Pods, and PROXY the proxy for Services, if they are set.
folder=${PODRUN_STATE_DIR%/state}
export PODRUN_STATE_DIR="$folder/podrun"
set -- node "$(dirname "$0")/../../bin/podrun.js" "$@"
case "$*" in *\ logs\ *\ --previous) exec "$@" 2>/dev/null ;; esac
case "$3 $4" in
  apply\ *) set -- "$@" ${NETWORK:+--network "$NETWORK"} ${PROXY:+--proxy "$PROXY"} ;;
  get\ *) exec flock --shared "$folder/reads" "$@" ;;
  delete\ pod/*) mkdir -p "$folder/logs" && cp -r "$PODRUN_STATE_DIR/pods/default/${4#pod/}/logs" "$folder/logs/${4#pod/}" 2>/dev/null || : ;;
  logs\ *) [ ! -d "$folder/logs/$4" ] || { "$@" 2>/dev/null || cat "$folder/logs/$4/$6/"*.log 2>/dev/null; exit; } ;;
  delete\ *) sleep 0.2 && flock "$folder/reads" true ;;
esac
exec "$@"
