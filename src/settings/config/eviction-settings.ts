import { parseDuration, parseQuantity } from '../../api/index.ts';
import { EVICTION_SIGNALS, type EvictionSettings, type EvictionThreshold } from '../../lifecycle/index.ts';
import type { ConfigNode } from './config-node.ts';
import { quietly } from '../../quietly.ts';

/** The fields of podrun.yaml for evictions, named as in a KubeletConfiguration. */
export const EVICTION_FIELDS = [
  'evictionHard',
  'evictionMaxPodGracePeriod',
  'evictionSoft',
  'evictionSoftGracePeriod',
] as const;

type Fields = Partial<Record<(typeof EVICTION_FIELDS)[number], ConfigNode>>;

/**
 * Reads the thresholds for evictions. Undefined: there are none. Source: pkg/kubelet/eviction/helpers.go
 * ParseThresholdConfig.
 * @throws {PodrunError} for an unknown signal, a value that is no quantity or percentage, or a soft threshold without a
 *   grace period
 */
export function readEviction(fields: Fields): EvictionSettings | undefined {
  const { evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMaxPodGracePeriod } = fields;
  const periods = evictionSoftGracePeriod?.fields(EVICTION_SIGNALS) ?? {};
  const thresholds = [
    ...readThresholds(evictionHard, () => undefined),
    ...readThresholds(evictionSoft, (signal, node) => {
      const period = periods[signal] ?? node.fail(`needs a grace period: evictionSoftGracePeriod.${signal}`);
      return readPeriod(period);
    }),
  ];
  const maxPodGraceSeconds = evictionMaxPodGracePeriod === undefined ? 0 : readSeconds(evictionMaxPodGracePeriod);
  return thresholds.length === 0 ? undefined : { thresholds, maxPodGraceSeconds };
}

function readThresholds(
  map: ConfigNode | undefined,
  graceOf: (signal: EvictionThreshold['signal'], node: ConfigNode) => number | undefined,
): EvictionThreshold[] {
  const values = map?.fields(EVICTION_SIGNALS) ?? {};
  return EVICTION_SIGNALS.flatMap((signal) => {
    const node = values[signal];
    if (node === undefined) return [];
    const least = readLeast(node);
    return least === undefined ? [] : [{ signal, least, graceMs: graceOf(signal, node) }];
  });
}

/** Undefined for 0% and 100%, which switch a threshold off. */
function readLeast(node: ConfigNode): EvictionThreshold['least'] | undefined {
  const text = node.text();
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent === undefined) {
    if ((quietly(() => parseQuantity(text))?.nano ?? 0n) > 0n) return { quantity: text };
    return node.fail('must be a quantity above 0 such as 500Mi, or a percentage such as 10%');
  }
  const share = Number(percent) / 100;
  if (share > 1) return node.fail('must not be above 100%');
  return share === 0 || share === 1 ? undefined : { share };
}

function readPeriod(node: ConfigNode): number {
  const ms = quietly(() => parseDuration(node.text())) ?? -1;
  return ms >= 0 ? ms : node.fail('must be a duration such as 90s or 1m30s');
}

function readSeconds(node: ConfigNode): number {
  const text = node.text();
  return /^\d+$/.test(text) ? Number(text) : node.fail('must be a number of seconds');
}
