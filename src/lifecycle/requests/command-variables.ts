import { isTerminalPhase, type StoredPod } from '../../api/index.ts';
import type { Root } from './root.ts';

/** The addresses and ports at which programs of this machine reach Pods. */
export interface Reach {
  readonly address: (pod: StoredPod) => string | undefined;
  /** The port that leads to a port of the Pod. Undefined: none does. */
  readonly port: (pod: StoredPod, containerPort: number) => number | undefined;
}

const DIRECTLY: Reach = { address: ({ status }) => status.podIP, port: (_, containerPort) => containerPort };

type Variables = ReadonlyArray<readonly [string, string]>;

/**
 * The variables that podrun adds for COMMAND: the state folder, and the addresses and containerPorts of the Pods.
 *
 * `PODRUN_STATE_DIR`, `PODRUN_NAMESPACE`, `PODRUN_<NAME>_IP`, `PODRUN_<NAME>_PORT_<NAME|NUMBER>`, with the name of a
 * Pod or of a workload. The Pods of a StatefulSet have names of their own, too. With one Pod or workload also
 * `PODRUN_IP` and `PODRUN_PORT_<NAME|NUMBER>`. A variable is not set if it would have two values.
 * @param roots their state when COMMAND starts
 * @param stateDir an absolute path
 * @param reach how programs of this machine reach the Pods
 */
export function commandVariables(
  roots: readonly Root[],
  stateDir: string,
  reach: Reach = DIRECTLY,
): Record<string, string> {
  const of = (pods: readonly StoredPod[], name: string): Variables => {
    return pods.flatMap((pod) => addressesOf(pod, name === '' ? 'PODRUN_' : `PODRUN_${variableName(name)}_`, reach));
  };
  const addresses = unambiguous([
    ...roots.flatMap((root) => of(presentPods(root), root.object.metadata.name)),
    ...roots
      .filter(({ object }) => object.kind === 'StatefulSet')
      .flatMap(({ pods }) => pods.flatMap((pod) => of([pod], pod.metadata.name))),
    ...(roots.length === 1 ? roots.flatMap((root) => of(presentPods(root), '')) : []),
  ]);
  const namespace = roots[0]?.object.metadata.namespace;
  return {
    ...addresses,
    PODRUN_STATE_DIR: stateDir,
    ...(namespace === undefined ? {} : { PODRUN_NAMESPACE: namespace }),
  };
}

/** The URL of a Service or Ingress. */
export interface ServedUrl {
  readonly kind: 'Service' | 'Ingress';
  readonly name: string;
  readonly url: string;
}

/**
 * The variables for COMMAND with URLs: `PODRUN_<NAME>_URL` of a Service, else of an Ingress of that name, and
 * `PODRUN_<NAME>_INGRESS_URL` of each Ingress.
 */
export function urlVariables(served: readonly ServedUrl[]): Record<string, string> {
  const of = (kind: ServedUrl['kind'], end: string): Record<string, string> => {
    const entries = served.filter((each) => each.kind === kind).map(({ name, url }) => [name, url] as const);
    return unambiguous(entries.map(([name, url]) => [`PODRUN_${variableName(name)}_${end}`, url] as const));
  };
  return { ...of('Ingress', 'URL'), ...of('Service', 'URL'), ...of('Ingress', 'INGRESS_URL') };
}

/** The Pod, or the Pods of a workload that are neither deleted nor ended. */
function presentPods({ object, pods }: Root): readonly StoredPod[] {
  if (object.kind === 'Pod') return [object];
  return pods.filter(
    ({ metadata, status }) => metadata.deletionTimestamp === undefined && !isTerminalPhase(status.phase),
  );
}

function addressesOf(pod: StoredPod, prefix: string, reach: Reach): Variables {
  const { spec } = pod;
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ ports: all = [] }) => all);
  const ip = reach.address(pod);
  return [
    ...(ip ? [[`${prefix}IP`, ip] as const] : []),
    ...ports.flatMap(({ name, containerPort }) => {
      const port = reach.port(pod, containerPort);
      if (port === undefined) return [];
      const byNumber = [`${prefix}PORT_${containerPort}`, String(port)] as const;
      return name === undefined
        ? [byNumber]
        : [byNumber, [`${prefix}PORT_${variableName(name)}`, String(port)] as const];
    }),
  ];
}

/** `my-pod.1` as part of a variable: `MY_POD_1`. */
function variableName(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** Leaves out names with two values: either value would lead some reader to the wrong Pod. */
function unambiguous(entries: ReadonlyArray<readonly [string, string]>): Record<string, string> {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of entries) values.set(name, (values.get(name) ?? new Set()).add(value));
  return Object.fromEntries(
    [...values].flatMap(([name, [first = '', ...others]]) => (others.length === 0 ? [[name, first]] : [])),
  );
}
