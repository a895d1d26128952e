import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TESTS = path.join(import.meta.dirname, '..');

const scope = JSON.parse(readFileSync(path.join(TESTS, 'scenarios/scope.json'), 'utf8')) as {
  readonly needsNamespaces: Readonly<Record<string, string>>;
  /** Scenarios that pull images, which podrun does not: its images are programs of this machine. */
  readonly needsImages: Readonly<Record<string, string>>;
};

/** Conformance scenarios that podrun promises, with a recording of a Kubernetes 1.36 node. */
export const recordedScenarios: readonly string[] = readdirSync(path.join(TESTS, 'golden/traces'))
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => path.basename(file, '.ndjson'))
  .filter((name) => !(name in scope.needsImages));

export function needsNamespaces(scenario: string): boolean {
  return scenario in scope.needsNamespaces;
}
