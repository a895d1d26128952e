import { formatTime, type StoredKubeObject } from '../../api/index.ts';
import { readNode } from '../../settings/index.ts';
import type { Alarm } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { reported } from './reported.ts';

/** Source: pkg/kubelet/apis/config/v1beta1/defaults.go: nodeLeaseDurationSeconds, renewed after a quarter of it. */
const SECONDS = 40;
const RENEWED_AFTER_MS = (SECONDS / 4) * 1000;
const NAMESPACE = 'kube-node-lease';

/** Renews the Lease of the node, as a kubelet does. Source: component-helpers/apimachinery/lease/controller.go. */
export function keepNodeLease(context: ServerContext): Subscription {
  const { store, clock, objects } = context;
  const { name } = readNode({ storageDir: store.root });
  let alarm: Alarm | undefined;
  const renew = (): void => {
    reported(context, 'the Lease of the node', () => {
      const spec = { holderIdentity: name, leaseDurationSeconds: SECONDS, renewTime: formatTime(clock.now().wallMs) };
      if (objects.get('leases', NAMESPACE, name) === undefined) store.create('leases', newLease(context, name, spec));
      else
        store.change<StoredKubeObject>('leases', { namespace: NAMESPACE, name }, 'object', (stored) => {
          return { ...stored, spec: { ...(stored['spec'] as object), ...spec } };
        });
    });
    alarm = clock.wakeAt(clock.now().monotonicMs + RENEWED_AFTER_MS, renew);
  };
  renew();
  return { close: () => alarm?.cancel() };
}

function newLease({ objects }: ServerContext, name: string, spec: object): StoredKubeObject {
  const uid = objects.get('nodes', undefined, name)?.metadata.uid;
  const ownerReferences = uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: NAMESPACE, ownerReferences },
    spec,
  } as unknown as StoredKubeObject;
}
