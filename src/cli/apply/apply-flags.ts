import type { RuntimeChoice } from '../../api/runtime-choice.ts';
import type { OutputFlags } from '../output/output-flags.ts';

/** The flags of `apply`. */
export interface ApplyFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly until: string | undefined;
  readonly timeout: string | undefined;
  /** How long a container that no probe vouches for must have run before it counts as Ready. */
  readonly settle: string;
  /** Containers may end, as long as they come back. */
  readonly allowRestarts: boolean;
  /** Leave the Pods to a background agent. */
  readonly detach: boolean;
  /** Of `detach`: not before they are Ready. */
  readonly wait: boolean;
  readonly logs: boolean;
  /** Undefined: where GitHub Actions runs podrun. */
  readonly annotations: 'github' | 'none' | undefined;
  readonly image: readonly string[];
  readonly config: string | undefined;
  /** Undefined: as podrun.yaml says, else that of the host. */
  readonly network: 'host' | 'pod' | undefined;
  readonly backoffInitial: string;
  readonly backoffMax: string;
  /** Where no cgroup limits memory: `poll` looks how much there is. */
  readonly enforceMemory: 'poll' | undefined;
  /** How many Pods that have ended stay on record; undefined: all. */
  readonly keep: number | undefined;
  /** The folder that a report is left in. */
  readonly report: string | undefined;
  /** A file of what is to happen. */
  readonly expect: string | undefined;
  readonly dryRun: 'client' | 'server' | 'none';
  readonly validate: 'strict' | 'warn' | 'ignore';
  /** A field that has no effect is an error. */
  readonly strict: boolean;
  /** Containers get copies of the folders that people work in, too. */
  readonly isolate: boolean;
  readonly strictPid1: boolean;
  /** What a security context asks for and cannot have here is told, and the container starts. */
  readonly bestEffort: boolean;
  readonly runtime: RuntimeChoice | undefined;
  /** What is told of an object that was not there: `created`, unless this is the second half of `replace`. */
  readonly made?: 'replaced';
  readonly stateDir: string | undefined;
}
