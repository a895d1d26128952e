export { AGENT_COMMAND, KEEPER_COMMAND, type PodrunProgram, type ObjectsForApi } from './background/call-background.ts';
export {
  type AgentAddress,
  type ConnectionEnd,
  type OutputTaker,
  reachAgent,
  received,
  sendMessage,
} from './background/connect/agent-connection.ts';
export {
  connectionLost,
  containerNotRunning,
  forwardingError,
  locateInContainer,
  type ReachedContainer,
  runInContainer,
  sendInput,
} from './background/connect/container-command.ts';
export { PodForwards, PodRelays } from './background/connect/pod-forwards.ts';
export { type AgentApi, runAgent } from './background/run-agent.ts';
export { runKeeper } from './background/run-keeper.ts';
export { startAgent } from './background/start-agent.ts';
export { endStrayProcesses } from './background/stray-processes.ts';
export type { GoalCommand, RunOutcome } from './run/apply-run.ts';
export { hasLiveOwner, refuseSilentOwners } from './run/foreign-pods.ts';
export { ForeignRoots } from './run/foreign-roots.ts';
export { awaitedGoal, type AwaitedGoal, type BesideRoots, GoalWait, type FindUnservable } from './run/goal-wait.ts';
export { ObjectGoals, reasonsAgainst } from './run/object-goals.ts';
export { type ClaimedObjects, type RunInput, type RunListener, type RunObjects, UNWATCHED } from './run/run-input.ts';
export { Run } from './run/run.ts';
export { SmallHeap } from './run/small-heap.ts';
export { judgeAll, type JudgedFaults } from './run/standing-roots.ts';
export { StartedRun } from './run/started-run.ts';
export {
  chooseRuntime,
  type ChosenRuntime,
  type DetectionInput,
  limitsRefused,
  openLimits,
  type PlannedPod,
  plannedPods,
  runtimeChoice,
} from './setup/open-runtime.ts';
export { idlePolicies, refuseIdlePolicies, refuseWithoutEffect, unmetRequests } from './setup/refuse-without-effect.ts';
export { idleFields } from './setup/idle-fields.ts';
export { networkOf, type RunChoices, runNetworks, runSettings } from './setup/run-settings.ts';
export { type SortedObjects, sortByOwner, storeObjects } from './store-objects.ts';
