import type { StoredPod } from '../../api/objects.ts';

/**
 * The variables that podrun adds for COMMAND: the state folder, and the addresses and containerPorts of the Pods.
 *
 * `PODRUN_STATE_DIR`, `PODRUN_NAMESPACE`, `PODRUN_<POD>_IP`, `PODRUN_<POD>_PORT_<NAME|NUMBER>`. With one Pod also
 * `PODRUN_IP` and `PODRUN_PORT_<NAME|NUMBER>`. A variable that two Pods, or two ports of a Pod, would share is not set.
 * @param pods as they are when COMMAND starts
 * @param stateDir an absolute path
 */
export function commandVariables(pods: readonly StoredPod[], stateDir: string): Record<string, string> {
  const addresses = unambiguous([
    ...pods.flatMap((pod) => addressesOf(pod, `PODRUN_${variableName(pod.metadata.name)}_`)),
    ...(pods.length === 1 ? pods.flatMap((pod) => addressesOf(pod, 'PODRUN_')) : []),
  ]);
  const namespace = pods[0]?.metadata.namespace;
  return {
    ...addresses,
    PODRUN_STATE_DIR: stateDir,
    ...(namespace === undefined ? {} : { PODRUN_NAMESPACE: namespace }),
  };
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
