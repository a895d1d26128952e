import { formatTime, type StoredKubeObject } from '../../api/index.ts';
import type { Alarm } from '../../clock.ts';
import {
  HEARTBEAT_PERIOD_MS,
  nodeIsReady,
  pressureIn,
  registeredInController,
  startOfNode,
} from '../../lifecycle/index.ts';
import { nodeRecord, readNode, reportHeartbeat } from '../../settings/index.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { EventRecorder } from '../base/event-recorder.ts';
import { reported } from './reported.ts';

/** Source: pkg/kubelet/apis/config/v1beta1/defaults.go: nodeLeaseDurationSeconds, renewed after a quarter of it. */
const SECONDS = 40;
const RENEWED_AFTER_MS = (SECONDS / 4) * 1000;
const NAMESPACE = 'kube-node-lease';

/**
 * Says that the node lives, as a kubelet does: with Events of its start, a Lease that is renewed every ten seconds, and
 * the time in its status every five minutes. Source: component-helpers/apimachinery/lease/controller.go;
 * pkg/kubelet/kubelet_node_status.go.
 */
export function keepNodeHeartbeat(context: ServerContext): Subscription {
  const { store, clock } = context;
  const { name } = readNode({ storageDir: store.root });
  let alarm: Alarm | undefined;
  let dueMs = clock.now().monotonicMs;
  const beat = (): void => {
    const { monotonicMs } = clock.now();
    reported(context, 'the Lease of the node', () => renewLease(name, context));
    if (monotonicMs >= dueMs) {
      dueMs = monotonicMs + HEARTBEAT_PERIOD_MS;
      reported(context, 'the status of the node', () => reportHeartbeat(store, clock, name));
    }
    alarm = clock.wakeAt(monotonicMs + RENEWED_AFTER_MS, beat);
  };
  reported(context, 'the Events of the node', () => recordStart(name, context));
  beat();
  return { close: () => alarm?.cancel() };
}

function renewLease(name: string, { store, clock, objects }: ServerContext): void {
  const renewed = { holderIdentity: name, leaseDurationSeconds: SECONDS, renewTime: formatTime(clock.now().wallMs) };
  const uid = objects.get('nodes', undefined, name)?.metadata.uid;
  const owners = uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  if (objects.get('leases', NAMESPACE, name) === undefined) {
    const metadata = { name, namespace: NAMESPACE, ownerReferences: owners };
    store.create('leases', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: renewed });
    return;
  }
  store.change<StoredKubeObject>('leases', { namespace: NAMESPACE, name }, 'object', (stored) => {
    const { ownerReferences = [], ...metadata } = stored.metadata;
    return {
      ...stored,
      metadata: { ...metadata, ownerReferences: ownerReferences.length === 0 ? owners : ownerReferences },
      spec: { ...(stored['spec'] as object), ...renewed },
    };
  });
}

/** The kubelet and the controller of nodes begin together: podrun is both. */
function recordStart(name: string, { store, clock }: ServerContext): void {
  const onEvent = (): void => undefined;
  const kubelet = new EventRecorder({ store, clock, nodeName: name, onEvent });
  const controller = new EventRecorder({ store, clock, controller: 'node-controller', onEvent });
  const record = nodeRecord(store, name);
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } } as StoredKubeObject;
  kubelet.record(node, startOfNode(name, pressureIn(record?.status?.conditions ?? [])));
  const registered = { ...node, metadata: { ...node.metadata, uid: record?.metadata.uid ?? name } };
  controller.record(registered, [registeredInController(name)]);
  kubelet.record(node, [nodeIsReady(name)]);
}
