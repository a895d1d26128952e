import { beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { measureTrips, type Trip } from '../trips/trips.mjs';
import recorded from './trips.json' with { type: 'json' };

const NAMES = ['exit', 'command', 'post', 'probe'] as const;
/**
 * The figures, each with the share of its record that it may reach. Two runs differ a little in files. A slow machine
 * splits the same work into more turns of the event loop, with looks between: a quarter more steps were seen.
 */
const MORE_MAX = { files: 1.05, steps: 1.5, calls: 1.5 } as const;
const FIGURES = ['files', 'steps', 'calls'] as const;
/** Below it, the record is too high to hold anything. With one event for two changes, a trip is a sixth shorter. */
const LESS_MIN = 0.8;

describe('the trips of podrun (npm run trips)', needs('Linux'), () => {
  let trips: readonly Trip[] = [];

  beforeAll(async () => {
    trips = await measureTrips();
  });

  it('are the ones on record', () => {
    expect(Object.keys(recorded)).toEqual(NAMES);
    expect(trips.map(({ name }) => name)).toEqual(NAMES);
  });

  it.each(NAMES)('are not longer than on record, nor much shorter: %s', (name) => {
    const trip = trips.find((each) => each.name === name);
    const wrong = FIGURES.flatMap((figure) => {
      const [was, is] = [recorded[name][figure], trip?.[figure] ?? 0];
      if (is > was * MORE_MAX[figure])
        return [`${is} ${figure} instead of ${was}: find out which by npm run trips -- ${name}`];
      if (is < was * LESS_MIN) return [`${is} ${figure} instead of ${was}: lower it in test/architecture/trips.json`];
      return [];
    });
    expect(wrong).toEqual([]);
  });
});
