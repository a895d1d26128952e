import {
  type CoordinationLease,
  formatTime,
  hasCode,
  type KubeObject,
  NODE_LEASES,
  parseTime,
  type StoredKubeObject,
} from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import {
  HEARTBEAT_PERIOD_MS,
  nodeIsReady,
  pressureIn,
  registeredInController,
  startOfNode,
} from '../../lifecycle/index.ts';
import { nodeRecord, readNode, reportHeartbeat } from '../../settings/index.ts';
import type { Store, Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { EventRecorder } from '../base/event-recorder.ts';
import { reported } from './reported.ts';

/** Source: pkg/kubelet/apis/config/v1beta1/defaults.go: nodeLeaseDurationSeconds, renewed after a quarter of it. */
const SECONDS = 40;
const RENEWED_AFTER_MS = (SECONDS / 4) * 1000;

interface HeartbeatOptions extends Pick<ServerContext, 'report'> {
  readonly store: Store;
  readonly clock: Clock;
  /** True: the controllers of nodes meet the node, and say so. */
  readonly isControlled?: boolean;
}

/** Says that the node of this machine lives. Declared nodes in its place have heartbeats of their own. */
export function keepNodeHeartbeat(context: ServerContext): Subscription {
  const { name } = readNode({ storageDir: context.store.root });
  if (nodeRecord(context.store, name) === undefined) return { close: () => undefined };
  return new NodeHeartbeat(name, context);
}

/**
 * Says that a node lives, as its kubelet does: with Events of its start, a Lease that is renewed every ten seconds, and
 * the time in its status every five minutes. Source: component-helpers/apimachinery/lease/controller.go;
 * pkg/kubelet/kubelet_node_status.go.
 */
export class NodeHeartbeat {
  readonly #name: string;
  readonly #options: HeartbeatOptions;
  #alarm: Alarm | undefined;
  #dueMs: number;

  /** @param isReturn true: the kubelet has been silent */
  constructor(name: string, options: HeartbeatOptions, isReturn = false) {
    this.#name = name;
    this.#options = options;
    this.#dueMs = options.clock.now().monotonicMs;
    reported(options, 'the Events of the node', () => recordStart(name, options, isReturn));
    this.#beat();
  }

  #beat(): void {
    const { store, clock } = this.#options;
    const { monotonicMs } = clock.now();
    reported(this.#options, 'the Lease of the node', () => renewLease(this.#name, this.#options));
    if (monotonicMs >= this.#dueMs) {
      this.#dueMs = monotonicMs + HEARTBEAT_PERIOD_MS;
      reported(this.#options, 'the status of the node', () => reportHeartbeat(store, clock, this.#name));
    }
    this.#alarm = clock.wakeAt(monotonicMs + RENEWED_AFTER_MS, () => this.#beat());
  }

  close(): void {
    this.#alarm?.cancel();
  }
}

function renewLease(name: string, { store, clock }: HeartbeatOptions): void {
  const renewed = { holderIdentity: name, leaseDurationSeconds: SECONDS, renewTime: formatTime(clock.now().wallMs) };
  const uid = nodeRecord(store, name)?.metadata.uid;
  const owners = uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  if (store.get('leases', NODE_LEASES, name) === undefined) {
    const metadata = { name, namespace: NODE_LEASES, ownerReferences: owners };
    return createLease(store, { metadata, spec: renewed });
  }
  store.change<StoredKubeObject>('leases', { namespace: NODE_LEASES, name }, 'object', (stored) => {
    const { ownerReferences = [], ...metadata } = stored.metadata;
    return {
      ...stored,
      metadata: { ...metadata, ownerReferences: ownerReferences.length === 0 ? owners : ownerReferences },
      spec: { ...(stored['spec'] as object), ...renewed },
    };
  });
}

/** Makes a Lease, unless another process of the state folder has just made it: each may need it first. */
export function createLease(store: Store, lease: Pick<CoordinationLease, 'spec'> & Pick<KubeObject, 'metadata'>): void {
  try {
    store.create('leases', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease });
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

/** The Lease of a Node that is gone goes, too: the Node owns it. */
export function removeLeaseOf(store: Store, uid: string): void {
  const leases = store.list<StoredKubeObject>('leases', { namespace: NODE_LEASES });
  for (const { metadata } of leases) {
    const isOwned = metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
    if (isOwned) store.delete('leases', NODE_LEASES, metadata.name);
  }
}

/** True for a node whose Lease has not expired. */
function isHeld(name: string, { store, clock }: Pick<HeartbeatOptions, 'store' | 'clock'>): boolean {
  const lease = store.get<StoredKubeObject>('leases', NODE_LEASES, name);
  const { renewTime = '' } = (lease?.['spec'] ?? {}) as { readonly renewTime?: string };
  return clock.now().wallMs - parseTime(renewTime) < SECONDS * 1000;
}

/** For this machine, the kubelet and the controller of nodes begin together: podrun is both. */
function recordStart(name: string, { store, clock, isControlled = false }: HeartbeatOptions, isReturn: boolean): void {
  const onEvent = (): void => undefined;
  const kubelet = new EventRecorder({ store, clock, nodeName: name, onEvent });
  const controller = new EventRecorder({ store, clock, controller: 'node-controller', onEvent });
  const record = nodeRecord(store, name);
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } } as StoredKubeObject;
  if (isReturn) return kubelet.record(node, [nodeIsReady(name)]);
  // Another agent of the state folder is the kubelet of this node already.
  if (isControlled && isHeld(name, { store, clock })) return;
  kubelet.record(node, startOfNode(name, pressureIn(record?.status?.conditions ?? [])));
  const registered = { ...node, metadata: { ...node.metadata, uid: record?.metadata.uid ?? name } };
  if (!isControlled) controller.record(registered, [registeredInController(name)]);
  kubelet.record(node, [nodeIsReady(name)]);
}
