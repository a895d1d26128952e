import type { Command } from 'commander';
import { EXIT, PodrunError, type StoredPod } from '../../api/index.ts';
import { evictPod, waitForObject } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { blockedPods, cordon, type DrainPermits, nodeArgument, podsToDrain } from '../drain/drained-pods.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { authorOfCommand } from '../base/deletion-author.ts';
import { openStore } from '../base/environment.ts';
import { durationFlag } from '../flags/options.ts';

interface DrainFlags extends DrainPermits {
  readonly gracePeriod: string;
  readonly timeout: string;
}

/** The time between two requests to evict a Pod. Source: kubectl, evictPods. */
const RETRY_MS = 5000;

/** `podrun drain`: cordons this machine and evicts its Pods. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('drain')
    .summary('Let this machine take no new Pods, and evict its Pods')
    .description(
      'Cordons the node, which is this machine, and evicts its Pods with their grace periods. Asks ' +
        'PodDisruptionBudgets. Pods of DaemonSets and static Pods stay.',
    )
    .usage('NODE [flags]')
    .argument('[node]', 'the name of this machine: see podrun get nodes')
    .option('--force', 'also evict Pods without a controller: nothing makes them anew', false)
    .option('--ignore-daemonsets', 'leave Pods of DaemonSets alone', false)
    .option('--delete-emptydir-data', 'also evict Pods with emptyDir volumes: their files are lost', false)
    .option('--grace-period <seconds>', 'grace period in seconds; negative: as in each Pod', '-1')
    .option('--timeout <duration>', 'give up after this long; 0s: never', '0s')
    .addHelpText('after', '\nExamples:\n  podrun drain $(podrun get nodes -o name) --ignore-daemonsets\n')
    .action((word: string | undefined, flags: DrainFlags) => run((cli) => drain(cli, word, flags)));
}

async function drain(cli: Cli, word: string | undefined, flags: DrainFlags): Promise<number> {
  const store = openStore(cli);
  const node = nodeArgument(store, word, 'drain');
  cordon(cli, store, node, true);
  const pods = podsToDrain(store, node);
  const blocked = blockedPods(pods, flags);
  if (blocked.errors.length > 0) {
    throw new PodrunError('Conflict', `unable to drain node "${node}": ${blocked.errors.join(', ')}`, {
      hint: 'The node stays cordoned: podrun uncordon lets it take Pods again.',
    });
  }
  for (const warning of blocked.warnings) cli.warn(warning);
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const deadlineMs = timeoutMs === 0 ? Infinity : cli.clock.now().monotonicMs + timeoutMs;
  const outcomes = await Promise.all(blocked.evicted.map((pod) => evict(cli, store, pod, flags, deadlineMs)));
  if (outcomes.includes(false)) {
    throw new PodrunError('Timeout', `drain did not complete within ${flags.timeout}`);
  }
  cli.stdout.write(`node/${node} drained\n`);
  return EXIT.ok;
}

/**
 * Evicts a Pod and waits for its end. Tries again while its budget forbids it. Resolves with false after the deadline.
 */
async function evict(
  cli: Cli,
  store: FileStore,
  pod: StoredPod,
  { gracePeriod }: DrainFlags,
  deadlineMs: number,
): Promise<boolean> {
  const { clock } = cli;
  const { namespace, name, uid } = pod.metadata;
  const seconds = Number(gracePeriod);
  const isGone = (object: { metadata: { uid?: string | undefined } } | undefined): boolean =>
    object?.metadata.uid !== uid;
  for (;;) {
    cli.stdout.write(`evicting pod ${namespace}/${name}\n`);
    const current = store.get<StoredPod>('pods', namespace, name);
    const problem = isGone(current)
      ? undefined
      : await evictPod(
          { store, clock, author: authorOfCommand(cli) },
          current ?? pod,
          seconds < 0 ? undefined : seconds,
        );
    const retryMs = clock.now().monotonicMs + RETRY_MS;
    const untilMs = problem === undefined ? deadlineMs : Math.min(deadlineMs, retryMs);
    if (problem !== undefined) {
      const why = `error when evicting pods/"${name}" -n "${namespace}" (will retry after 5s): ${problem.message}`;
      cli.stderr.write(`${why}${problem.cause === undefined ? '' : ` ${problem.cause}.`}\n`);
    }
    if (
      await waitForObject({
        store,
        clock,
        of: { type: { plural: 'pods' }, namespace, name },
        deadlineMs: untilMs,
        isMet: isGone,
      })
    )
      break;
    if (clock.now().monotonicMs >= deadlineMs) return false;
  }
  cli.stdout.write(`pod/${name} evicted\n`);
  return true;
}
