import { type Container, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { machineClock } from '../../clock.ts';
import { chooseDefaultContainer, containerNames, containerSpec } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { checkContainer } from '../select/resource-arguments.ts';
import type { LogsRequest } from './logs-request.ts';

/** The containers whose logs are shown. Prints a note when the default container is chosen. */
export function loggedContainers(cli: Cli, pod: StoredPod, { container, allContainers }: LogsRequest): string[] {
  if (allContainers) return containerNames(pod.spec);
  if (container === undefined) {
    const { name, note: remark } = chooseDefaultContainer(pod);
    if (remark !== undefined) cli.note(remark.trimEnd());
    return [name];
  }
  checkContainer(pod, container);
  return [container];
}

/** The same for logs of hooks and probes. Leaves out containers without hooks and exec probes. */
export function hookLoggedContainers(cli: Cli, pod: StoredPod, { container, allContainers }: LogsRequest): string[] {
  const speaking = containerNames(pod.spec).filter((name) => speaksThroughHandlers(containerSpec(pod, name)));
  if (container !== undefined) {
    checkContainer(pod, container);
    return speaking.filter((name) => name === container);
  }
  if (allContainers || speaking.length < 2) return speaking;
  const { name } = chooseDefaultContainer(pod);
  const chosen = speaking.includes(name) ? [name] : speaking.slice(0, 1);
  cli.note(`Defaulted container "${chosen.join()}" out of: ${speaking.join(', ')}`);
  return chosen;
}

/** The message when no container of these Pods has a hook or exec probe. */
export function noHooks(pods: readonly StoredPod[], { container }: LogsRequest): string {
  const names = pods.map(({ metadata }) => metadata.name).join(', ');
  const where = container === undefined ? `pod ${names}` : `container ${container} of pod ${names}`;
  return `No hooks and no exec probes in ${where}.\n`;
}

/** True when the container has a hook, or an exec probe. */
function speaksThroughHandlers({ lifecycle, startupProbe, livenessProbe, readinessProbe }: Container): boolean {
  if (lifecycle?.postStart !== undefined || lifecycle?.preStop !== undefined) return true;
  return [startupProbe, livenessProbe, readinessProbe].some((probe) => probe?.exec !== undefined);
}

/** The Pods of a workload, one after the other. */
interface Replacements {
  readonly store: FileStore;
  readonly namespace: string;
  /** The Pods that are followed already. */
  readonly first: readonly StoredPod[];
  readonly isSelected: (pod: StoredPod) => boolean;
  /** The time to wait for a Pod that replaces another, milliseconds. */
  readonly timeoutMs: number;
  /** Follows the logs of a Pod to their end. */
  readonly follow: (pod: StoredPod) => Promise<unknown>;
}

/**
 * Follows the logs of Pods, and of the Pods that replace them. A Pod that has ended without a deletion is not replaced:
 * the run of its workload is over.
 */
export async function followReplacements(cli: Cli, replacements: Replacements): Promise<void> {
  const known = new Set(replacements.first.map(({ metadata }) => metadata.uid));
  const followAll = async (pod: StoredPod): Promise<void> => {
    await replacements.follow(pod);
    const next = await replacementOf(cli, pod, replacements, known);
    if (next === undefined) return;
    cli.note(`pod/${pod.metadata.name} was replaced by pod/${next.metadata.name}`);
    await followAll(next);
  };
  await Promise.all(replacements.first.map(followAll));
}

/** The Pod that replaces another one, as soon as it exists. Undefined: none comes. */
function replacementOf(
  cli: Cli,
  { metadata: { uid, name } }: StoredPod,
  { store, namespace, isSelected, timeoutMs }: Replacements,
  known: Set<string>,
): Promise<StoredPod | undefined> {
  const clock = machineClock(cli.clock);
  return new Promise((resolve) => {
    const choose = (pod: StoredPod | undefined): void => {
      alarm.cancel();
      subscription.close();
      if (pod !== undefined) known.add(pod.metadata.uid);
      resolve(pod);
    };
    const check = (): void => {
      const old = store.get<StoredPod>('pods', namespace, name);
      const isThere = old?.metadata.uid === uid && old.metadata.deletionTimestamp === undefined;
      if (isThere) return isTerminalPhase(old.status.phase) ? choose(undefined) : undefined;
      const next = store.list<StoredPod>('pods', { namespace }).find((pod) => isNew(pod) && isSelected(pod));
      if (next !== undefined) choose(next);
    };
    const isNew = ({ metadata, status }: StoredPod): boolean =>
      !known.has(metadata.uid) && metadata.deletionTimestamp === undefined && !isTerminalPhase(status.phase);
    const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => choose(undefined));
    const subscription = store.watch<StoredPod>('pods', { namespace }, check);
    cli.stdout.onReaderGone(() => choose(undefined));
    check();
  });
}
