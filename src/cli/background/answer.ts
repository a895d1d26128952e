import { closeSync, writeSync } from 'node:fs';
import type { StoredPod } from '../../api/objects.ts';
import { ANSWER_DESCRIPTOR } from '../../runtime/background.ts';
import type { ManifestObject } from '../../run/manifest-object.ts';

/** What a background agent is to begin with. */
export interface Assignment {
  readonly pods: readonly ManifestObject<StoredPod>[];
  /** What the user called, for messages. */
  readonly command: string;
}

/** The line that a background agent says to whoever started it. */
export type AgentAnswer =
  | {
      readonly type: 'began';
      /** Pods that it has begun with, as they were created. */
      readonly begun: readonly StoredPod[];
      /** `NAMESPACE/NAME` of those that somebody else has begun to run meanwhile: they are left to them. */
      readonly taken: readonly string[];
      /** Names of Pods that it goes on with. */
      readonly resumed: readonly string[];
    }
  | { readonly type: 'failed'; readonly message: string; readonly hint: string | undefined; readonly exitCode: number };

/** Says a line to whoever has started this process. From then on nobody may hold that descriptor. */
export function say(answer: AgentAnswer | { readonly type: 'listening' }): void {
  try {
    writeSync(ANSWER_DESCRIPTOR, `${JSON.stringify(answer)}\n`);
    closeSync(ANSWER_DESCRIPTOR);
  } catch {
    // Whoever wanted to know is gone.
  }
}
