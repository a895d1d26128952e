import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import type { Root } from './root.ts';

/**
 * The variables that podrun adds for COMMAND: the state folder, and the addresses and containerPorts of the Pods.
 *
 * `PODRUN_STATE_DIR`, `PODRUN_NAMESPACE`, `PODRUN_<NAME>_IP`, `PODRUN_<NAME>_PORT_<NAME|NUMBER>`, with the name of a
 * Pod or of a workload. The Pods of a StatefulSet have names of their own, too. With one Pod or workload also
 * `PODRUN_IP` and `PODRUN_PORT_<NAME|NUMBER>`. A variable is not set if it would have two values.
 * @param roots as they are when COMMAND starts
 * @param stateDir an absolute path
 */
export function commandVariables(roots: readonly Root[], stateDir: string): Record<string, string> {
  const addresses = unambiguous([
    ...roots.flatMap((root) => rootAddresses(root, `PODRUN_${variableName(root.object.metadata.name)}_`)),
    ...roots
      .filter(({ object }) => object.kind === 'StatefulSet')
      .flatMap(({ pods }) => pods.flatMap((pod) => addressesOf(pod, `PODRUN_${variableName(pod.metadata.name)}_`))),
    ...(roots.length === 1 ? roots.flatMap((root) => rootAddresses(root, 'PODRUN_')) : []),
  ]);
  const namespace = roots[0]?.object.metadata.namespace;
  return {
    ...addresses,
    PODRUN_STATE_DIR: stateDir,
    ...(namespace === undefined ? {} : { PODRUN_NAMESPACE: namespace }),
  };
}

/** The addresses of a Pod, or of the Pods of a workload that are there to stay. */
function rootAddresses({ object, pods }: Root, prefix: string): Array<readonly [string, string]> {
  const present = pods.filter(
    ({ metadata, status }) => metadata.deletionTimestamp === undefined && !isTerminalPhase(status.phase),
  );
  return (object.kind === 'Pod' ? [object] : present).flatMap((pod) => addressesOf(pod, prefix));
}

function addressesOf({ spec, status }: StoredPod, prefix: string): Array<readonly [string, string]> {
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ ports: all = [] }) => all);
  return [
    ...(status.podIP ? [[`${prefix}IP`, status.podIP] as const] : []),
    ...ports.flatMap(({ name, containerPort }) => {
      const value = String(containerPort);
      const byNumber = [`${prefix}PORT_${value}`, value] as const;
      return name === undefined ? [byNumber] : [byNumber, [`${prefix}PORT_${variableName(name)}`, value] as const];
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
