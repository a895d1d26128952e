export { RunRoots } from './run-roots.ts';
export { WorkloadLoop } from './workload-loop.ts';
