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
 * its status every five minutes, or with the next renewal after its record has become anything but Ready.
 * Source: component-helpers/apimachinery/lease/controller.go; pkg/kubelet/kubelet_node_status.go, tryUpdateNodeStatus.
 */
export class NodeHeartbeat {
  readonly #name: string;
  readonly #options: HeartbeatOptions;
  readonly #events: EventRecorder;
  #alarm: Alarm | undefined;
  #dueMs = 0;
  #isShuttingDown = false;

  /** @param isReturn true: the kubelet has been silent */
  constructor(name: string, options: HeartbeatOptions, isReturn = false) {
    this.#name = name;
    this.#options = options;
    this.#events = new EventRecorder({ ...options, nodeName: name, onEvent });
    if (isReturn) this.#recordReady();
    else reported(options, 'the Events of the node', () => recordStart(name, options, this.#events));
    this.#renew();
    this.#report();
  }

  /** The node shuts down: it lives, and is not Ready any more. */
  shutDown(): void {
    this.#isShuttingDown = true;
  }

  #beat(): void {
    this.#renew();
    if (this.#isShuttingDown) return;
    const isLost = this.#isLost();
    if (isLost || this.#options.clock.now().monotonicMs >= this.#dueMs) this.#report();
    if (isLost) this.#recordReady();
  }

  #recordReady(): void {
    const event = nodeIsReady(this.#name);
    reported(this.#options, 'the Events of the node', () => this.#events.record(nodeOfKubelet(this.#name), [event]));
  }

  /** True when the record of the node has another opinion: the controllers of nodes have heard nothing for too long. */
  #isLost(): boolean {
    const conditions = nodeRecord(this.#options.store, this.#name)?.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === 'Ready' && status !== 'True');
  }

  #report(): void {
    const { store, clock } = this.#options;
    this.#dueMs = clock.now().monotonicMs + HEARTBEAT_PERIOD_MS;
    reported(this.#options, 'the status of the node', () => reportHeartbeat(store, clock, this.#name));
  }

  #renew(): void {
    const { clock } = this.#options;
    reported(this.#options, 'the Lease of the node', () => renewLease(this.#name, this.#options));
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + RENEWED_AFTER_MS, () => this.#beat());
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
function recordStart(name: string, options: HeartbeatOptions, kubelet: EventRecorder): void {
  const { store, clock, isControlled = false } = options;
  // Another agent of the state folder is the kubelet of this node already.
  if (isControlled && isHeld(name, options)) return;
  const record = nodeRecord(store, name);
  const node = nodeOfKubelet(name);
  kubelet.record(node, startOfNode(name, pressureIn(record?.status?.conditions ?? [])));
  const registered = { ...node, metadata: { ...node.metadata, uid: record?.metadata.uid ?? name } };
  const controller = new EventRecorder({ store, clock, controller: 'node-controller', onEvent });
  if (!isControlled) controller.record(registered, [registeredInController(name)]);
  kubelet.record(node, [nodeIsReady(name)]);
}

/** Readers get the Events by the store. */
function onEvent(): void {}

/** The node in Events of its kubelet, which knows no uid but the name. */
export function nodeOfKubelet(name: string): StoredKubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } } as StoredKubeObject;
}
