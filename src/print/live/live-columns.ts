import type { StoredPod } from '../../api/objects.ts';
import { containersOf } from './container-view.ts';

/** The columns of the names, in characters. */
interface NameWidths {
  /** 0: there is one Pod, whose name stands in no line. */
  readonly podWidth: number;
  readonly subjectWidth: number;
  /** A longer name is shortened. A container that comes later may have a name beyond its column. */
  readonly longestName: number;
}

/** Widths and colours that all lines of a run share, so that they line up. */
export interface LiveColumns extends NameWidths {
  readonly prefixWidth: number;
  /** Number of each container, by `pod/container`: it picks the colour. */
  readonly series: ReadonlyMap<string, number>;
}

/** What a line about the whole Pod has for a subject. No container can be called that. */
export const POD_SUBJECT = 'Pod';

/** In a terminal, a name takes at most this share of a line; the rest is for what happened. */
const NAME_SHARE = 0.2;
const LEAST_NAME = 8;

/**
 * The columns that fit these Pods.
 * @param width characters in a line of the terminal: names that would take too much of it are shortened
 */
export function liveColumns(pods: readonly StoredPod[], width: number = Number.POSITIVE_INFINITY): LiveColumns {
  const longestName = Math.max(LEAST_NAME, Math.floor(width * NAME_SHARE));
  const widest = (texts: readonly string[]): number => {
    return Math.min(longestName, Math.max(0, ...texts.map(({ length }) => length)));
  };
  const containers = pods.flatMap((pod) =>
    containersOf(pod).map(({ container: { name } }) => ({ pod: pod.metadata.name, name })),
  );
  const widths: NameWidths = {
    podWidth: pods.length === 1 ? 0 : widest(pods.map(({ metadata }) => metadata.name)),
    subjectWidth: widest([POD_SUBJECT, ...containers.map(({ name }) => name)]),
    longestName,
  };
  return {
    ...widths,
    prefixWidth: Math.max(0, ...containers.map(({ pod, name }) => logName(pod, name, widths).length)),
    series: new Map(containers.map(({ pod, name }, index) => [`${pod}/${name}`, index])),
  };
}

/** The name with which a container's output is marked: `web/main`, or `main` where there is one Pod. */
export function logName(pod: string, container: string, columns: NameWidths): string {
  const name = shortName(container, columns.longestName);
  return columns.podWidth === 0 ? name : `${shortName(pod, columns.longestName)}/${name}`;
}

/** Both ends of a name that is too long: Pods of one owner differ at the end. */
export function shortName(name: string, length: number): string {
  if (name.length <= length) return name;
  const end = Math.ceil((length - 1) / 2);
  return `${name.slice(0, length - 1 - end)}…${name.slice(name.length - end)}`;
}
