# podrun for conformance scenarios. Their runner keeps podrun's state in the folder `state` of a scenario, which some
# scenarios mount into containers; podrun shows its state folder to no container. So the state is in a folder beside it.
PODRUN_STATE_DIR=${PODRUN_STATE_DIR%/state}/podrun exec node "$(dirname "$0")/../../bin/podrun.js" "$@"
