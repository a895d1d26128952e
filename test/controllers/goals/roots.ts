import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { Workload } from '../../../src/api/workloads/stored-workloads.ts';
import type { Root } from '../../../src/lifecycle/requests/root.ts';
import { at, container, webPod } from '../../print/pods.ts';

type Kind = Workload['kind'];
type Fields = Readonly<Record<string, unknown>>;

const API: Readonly<Record<Kind, string>> = {
  CronJob: 'batch/v1',
  DaemonSet: 'apps/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  ReplicaSet: 'apps/v1',
  ReplicationController: 'v1',
  StatefulSet: 'apps/v1',
};

/** A workload named `web` that wants three Pods, in its second generation. */
export function workload(kind: Kind, status: Fields = {}, spec: Fields = {}, metadata: Fields = {}): Workload {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container('main')] } };
  const isJob = kind === 'Job' || kind === 'CronJob';
  const fields = isJob ? { completions: 5, template } : { replicas: 3, template, updateStrategy: ROLLING };
  return {
    apiVersion: API[kind],
    kind,
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'w-1',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: at(-60),
      ...metadata,
    },
    spec: { ...fields, ...spec },
    status: isJob ? status : { observedGeneration: 2, ...status },
  } as unknown as Workload;
}

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };

/** A condition that is True, or has another status. */
export function condition(type: string, reason = 'Because', status = 'True'): Fields {
  return { type, status, reason, message: 'a message' };
}

/** @param pods default: as many Ready ones as the status counts */
export function root(object: Workload, pods: readonly StoredPod[] = readyPods(object), isGone = false): Root {
  return { object, isGone, pods };
}

function readyPods({ status }: Workload): StoredPod[] {
  const counts: Record<string, unknown> = { ...status };
  const length = ['ready', 'readyReplicas', 'numberReady'].reduce((sum, count) => sum + Number(counts[count] ?? 0), 0);
  return Array.from({ length }, (_, index) => webPod({ metadata: { uid: `p-${index}` } }));
}
