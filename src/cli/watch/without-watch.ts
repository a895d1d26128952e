import type { ApplyFlags } from '../flags/apply-flags.ts';

/** Flags that end a run, or that look at one state of the manifests, each with a check whether it was given. */
export const WITHOUT_WATCH: ReadonlyArray<readonly [flag: string, isGiven: (flags: ApplyFlags) => boolean]> = [
  ['--until', ({ until }) => until.length > 0],
  ['--timeout', ({ timeout }) => timeout !== undefined],
  ['--detach', ({ detach }) => detach],
  ['--dry-run', ({ dryRun }) => dryRun !== 'none'],
  ['--report', ({ report }) => report !== undefined],
  ['--expect', ({ expect }) => expect !== undefined],
  ['--static-pods', ({ staticPods }) => staticPods !== undefined],
  ['--context', ({ context }) => context !== undefined],
  ['--kubeconfig', ({ kubeconfig }) => kubeconfig !== undefined],
];
