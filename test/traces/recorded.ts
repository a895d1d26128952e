import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Need } from '../needs.ts';

const TESTS = path.join(import.meta.dirname, '..');

const scope = JSON.parse(readFileSync(path.join(TESTS, 'scenarios/scope.json'), 'utf8')) as {
  readonly needsNamespaces: Readonly<Record<string, string>>;
  /** Scenarios that cannot be repeated here. */
  readonly beyond: Readonly<Record<string, string>>;
};

/** The node did not write the state ImagePullBackOff before the Pod was deleted; podrun leaves out no state. */
const SKIPS_A_STATE = 'term-while-image-is-not-there';

/** Conformance scenarios that podrun promises, with a recording of a Kubernetes 1.36 node. */
export const recordedScenarios: readonly string[] = readdirSync(path.join(TESTS, 'golden/traces'))
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => path.basename(file, '.ndjson'))
  .filter((name) => !(name in scope.beyond) && name !== SKIPS_A_STATE);

/** The needs of other scenarios. */
const NEEDS: Readonly<Record<string, Need>> = {
  'exit-code-oom-killed': 'cgroups',
  'phase-non-root-is-refused': 'root',
};

/** Everything that a scenario needs of the machine. */
export function needsOf(scenario: string): readonly Need[] {
  const own = NEEDS[scenario];
  return [...(needsNamespaces(scenario) ? (['namespaces'] as const) : []), ...(own === undefined ? [] : [own])];
}

export function needsNamespaces(scenario: string): boolean {
  return scenario in scope.needsNamespaces;
}
