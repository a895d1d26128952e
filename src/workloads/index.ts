export type { UsageSource } from './autoscalers.ts';
export { RunRoots } from './run-members.ts';
export { WorkloadLoop } from './workload-loop.ts';
