import type { ErrorCode, StoredPod } from '../../api/index.ts';
import { closeSync, writeSync } from 'node:fs';
import { ANSWER_DESCRIPTOR } from '../../runtime/index.ts';
import type { WorkloadKey } from '../../apiserver/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';

/** The first Pods and workloads of a background agent. */
export interface Assignment {
  readonly pods: readonly ManifestObject<StoredPod>[];
  /** Workloads on record. */
  readonly workloads: readonly WorkloadKey[];
  /** The command line of the user, for messages. */
  readonly command: string;
}

/** The line that a background agent writes to the process that started it. */
export type AgentAnswer =
  | {
      readonly type: 'began';
      /** Pods that the agent has begun to run, as created. */
      readonly owned: readonly StoredPod[];
      /** `NAMESPACE/NAME` of Pods that another process has begun to run meanwhile. The agent leaves them alone. */
      readonly foreign: readonly string[];
      /** Workloads and Pods that the agent took over from a former agent: `deployment/web`, `pod/one`. */
      readonly resumed: readonly string[];
    }
  | { readonly type: 'failed'; readonly message: string; readonly hint: string | undefined; readonly code: ErrorCode };

/** Writes a line to the process that started this one, and closes the descriptor. */
export function sendAnswer(answer: AgentAnswer | { readonly type: 'listening' }): void {
  try {
    writeSync(ANSWER_DESCRIPTOR, `${JSON.stringify(answer)}\n`);
    closeSync(ANSWER_DESCRIPTOR);
  } catch {
    // The process that asked is gone.
  }
}
