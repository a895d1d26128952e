import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const SCENARIOS = path.join(import.meta.dirname, '../conformance/scenarios');

/** The condition of a step: every named fact must hold. */
export interface When {
  /** The time since the start of `podrun apply`. */
  readonly after?: string;
  /** The time since the step before. */
  readonly since?: string;
  readonly condition?: string;
  /** The names of containers. */
  readonly ready?: string;
  readonly exited?: string;
  readonly started?: string;
  /** The reason of a waiting container, or of an event. */
  readonly waiting?: string;
  readonly event?: string;
}

/** A command, or a manifest to apply. */
export interface ScenarioStep {
  readonly when: When;
  readonly run?: ReadonlyArray<string | number>;
  readonly apply?: string;
  readonly flags?: readonly string[];
  readonly mayFail?: boolean;
}

/** The parts of a scenario of test/conformance that a recording needs. */
export interface Scenario {
  readonly manifest: string;
  readonly flags?: readonly string[];
  readonly steps?: readonly ScenarioStep[];
}

export function readScenario(name: string): Scenario {
  return parse(readFileSync(path.join(SCENARIOS, `${name}.yaml`), 'utf8')) as Scenario;
}

/** The milliseconds of a text such as `2s`. */
export function milliseconds(seconds: string): number {
  return Number.parseFloat(seconds) * 1000;
}
