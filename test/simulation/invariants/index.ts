import { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';
import type { Scenario } from '../scenario/scenario.ts';
import * as commands from './commands.ts';
import * as conditions from './conditions.ts';
import * as containerStates from './container-states.ts';
import * as events from './events.ts';
import type { Invariant } from './invariant.ts';
import * as phase from './phase.ts';
import * as progress from './progress.ts';
import * as records from './records.ts';
import * as starts from './starts.ts';
import * as stops from './stops.ts';

/** All invariants by name. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  ...phase,
  ...containerStates,
  ...conditions,
  ...starts,
  ...stops,
  ...commands,
  ...events,
  ...records,
  ...progress,
};

const EACH = Object.entries(INVARIANTS);

/** The error of a broken invariant. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
  readonly invariant: string;

  constructor(invariant: string, atMs: number, complaint: string) {
    super(`${invariant}: ${complaint} (at ${atMs} ms)`);
    this.invariant = invariant;
  }
}

/** Watches a scenario: it must get every entry. Throws at the first entry that breaks an invariant. */
export class Observer {
  readonly past: Chronicle;

  constructor(scenario: Scenario) {
    this.past = new Chronicle(scenario);
  }

  readonly see = (entry: Entry): void => {
    this.past.record(entry);
    for (const [name, invariant] of EACH) {
      const complaint = invariant(entry, this.past);
      if (complaint !== undefined) throw new InvariantBroken(name, entry.atMs, complaint);
    }
  };
}
