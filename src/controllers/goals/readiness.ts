import { isWorkload, type KubeObject } from '../../api/index.ts';
import { isWorkloadReady } from './root-goal.ts';

/** The conditions that say of an object that it is ready: the first one that it has counts. */
const READY_CONDITIONS = ['Ready', 'Available', 'Established'];

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly observedGeneration?: number;
}

/**
 * The reason why an object of any kind is not ready yet, by the rules of kstatus. Undefined: it is ready.
 * Source: sigs.k8s.io/cli-utils, pkg/kstatus/status/generic.go.
 */
export function whyNotReady(object: KubeObject): string | undefined {
  const { generation = 0, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return 'it is being deleted';
  // Another group may have a kind of the same name.
  if (isWorkload(object) && /^(?:v1$|apps\/|batch\/)/.test(object.apiVersion))
    return isWorkloadReady(object) ? undefined : 'its Pods are not ready';
  const { conditions, observedGeneration } = (object['status'] ?? {}) as {
    readonly conditions?: unknown;
    readonly observedGeneration?: number;
  };
  const all: readonly Condition[] = Array.isArray(conditions) ? (conditions as Condition[]) : [];
  const named = (type: string): Condition | undefined => all.find((condition) => condition.type === type);
  if ((observedGeneration ?? generation) < generation) return `its status is not of generation ${generation} yet`;
  const [busy, stalled] = [named('Reconciling'), named('Stalled')];
  if (busy?.status === 'True') return `it is changed at the moment${reasonOf(busy)}`;
  if (stalled?.status === 'True') return `it has stalled${reasonOf(stalled)}`;
  const condition = READY_CONDITIONS.map(named).find((one) => one !== undefined);
  if (condition === undefined) return undefined;
  const { type = '', status = 'Unknown' } = condition;
  if ((condition.observedGeneration ?? generation) < generation)
    return `its condition ${type} is not of generation ${generation} yet`;
  return status === 'True' ? undefined : `its condition ${type} is ${status}${reasonOf(condition)}`;
}

function reasonOf({ reason = '' }: Condition): string {
  return reason === '' ? '' : `: ${reason}`;
}
