import * as fc from 'fast-check';
import type { Happening } from './runs.ts';

const name = fc.constantFrom('a', 'b');

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.constantFrom('Running', 'Succeeded', 'Failed').map((phase): Happening => ({ phase })),
  fc.constantFrom('True' as const, 'False' as const).map((Ready): Happening => ({ conditions: { Ready } })),
  fc.constantFrom('Started', 'BackOff').map((event): Happening => ({ event })),
  name.map((one): Happening => ({ containers: { [one]: 'starts' } })),
  fc.tuple(name, fc.nat(2)).map(([one, exits]): Happening => ({ containers: { [one]: { exits } } })),
  name.map((one): Happening => ({ containers: { [one]: { waits: 'CrashLoopBackOff' } } })),
);

/** Random happenings of a run of the containers a and b, possible or not, each at its second. */
export function randomHappenings(): fc.Arbitrary<Array<readonly [number, Happening]>> {
  const timed = fc.array(fc.tuple(fc.nat(3), happening), { maxLength: 14 });
  return timed.map((gaps) => {
    let seconds = 0;
    return gaps.map(([gap, one]) => {
      seconds += gap;
      return [seconds, one] as const;
    });
  });
}
