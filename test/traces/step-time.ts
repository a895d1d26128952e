import type { StoredEvent, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { allContainerStatuses } from '../../src/api/base/objects.ts';
import type { TraceLine } from '../print/golden.ts';
import type { ScenarioStep, When } from './scenario.ts';

type Line = WatchEvent<unknown>;

/** The line of a recording with the effect of a step. */
export interface Effect {
  /** The index of the line. */
  readonly index: number;
  readonly seconds: number;
}

/** The fields that a command changes and a stream shows. */
const SHOWN: Readonly<Record<string, (pod: StoredPod) => unknown>> = {
  delete: ({ metadata }) => metadata.deletionTimestamp,
  patch: ({ metadata, status }) => [
    metadata.deletionTimestamp === undefined && metadata.generation,
    (status.conditions ?? []).filter(({ type }) => type.includes('/')).map(({ type, status: is }) => `${type}=${is}`),
  ],
  debug: ({ spec }) => spec.ephemeralContainers?.length,
};

/**
 * The effect of each step in the recording. Undefined for a step without a visible effect (exec, get, another
 * manifest).
 */
export function effectsOf(steps: readonly ScenarioStep[], recorded: readonly TraceLine[]): Array<Effect | undefined> {
  let from = 0;
  return steps.map(({ run = [] }) => {
    const shown = SHOWN[String(run[0])];
    if (shown === undefined) return undefined;
    const index = recorded.findIndex((line, at) => {
      if (at <= from || !isPod(line)) return false;
      const before = recorded.slice(0, at).findLast(isPod);
      return before !== undefined && isChange(shown, before, line);
    });
    if (index === -1) throw new Error(`no recorded line shows an effect of podrun ${run.join(' ')}`);
    from = index;
    return { index, seconds: recorded[index]!.t };
  });
}

/**
 * True for a visible change. A deletion counts for every command: removing finalizers, for example, may delete the
 * object.
 */
function isChange(shown: (pod: StoredPod) => unknown, before: Line, after: Line): boolean {
  if (after.type === 'DELETED') return true;
  return JSON.stringify(shown(before.object as StoredPod)) !== JSON.stringify(shown(after.object as StoredPod));
}

/** True when all conditions of a step hold, except for its times. */
export function holds(when: When, lines: readonly Line[]): boolean {
  const pod = lines.findLast(isPod)?.object as StoredPod | undefined;
  if (pod === undefined) return false;
  const statuses = allContainerStatuses(pod.status);
  const has = (name: string | undefined, is: (status: (typeof statuses)[number]) => boolean): boolean =>
    name === undefined || statuses.some((status) => status.name === name.split('#')[0] && is(status));
  const [type, status] = when.condition?.split('=') ?? [];
  return (
    has(when.ready, ({ ready }) => ready) &&
    has(when.exited, ({ state }) => state?.terminated !== undefined) &&
    has(when.started, ({ state }) => state?.running !== undefined) &&
    (when.waiting === undefined || statuses.some(({ state }) => state?.waiting?.reason === when.waiting)) &&
    (when.event === undefined || lines.some(({ object }) => (object as StoredEvent).reason === when.event)) &&
    (type === undefined || (pod.status.conditions ?? []).some((one) => one.type === type && one.status === status))
  );
}

function isPod(line: Line): boolean {
  return (line.object as StoredPod).kind === 'Pod';
}
