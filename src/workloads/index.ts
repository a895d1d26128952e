export type { UsageSource } from './autoscalers.ts';
export { NodesLoop } from './nodes-loop.ts';
export { RunRoots } from './run-members.ts';
export { WorkloadLoop } from './workload-loop.ts';
