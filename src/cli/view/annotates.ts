import type { ApplyFlags } from '../apply/apply-flags.ts';
import { preferences } from '../preferences.ts';

/** Does a job of GitHub Actions read what `apply` prints, or does somebody want it to look as if? */
export function annotatesForGitHub({ annotations, output }: ApplyFlags): boolean {
  if (annotations !== undefined) return annotations === 'github';
  return process.env['GITHUB_ACTIONS'] === 'true' && output !== 'json' && !preferences().isQuiet;
}
