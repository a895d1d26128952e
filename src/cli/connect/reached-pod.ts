import {
  allContainerStatuses,
  DEFAULT_NAMESPACE,
  isTerminalPhase,
  PodrunError,
  type StoredKubeObject,
  type StoredPod,
  type StoredService,
  type TerminalPhase,
  usage,
} from '../../api/index.ts';
import { chooseDefaultContainer, firstPod } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { containerNotRunning } from '../../engine/index.ts';
import { durationFlag } from '../flags/options.ts';
import { missingObjectError, timedOutWaiting, waitForPods } from '../../apiserver/index.ts';
import { checkContainer, mustFindType } from '../select/resource-arguments.ts';
import { podsSelectedBy } from '../select/find-objects.ts';
import type { Cli } from '../base/cli.ts';

export interface PodSearch {
  readonly store: FileStore;
  readonly namespace: string | undefined;
  /** The time to wait for a Pod of a workload or Service, as written. */
  readonly podRunningTimeout: string;
}

/** The Pod that a word of the command line leads to, and the Service on the way to it. */
export interface ReachedPod {
  readonly pod: StoredPod;
  /** Undefined when the word named no Service. */
  readonly service: StoredService | undefined;
}

/**
 * Finds the Pod for `web`, `pod/web`, or one of several for `deployment/web` or `service/web`.
 * @throws {PodrunError} in kubectl's words, when there is none
 */
export async function reachPod(cli: Cli, word: string, search: PodSearch): Promise<ReachedPod> {
  const timeoutMs = durationFlag('--pod-running-timeout', search.podRunningTimeout);
  if (timeoutMs <= 0) throw usage('--pod-running-timeout must be higher than zero');
  const [first = '', second, ...rest] = word.split('/');
  const isPlain = second === undefined;
  if (rest.length > 0 || second === '' || first === '')
    throw usage('arguments in resource/name form must have a single resource and name');
  const type = mustFindType(isPlain ? 'pods' : first);
  const name = isPlain ? first : second;
  const namespace = search.namespace || DEFAULT_NAMESPACE;
  const object = search.store.get<StoredKubeObject>(type.plural, namespace, name);
  if (object === undefined) throw missingObjectError(search.store, { type, namespace, name });
  if (type.plural === 'pods') return { pod: object as unknown as StoredPod, service: undefined };
  const pod = await podOfObject(cli, object, search, timeoutMs);
  return { pod, service: type.plural === 'services' ? (object as unknown as StoredService) : undefined };
}

async function podOfObject(
  { clock }: Cli,
  object: StoredKubeObject,
  { store }: PodSearch,
  timeoutMs: number,
): Promise<StoredPod> {
  const { namespace } = object.metadata;
  const pod = firstPod(await waitForPods({ store, clock, namespace, timeoutMs }, podsSelectedBy(object, 'attach to')));
  if (pod === undefined) throw timedOutWaiting();
  return pod;
}

/** kubectl's refusal to reach into a Pod that has ended. */
export function completedPod(attempt: string, phase: TerminalPhase, hint?: string): PodrunError {
  return new PodrunError('NotRunning', `cannot ${attempt} a completed pod; current phase is ${phase}`, { hint });
}

/** The error about a Pod whose agent is gone, and all containers with it. */
export function noAgent(name: string, consequence: string, hint: string): PodrunError {
  return new PodrunError('NotRunning', `no podrun runs pod "${name}" any more: ${consequence}`, { hint });
}

/**
 * The running container to connect with.
 * @param attempt the beginning of kubectl's words about a Pod that has ended: `exec into a container in`
 * @throws {PodrunError} in kubectl's and kubelet's words
 */
export function runningContainer(
  cli: Cli,
  store: FileStore,
  pod: StoredPod,
  wanted: string | undefined,
  attempt = 'exec into a container in',
): string {
  const { phase } = pod.status;
  if (isTerminalPhase(phase)) throw completedPod(attempt, phase);
  if (wanted) checkContainer(pod, wanted);
  const chosen = wanted ? { name: wanted, note: undefined } : chooseDefaultContainer(pod);
  if (chosen.note !== undefined && !cli.isQuiet) cli.stderr.write(chosen.note);
  mustHaveAgent(store, pod);
  const status = allContainerStatuses(pod.status).find(({ name }) => name === chosen.name);
  if (status?.state?.running === undefined) throw containerNotRunning(chosen.name);
  return chosen.name;
}

/** @throws {PodrunError} when the process that ran the Pod is gone, and all containers with it */
function mustHaveAgent(store: FileStore, { metadata: { namespace, name } }: StoredPod): void {
  if (store.owners.isOwned(namespace, name)) return;
  const hint = `Its record: podrun describe pod ${name}, podrun logs ${name}. To run it again: podrun apply.`;
  throw noAgent(name, 'podrun cannot reach its containers', hint);
}
