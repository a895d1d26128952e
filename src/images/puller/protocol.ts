import type { PullOutcome, PullProgress, PullRequest } from '../../lifecycle/index.ts';
import type { NetworkVariables } from '../registry/endpoints.ts';

/*
 * The lines of JSON between podrun and the process that pulls. Credentials travel through a pipe only.
 */

export type PullerRequest =
  | { readonly type: 'pull'; readonly id: number; readonly request: PullRequest; readonly env: NetworkVariables }
  | { readonly type: 'cancel'; readonly id: number };

export type PullerAnswer =
  | { readonly type: 'progress'; readonly id: number; readonly progress: PullProgress }
  | { readonly type: 'outcome'; readonly id: number; readonly outcome: PullOutcome };
