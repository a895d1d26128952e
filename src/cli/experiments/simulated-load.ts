import path from 'node:path';
import {
  formatGoDuration,
  type LabelSelector,
  type StoredAutoscaler,
  type StoredEvent,
  usage,
  type WatchEvent,
} from '../../api/index.ts';
import { hasJustRescaled } from '../../controllers/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { renderRows, scalingText, TABLE_LAYOUT, TabWriter } from '../../print/index.ts';
import { type LoadCurve, loadAt, readLoadCurve, type SharedLoad } from '../../simulation/index.ts';
import { readUpTo } from '../../store/index.ts';

interface StoredAutoscaled {
  readonly spec: { readonly selector?: LabelSelector };
}

/** A larger file is no load curve. */
const CURVE_MAX_BYTES = 2 ** 24;

/** The load of the target of an autoscaler. */
export interface AutoscaledLoad extends SharedLoad {
  readonly target: string;
}

/**
 * Reads the values of `--load`: `FILE` for the target of the only autoscaler, or `NAME=FILE`.
 * @param cwd the folder of relative paths
 * @throws {PodrunError} (usage) for a target that there is not, or a file that is no curve
 */
export function readLoads(texts: readonly string[], objects: readonly ManifestObject[], cwd: string): AutoscaledLoad[] {
  const autoscalers = objects.filter(({ object }) => object.kind === 'HorizontalPodAutoscaler');
  const targets = autoscalers.map(({ object }) => (object as unknown as StoredAutoscaler).spec.scaleTargetRef);
  return texts.map((text) => {
    const [, name, file = text] = /^([a-z0-9][-a-z0-9.]*)=(.+)$/s.exec(text) ?? [];
    const known = [...new Set(targets.map((target) => target.name))];
    if (known.length === 0) throw usage('--load: no HorizontalPodAutoscaler of the manifests scales by it');
    const wanted = name ?? (known.length === 1 ? known[0] : undefined);
    if (wanted === undefined || !known.includes(wanted))
      throw usage(`--load: say NAME=FILE with the name of a target: ${known.join(', ')}`);
    const target = targets.find((each) => each.name === wanted);
    const workload = objects.find(({ object }) => object.kind === target?.kind && object.metadata.name === wanted);
    if (workload === undefined) throw usage(`--load: no manifest has the ${target?.kind ?? 'workload'} ${wanted}`);
    const { spec } = workload.object as unknown as StoredAutoscaled;
    const { namespace = '' } = workload.object.metadata;
    return { target: wanted, namespace, selector: spec.selector, curve: curveOf(path.resolve(cwd, file), file) };
  });
}

function curveOf(place: string, file: string): LoadCurve {
  try {
    return readLoadCurve(readUpTo(place, CURVE_MAX_BYTES).toString('utf8'), file);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw usage(`--load: cannot read ${file}: ${error.message}`);
    throw error;
  }
}

/** The end of the last curve and ten minutes: a scale down waits for five. */
export function lengthOfLoads(loads: readonly SharedLoad[]): number {
  const last = Math.max(...loads.map(({ curve }) => curve.steps.at(-1)?.seconds ?? 0));
  return (last + 600) * 1000;
}

/** The changes of replicas that autoscalers have made, with time and reason. */
export class ScalingLog {
  readonly #loads: readonly AutoscaledLoad[];
  readonly #startMs: number;
  /** By autoscaler. */
  readonly #rows = new Map<string, string[][]>();

  constructor(loads: readonly AutoscaledLoad[], startMs: number) {
    this.#loads = loads;
    this.#startMs = startMs;
  }

  /** Takes an event, with the autoscaler that it is about as it is now. */
  event({ object: event }: WatchEvent<StoredEvent>, about: StoredAutoscaler | undefined, nowMs: number): void {
    if (about === undefined || event.type !== 'Normal' || !hasJustRescaled(about)) return;
    const { name } = about.metadata;
    const load = this.#loads.find(({ target }) => target === about.spec.scaleTargetRef.name);
    const seconds = (nowMs - this.#startMs) / 1000;
    const { why } = scalingText(about);
    const limit = about.status?.conditions?.find(({ type, status }) => type === 'ScalingLimited' && status === 'True');
    const reason = why === '' ? (event.message ?? '').replace(/^.*reason: /, '') : why;
    const row = [
      formatGoDuration(Math.floor(seconds) * 1000),
      load === undefined ? '-' : `${loadAt(load.curve, seconds)}m`,
      `${about.status?.currentReplicas ?? 0} → ${about.status?.desiredReplicas ?? 0}`,
      limit === undefined ? reason : `${reason} (${limit.reason})`,
    ];
    this.#rows.set(name, [...(this.#rows.get(name) ?? []), row]);
  }

  /** A table for each autoscaler that has changed replicas. */
  get text(): string {
    const tables = [...this.#rows].map(([name, rows]) => {
      const table = renderRows([['TIME', 'LOAD', 'REPLICAS', 'WHY'], ...rows]);
      return `hpa/${name}:\n${new TabWriter(TABLE_LAYOUT).render(table).replaceAll(/^(?=.)/gm, '  ')}`;
    });
    return tables.join('');
  }
}
