/**
 * podrun as a library: Pods that run in this process, for test suites and programs.
 * @see docs/library.md
 */
export { type ErrorCode, PodrunError } from '../api/index.ts';
export { GoalError, ManifestError, type ManifestProblem, TimeoutError } from './base/errors.ts';
export { envtest } from './envtest.ts';
export { run } from './run.ts';
export { type KubernetesServer, type KubernetesServerOptions, serve } from './serve.ts';
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
  UrlOptions,
} from './base/types.ts';
export type { Envtest, EnvtestOptions, EnvtestUser, WebhookServer } from './base/envtest-types.ts';
export type { KubeObject, Workload } from '../api/index.ts';
export type { StoredEvent as Event, StoredPod as Pod } from '../api/index.ts';
export type { Container, ContainerStatus, Pod as PodManifest, PodCondition } from '../api/index.ts';
