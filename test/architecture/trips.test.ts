import { beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { measureTrips, type Trip } from '../trips/trips.mjs';
import recorded from './trips.json' with { type: 'json' };

const NAMES = ['exit', 'command', 'post', 'probe'] as const;
const FIGURES = ['files', 'steps', 'calls'] as const;
/** Two runs differ a little: two changes of a Pod may be one event of a watch, or two. */
const MORE_MAX = 1.05;
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
      if (is > was * MORE_MAX) return [`${is} ${figure} instead of ${was}: find out which by npm run trips -- ${name}`];
      if (is < was * LESS_MIN) return [`${is} ${figure} instead of ${was}: lower it in test/architecture/trips.json`];
      return [];
    });
    expect(wrong).toEqual([]);
  });
});
