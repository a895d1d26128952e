import type { StoredPod } from '../../api/objects.ts';
import type { ManifestObject } from '../apply/manifest-object.ts';

/** What a background agent is to begin with. */
export interface Assignment {
  readonly pods: readonly ManifestObject<StoredPod>[];
  /** What the user called, for messages. */
  readonly command: string;
}

/** The line that a background agent says to whoever started it. */
export type AgentAnswer =
  /** It owns these Pods now; those that somebody else has begun to run meanwhile are left to them. */
  | { readonly type: 'began'; readonly begun: readonly StoredPod[]; readonly taken: readonly string[] }
  | { readonly type: 'failed'; readonly message: string; readonly hint: string | undefined; readonly exitCode: number };
