import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const SCENARIOS = path.join(import.meta.dirname, '../conformance/scenarios');

/** What a step of a scenario waits for. Each fact that is named must hold. */
export interface When {
  /** Since `podrun apply` was started. */
  readonly after?: string;
  /** Since the step before this one. */
  readonly since?: string;
  readonly condition?: string;
  /** Names of containers. */
  readonly ready?: string;
  readonly exited?: string;
  readonly started?: string;
  /** Reasons: of a container that waits, of an event. */
  readonly waiting?: string;
  readonly event?: string;
}

/** A command, or a manifest to be applied. */
export interface ScenarioStep {
  readonly when: When;
  readonly run?: ReadonlyArray<string | number>;
  readonly apply?: string;
  readonly flags?: readonly string[];
  readonly mayFail?: boolean;
}

/** A scenario of test/conformance, as far as a recording needs it. */
export interface Scenario {
  readonly manifest: string;
  readonly flags?: readonly string[];
  readonly steps?: readonly ScenarioStep[];
}

export function readScenario(name: string): Scenario {
  return parse(readFileSync(path.join(SCENARIOS, `${name}.yaml`), 'utf8')) as Scenario;
}

/** `2s` in milliseconds. */
export function milliseconds(seconds: string): number {
  return Number.parseFloat(seconds) * 1000;
}
