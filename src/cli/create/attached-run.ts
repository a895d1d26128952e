import { allContainerStatuses, DEFAULT_NAMESPACE, EXIT, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { waitForPod } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { attachToContainer } from '../debug/attach-container.ts';
import { openStore } from '../base/environment.ts';
import { type CreateFlags, createFromFlags, type WantedObject } from './create-object.ts';

/** The flags of a run that podrun's standard streams are connected with. */
export interface AttachedRunFlags extends CreateFlags {
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly leaveStdinOpen: boolean;
}

/**
 * Runs a Pod of one container in the background, connects podrun's standard streams with it, and answers its exit code.
 * A Pod that is restarted always goes on. Source: kubectl/pkg/cmd/run/run.go handleAttachPod.
 */
export async function runAttached(cli: Cli, { object }: WantedObject, flags: AttachedRunFlags): Promise<number> {
  const running = { detach: true, logs: false, awaitsClient: true } as const;
  const created = await createFromFlags(cli.silenced(), { object, running }, flags);
  const store = openStore(cli);
  const { name = '', namespace = flags.namespace || DEFAULT_NAMESPACE } = object.metadata;
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (created !== EXIT.ok || pod === undefined) return created;
  const { stdin, tty, leaveStdinOpen } = flags;
  const { clock } = cli;
  const seen = await attachToContainer(cli, { store, clock, pod, container: name, stdin, tty });
  if (seen.isStopped) return seen.exitCode;
  if (leaveStdinOpen || (pod.spec.restartPolicy ?? 'Always') === 'Always') return EXIT.ok;
  return endOf(cli, store, pod);
}

/** Waits for the end of the Pod. Answers the exit code of its container, and says in kubectl's words how it failed. */
async function endOf(cli: Cli, store: FileStore, pod: StoredPod): Promise<number> {
  const { namespace, name } = pod.metadata;
  const { status } = await waitForPod({ store, clock: cli.clock }, pod, ({ status: { phase } }) =>
    isTerminalPhase(phase),
  );
  const ended = allContainerStatuses(status)[0]?.state?.terminated;
  if (status.phase === 'Succeeded' || ended === undefined) return EXIT.ok;
  const { reason = '', message = '', exitCode } = ended;
  cli.stderr.write(`${`pod ${namespace}/${name} terminated (${reason})\n${message}`.trimEnd()}\n`);
  return exitCode || EXIT.failed;
}
