import type { StoredPod } from '../../api/index.ts';
import { lastStateOf } from '../base/recorded-run.ts';
import type { NamedRun } from '../base/state-at.ts';

/** The runs of one Pod of the manifests at two places. */
export interface RunPair {
  /** `web`; for what controllers make: `web-*`, and `web-* #2` for the second of them. */
  readonly role: string;
  /** Undefined: it did not run at the first place. `b` is its run at the second one. */
  readonly a: NamedRun | undefined;
  readonly b: NamedRun | undefined;
}

/**
 * Pairs the runs of the same manifests at two places: Pods by their names. Controllers make names up: their Pods pair
 * in the order of their beginning.
 */
export function pairRuns(a: readonly NamedRun[], b: readonly NamedRun[]): RunPair[] {
  const [here, there] = [byRole(a), byRole(b)];
  const roles = [...new Set([...here.keys(), ...there.keys()])];
  return roles.map((role) => ({ role, a: here.get(role), b: there.get(role) }));
}

function byRole(runs: readonly NamedRun[]): Map<string, NamedRun> {
  const byName = new Map<string, NamedRun>();
  for (const run of runs) {
    const pod = lastStateOf(run.recorded);
    const name = pod === undefined ? run.run : roleOf(pod);
    let role = name;
    for (let count = 2; byName.has(role); count++) role = `${name} #${count}`;
    byName.set(role, run);
  }
  return byName;
}

function roleOf({ metadata: { name, generateName = '', labels = {} } }: StoredPod): string {
  if (generateName === '') return name;
  // The hash of a template depends on the defaults of the place.
  const hash = labels['pod-template-hash'];
  return `${hash === undefined ? generateName : generateName.replace(`${hash}-`, '')}*`;
}
