import { READY_OR_SUCCEEDED } from '../../controllers/index.ts';
import type { JudgedFaults } from '../../engine/index.ts';
import { verdictOf } from '../../lifecycle/index.ts';
import { evidenceAbout } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { annotateRun, annotatesForGitHub } from '../view/github-mistakes.ts';
import { APPLY_DEFAULTS } from './apply-defaults.ts';
import { explainOutcome, rootsToExplain } from './explain-outcome.ts';

/**
 * Tells what has failed under `serve`, as `apply` does at the end of COMMAND. Returns the exit code of both. Loaded by
 * `--once` only: it takes 30 ms.
 */
export function tellFaults(cli: Cli, exitCode: number, { roots, ...faults }: JudgedFaults): number {
  const outcome = { type: 'commandEnded', exitCode, ...faults } as const;
  const store = openStore(cli);
  const text = explainOutcome({
    outcome,
    roots,
    seen: rootsToExplain(outcome, READY_OR_SUCCEEDED, roots),
    evidenceOf: (object) => evidenceAbout(store, object),
    goal: READY_OR_SUCCEEDED,
    // `serve` has no flag for it: no line advises it.
    flags: { ...cli.flags, ...APPLY_DEFAULTS, allowRestarts: true },
    imageAdvice: () => '',
    nowMs: cli.clock.now().wallMs,
  });
  cli.stderr.write(text);
  if (annotatesForGitHub(cli, {}))
    for (const line of text.split('\n')) if (line.startsWith('error: ')) annotateRun(cli, line.slice('error: '.length));
  return verdictOf(outcome, roots, 'complete').exitCode;
}
