export { Agent, type AgentOptions } from './agent.ts';
export {
  type AgentMessage,
  type AttachFrame,
  AttachFrameReader,
  type ClientMessage,
  encodeAttachFrame,
  type OpeningMessage,
} from './attach/frames.ts';
export { socketAddress, type SocketAddress } from './attach/socket-address.ts';
export type { CutOff, Faults } from './faults.ts';
export { LiveRuns } from './live-runs.ts';
export { Kubelets } from './nodes/kubelets.ts';
export { preemptVictims } from './preempt.ts';
export { TaintEvictions } from './usage/taint-evictions.ts';
export type { PodRunAgent, PreemptedPods } from './pod-run-agent.ts';
export type { HookOutput } from './hooks/handler-log.ts';
export { runHook } from './hooks/hooks.ts';
export { podNotices } from './notices.ts';
export type { PodMachine } from './pod-machine.ts';
export { PodRun } from './pod-run.ts';
export { probeOnce } from './probe/index.ts';
export type { ProbeInput } from './probe/input.ts';
export { StaticPods } from './static/static-pods.ts';
export { inheritedVariables } from './steps/host-environment.ts';
export { measureNodes } from './usage/measure-nodes.ts';
export { lookAtPods, measurePods } from './usage/measure-pods.ts';
export { NodeReport } from './usage/node-report.ts';
