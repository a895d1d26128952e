/**
 * podrun as a library: Pods that run in this process, for test suites and programs.
 * @see docs/library.md
 */
export { type ErrorCode, PodrunError } from '../api/errors.ts';
export { GoalError, ManifestError, type ManifestProblem, TimeoutError } from './base/errors.ts';
export { run } from './run.ts';
export { serve } from './serve.ts';
export type { KubernetesServer, KubernetesServerOptions } from './server-types.ts';
export type {
  ConditionOptions,
  Duration,
  ExecOptions,
  ExecResult,
  Forwarding,
  Goal,
  ImageProgram,
  LogLine,
  LogsOptions,
  ManifestSource,
  ManifestText,
  OfPod,
  PatchOptions,
  PatchWorkloadOptions,
  PodChange,
  Pods,
  RunOptions,
  StopOptions,
  UntilOptions,
} from './base/types.ts';
export type { Workload } from '../api/workloads/stored-workloads.ts';
export type { StoredEvent as Event, StoredPod as Pod } from '../api/objects.ts';
export type { Container, ContainerStatus, Pod as PodManifest, PodCondition } from '../api/generated/types.ts';
