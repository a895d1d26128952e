import { type Chronicle } from '../scenario/chronicle.ts';
import { endOf, type Life } from '../scenario/life.ts';

/** 10 s, doubled each time up to 5 minutes, reset after 10 minutes. Source: client-go flowcontrol/backoff.go. */
const BACK_OFF = { firstMs: 10_000, maxMs: 300_000, forgottenMs: 600_000 };

/** True when only a container's own exits determine its back-off: nobody killed it, and nothing was refused. */
export function isLeftAlone(name: string, past: Chronicle): boolean {
  const { imageAbsentUntilMs = {}, configMissingUntilMs = {} } = past.scenario.faults;
  if (name in imageAbsentUntilMs || name in configMissingUntilMs || past.imageChanged.has(name)) return false;
  return past.round === 0 && past.livesOf(name).every(({ killings }) => killings.length === 0);
}

/** The time of the next start, computed from all ends and starts before. */
export function backOffDueMs(life: Life | undefined, past: Chronicle, name?: string): number | undefined {
  const all = past.livesOf(life?.container ?? name ?? '');
  const upTo = life === undefined ? all.length : all.indexOf(life);
  let delayMs: number | undefined;
  let updatedMs = 0;
  let dueMs: number | undefined;
  for (let index = 1; index <= upTo; index++) {
    const endMs = endOf(all[index - 1]!);
    if (endMs === undefined) return undefined;
    const isFresh = delayMs === undefined || endMs - updatedMs > BACK_OFF.forgottenMs;
    dueMs = isFresh ? endMs : endMs + delayMs!;
    delayMs = isFresh ? BACK_OFF.firstMs : Math.min(delayMs! * 2, BACK_OFF.maxMs);
    updatedMs = all[index]?.askedAtMs ?? 0;
  }
  return dueMs;
}
