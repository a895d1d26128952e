export { ApplyRun, type GoalCommand, type RunAgent, type RunOutcome } from './apply-run.ts';
export type { PodrunProgram } from './background/call-background.ts';
export { AGENT_COMMAND, KEEPER_COMMAND } from './background/command-names.ts';
export {
  type AgentAddress,
  type ConnectionEnd,
  type OutputTaker,
  reachAgent,
  received,
  sendMessage,
} from './background/connect/agent-connection.ts';
export { connectionLost, containerNotRunning } from './background/connect/connection-errors.ts';
export {
  locateInContainer,
  type ReachedContainer,
  runInContainer,
  sendInput,
} from './background/connect/container-command.ts';
export { forwardingError } from './background/connect/forwarding-error.ts';
export { PodRelays } from './background/connect/pod-relays.ts';
export { runAgent } from './background/run-agent.ts';
export { runKeeper } from './background/run-keeper.ts';
export { startAgent } from './background/start-agent.ts';
export { endStrayProcesses } from './background/stray-processes.ts';
export { beginRuns, type OwnedRun, undoRuns } from './run/begin-runs.ts';
export { beginWorkloads, type OwnedWorkload } from './run/begin-workloads.ts';
export { hasLiveOwner, refuseSilentOwners } from './run/foreign-pods.ts';
export { ForeignRoots } from './foreign-roots.ts';
export { awaitedGoal, type AwaitedGoal, GoalWait } from './goal-wait.ts';
export { type RunListener, UNWATCHED } from './run/run-input.ts';
export { Run } from './run/run.ts';
export {
  chooseRuntime,
  type ChosenRuntime,
  type DetectionInput,
  runtimeChoice,
  unmetRequests,
} from './setup/choose-runtime.ts';
export { limitsRefused, openLimits } from './setup/open-limits.ts';
export { type PlannedPod, plannedPods } from './setup/planned-pods.ts';
export { refuseWithoutEffect } from './setup/refuse-without-effect.ts';
export { networkOf, type RunChoices, runNetworks, runSettings } from './setup/run-settings.ts';
export { SmallHeap } from './run/small-heap.ts';
export { changedRecords, storeRecords } from './store-records.ts';
