import type { Command } from 'commander';
import { EXIT, PodrunError, type StoredKubeObject } from '../../api/index.ts';
import { rolloutAnswer } from '../../controllers/index.ts';
import {
  getObject,
  missingObjectError,
  type ObjectRef,
  timedOutWaiting,
  waitForObject,
} from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { nextLookAtOwner } from '../change/resting.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { countOption, durationFlag } from '../flags/options.ts';
import type { TargetFlags } from '../select/selection-flags.ts';
import { groupKind, notImplemented, rolloutCommand, rolloutTargets } from './rollout-flags.ts';

interface StatusFlags extends TargetFlags {
  readonly watch: boolean;
  readonly timeout: string;
  readonly revision: number | undefined;
}

const EXAMPLES = `
Examples:
  podrun rollout status deployment/web                  # waits until the rollout is done
  podrun rollout status deployment/web --timeout=60s    # exits with 1 after the timeout
  podrun rollout status statefulset/db --watch=false
`;

/** `podrun rollout status`: waits for the end of a rollout. */
export function addStatus(group: Command, run: RunVerb): void {
  rolloutCommand(group, 'status', 'Wait for the end of a rollout')
    .description('Prints the progress of a rollout until it is done. Exits with 1 when the rollout fails.')
    .option('-w, --watch', 'wait for the end of the rollout', true)
    .option('--no-watch', 'print one line, and do not wait')
    .option('--timeout <duration>', 'how long to wait; 0s: for ever', '0s')
    .addOption(countOption('--revision <number>', 'fail when the Deployment has another revision'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: StatusFlags) => run((cli) => status(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/rollout/rollout_status.go. */
async function status(cli: Cli, words: readonly string[], flags: StatusFlags): Promise<number> {
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const store = openStore(cli);
  for (const ref of await rolloutTargets(cli, store, words, flags)) {
    const object = getObject(store, ref);
    if (object === undefined) throw missingObjectError(store, ref);
    await followRollout(cli, store, ref, { ...flags, uid: object.metadata.uid, timeoutMs });
  }
  return EXIT.ok;
}

/**
 * Prints the state of a rollout after each change, until the rollout is done.
 * @throws {PodrunError} when it fails, the time is up, the object is deleted, or no agent acts on it
 */
async function followRollout(
  cli: Cli,
  store: FileStore,
  ref: ObjectRef,
  wanted: Pick<StatusFlags, 'revision' | 'watch'> & { readonly uid: string; readonly timeoutMs: number },
): Promise<void> {
  const { clock } = cli;
  let printed = '';
  const isMet = (object: StoredKubeObject | undefined): boolean | { readonly untilMs: number } => {
    if (object?.metadata.uid !== wanted.uid) throw new PodrunError('NotFound', 'object has been deleted');
    const answer = rolloutAnswer(object);
    if (answer === undefined) throw notImplemented('status viewer', groupKind(ref.type));
    checkRevision(object, wanted.revision);
    if (answer.state === 'failed') throw new PodrunError('GoalNotReached', answer.text);
    const isOver = answer.state === 'done' || !wanted.watch;
    const next = isOver ? undefined : nextLookAtOwner(store, ref, clock);
    if (answer.text !== printed) cli.tell(`${answer.text}\n`);
    printed = answer.text;
    return next ?? isOver;
  };
  const deadlineMs = wanted.timeoutMs > 0 ? clock.now().monotonicMs + wanted.timeoutMs : Number.POSITIVE_INFINITY;
  if (!(await waitForObject({ store, clock, of: ref, deadlineMs, isMet }))) throw timedOutWaiting();
}

/** @throws {PodrunError} when a Deployment has another revision */
function checkRevision({ kind, metadata }: StoredKubeObject, wanted = 0): void {
  const present = metadata.annotations?.['deployment.kubernetes.io/revision'] ?? '0';
  if (kind !== 'Deployment' || wanted === 0 || String(wanted) === present) return;
  const message = `desired revision (${wanted}) is different from the running revision (${present})`;
  throw new PodrunError('Conflict', message);
}
