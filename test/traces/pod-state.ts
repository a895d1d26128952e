import type { Container, ContainerState, ContainerStatus, PodCondition } from '../../src/api/generated/types.ts';
import { allContainerStatuses, isSidecar, type StoredPod, type WatchEvent } from '../../src/api/base/objects.ts';

/**
 * The state of a Pod in one line of a watch. Values that differ between runs are replaced: ids, times, addresses, the
 * name of the node, the tag of an image.
 */
export interface PodState {
  /** Each visible fact by name: the phase, each condition, each container, … */
  readonly facts: Readonly<Record<string, string>>;
  readonly containers: Readonly<Record<string, ContainerView>>;
  /** The init containers in the order of the conditions' texts. */
  readonly initContainers: ReadonlyArray<{ readonly name: string; readonly isSidecar: boolean }>;
  readonly regularContainers: readonly string[];
  /** Facts about a container from the manifest. */
  readonly programs: Readonly<Record<string, Program>>;
  /** The time of the line in a recording, counted from its first line. */
  readonly seconds: number | undefined;
}

export interface Program {
  readonly hasReadinessProbe: boolean;
  readonly hasPostStart: boolean;
  /** True when the program may catch SIGTERM. */
  readonly hasHandler: boolean;
}

/** The status of a container. */
export interface ContainerView {
  readonly state: string;
  readonly lastState: string;
  readonly ready: boolean;
  readonly started: boolean | undefined;
  readonly restartCount: number;
  /** The names of the ids that the status has. */
  readonly ids: string;
  readonly image: string;
  readonly mounts: string;
}

/** The states of a stream. A repetition of a state is left out. */
export function podStates(lines: ReadonlyArray<WatchEvent<unknown>>): PodState[] {
  const states = lines.filter(isAboutPod).map(podState);
  return states.filter((state, index) => index === 0 || !isSameState(state, states[index - 1]!));
}

export function isSameState(one: PodState, other: PodState): boolean {
  return factNames(one, other).every((name) => one.facts[name] === other.facts[name]);
}

/** Names of the facts that at least one of the states has. */
export function factNames(...states: readonly PodState[]): string[] {
  return [...new Set(states.flatMap(({ facts }) => Object.keys(facts)))];
}

/** The text of a condition in the facts. */
export function conditionText({ status, reason, message }: Omit<PodCondition, 'type'>): string {
  return [status, reason, message === undefined ? undefined : `"${message}"`].filter(Boolean).join(' ');
}

/** The text of a container in the facts. */
export function containerText(view: ContainerView): string {
  const { state, lastState, ready, started, restartCount, ids, image, mounts } = view;
  const rest = [ids, image, mounts].join(' ');
  return `${state} | last ${lastState} | ready=${ready} started=${started} restarts=${restartCount} ${rest}`;
}

/** Images on the node had the name of a registry and a tag. */
const IMAGE = /(registry\.example\/library\/)?\b(busybox|node):[\d.]+/g;

/** The id that a container runtime gives to a container or to a command in it. */
const RUNTIME_ID = /\b[\da-f]{64}\b/g;

/** Replaces values that differ in every run: the Pod's uid and address, the node's name, tags of images. */
export function neutralText(text: string, { metadata, spec, status }: StoredPod): string {
  const known = text.replaceAll(metadata.uid, 'UID').replaceAll(IMAGE, '$2').replaceAll(RUNTIME_ID, 'ID');
  const named = status.podIP === undefined ? known : known.replaceAll(status.podIP, 'IP');
  const node = ` ${spec.nodeName}`;
  return named.endsWith(node) ? `${named.slice(0, -node.length)} NODE` : named;
}

function isAboutPod(line: WatchEvent<unknown>): line is WatchEvent<StoredPod> {
  return (line.object as StoredPod).kind === 'Pod';
}

function podState({ type, object: pod, t: seconds }: WatchEvent<StoredPod> & { readonly t?: number }): PodState {
  const { metadata, spec, status } = pod;
  const conditions = status.conditions ?? [];
  const neutral = (text: string): string => neutralText(text, pod);
  const containers = Object.fromEntries(allContainerStatuses(status).map((one) => [one.name, view(one, neutral)]));
  const facts: Record<string, string> = {
    object: type === 'DELETED' ? 'deleted' : 'there',
    node: spec.nodeName === undefined ? 'none' : 'assigned',
    generation: `${metadata.generation}, observed ${status.observedGeneration}`,
    deletion: metadata.deletionTimestamp === undefined ? 'no' : `grace ${metadata.deletionGracePeriodSeconds} s`,
    phase: status.phase ?? '',
    verdict: [status.reason, status.message].filter((text) => text !== undefined).join(': '),
    addresses: [status.hostIP && 'host', status.podIP && 'Pod'].filter(Boolean).join(' and '),
    startTime: status.startTime === undefined ? 'none' : 'set',
    qosClass: status.qosClass ?? '',
    'order of conditions': conditions.map((condition) => condition.type).join(', '),
    'order of statuses': Object.keys(containers).join(', '),
  };
  for (const condition of conditions) {
    facts[`condition ${condition.type}`] = neutral(conditionText(condition));
    facts[`generation of ${condition.type}`] = `${condition.observedGeneration ?? 'not told'}`;
  }
  for (const [name, one] of Object.entries(containers)) facts[`container ${name}`] = containerText(one);
  return {
    facts,
    containers,
    initContainers: (spec.initContainers ?? []).map((one) => ({ name: one.name, isSidecar: isSidecar(one) })),
    regularContainers: spec.containers.map(({ name }) => name),
    programs: Object.fromEntries(
      [...(spec.initContainers ?? []), ...spec.containers].map((one) => [one.name, program(one)]),
    ),
    seconds,
  };
}

function program({ command, args, readinessProbe, lifecycle }: Container): Program {
  return {
    hasReadinessProbe: readinessProbe !== undefined,
    hasPostStart: lifecycle?.postStart !== undefined,
    hasHandler: /trap|SIGTERM/.test(JSON.stringify([command, args])),
  };
}

/**
 * Volumes that the node added to every Pod: the token of its service account, and a folder in the place of the host's
 * /tmp.
 */
const NODE_VOLUMES = /^(kube-api-access-\w+|tmp)$/;

function view(status: ContainerStatus, neutral: (text: string) => string): ContainerView {
  return {
    state: stateText(status.state, neutral),
    lastState: stateText(status.lastState, neutral),
    ready: status.ready,
    started: status.started,
    restartCount: status.restartCount,
    ids: [status.containerID && 'containerID', status.imageID && 'imageID'].filter(Boolean).join('+') || 'no ids',
    image: neutral(status.image),
    mounts: JSON.stringify((status.volumeMounts ?? []).filter(({ name }) => !NODE_VOLUMES.test(name))),
  };
}

function stateText(state: ContainerState | undefined, neutral: (text: string) => string): string {
  const text = JSON.stringify(state ?? {}, (key, value: unknown) => {
    if (key.endsWith('At') && typeof value === 'string') return value.startsWith('1970') ? 'EPOCH' : 'TIME';
    return key === 'containerID' ? 'ID' : value;
  });
  return neutral(text);
}
