import type { Obstacle } from './abilities.ts';
import { allContainers, type PodSpec } from '../api/index.ts';
import { obstacleText } from './obstacle.ts';

/** Fields that need namespaces, each with a test for Pods that use it. */
const NEEDING: ReadonlyArray<readonly [field: string, isUsedBy: (pod: { readonly spec: PodSpec }) => boolean]> = [
  ['mountPath', ({ spec }) => allContainers(spec).some(({ volumeMounts = [] }) => volumeMounts.length > 0)],
  ['hostname', ({ spec }) => spec.hostname !== undefined || spec.subdomain !== undefined],
  ['hostAliases', ({ spec }) => (spec.hostAliases ?? []).length > 0],
  ['shareProcessNamespace', ({ spec }) => spec.shareProcessNamespace === true],
];

/** The missing ability of the machine that these Pods need, in one line. Undefined when they do not need it. */
export function unmetText(
  { of, why }: { readonly of: 'namespaces' | 'layers'; readonly why: Obstacle },
  pods: ReadonlyArray<{ readonly spec: PodSpec }>,
): string | undefined {
  const reason = obstacleText(why);
  if (of === 'layers') return `runtime: namespace; the root of containers is read-only (${reason}). See podrun doctor`;
  const fields = NEEDING.filter(([, isUsedBy]) => pods.some(isUsedBy)).map(([field]) => field);
  if (fields.length === 0) return undefined;

  const list = fields.length < 2 ? fields.join('') : `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;
  return `runtime: process (${reason}); without effect, or with less effect than on a node: ${list}. See podrun doctor`;
}
