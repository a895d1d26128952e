import type { Instant, Node, NodeCondition, StoredKubeObject, StoredPod, Taint } from '../../api/index.ts';
import type { ConditionEdit } from '../../lifecycle/index.ts';
import type { ActionTarget, EventAction } from '../base/reconcile.ts';

/** A Node of the store. */
export type ClusterNode = Node & StoredKubeObject;

/** The periods and limits of the controllers of nodes. Times are milliseconds, rates are nodes a second. */
export interface NodeTiming {
  /** The time between two looks at the health of all nodes: --node-monitor-period. */
  readonly monitorPeriodMs: number;
  /** The silence after which a node is unreachable: --node-monitor-grace-period. */
  readonly monitorGraceMs: number;
  /** The same for a node that has never reported: --node-startup-grace-period. */
  readonly startupGraceMs: number;
  /** The rate of NoExecute taints in a zone: --node-eviction-rate. */
  readonly evictionRate: number;
  /** The rate in a large zone of which most nodes are lost: --secondary-node-eviction-rate. */
  readonly secondaryEvictionRate: number;
  /** The number of nodes above which a zone is large: --large-cluster-size-threshold. */
  readonly largeZoneSize: number;
  /** The part of lost nodes from which a zone counts as disrupted: --unhealthy-zone-threshold. */
  readonly unhealthyZoneThreshold: number;
  /** The time between two collections of Pods. */
  readonly collectionPeriodMs: number;
  /** The time for which a Node must be missing before its Pods are collected. */
  readonly quarantineMs: number;
  /** The number of ended Pods that may stay: --terminated-pod-gc-threshold. 0: any number. */
  readonly endedPodsMax: number;
}

/**
 * The defaults of a cluster. Source: pkg/controller/nodelifecycle/config/v1alpha1/defaults.go,
 * pkg/controller/podgc/gc_controller.go, cmd/kube-controller-manager.
 */
export const NODE_TIMING: NodeTiming = {
  monitorPeriodMs: 5000,
  monitorGraceMs: 50_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeZoneSize: 50,
  unhealthyZoneThreshold: 0.55,
  collectionPeriodMs: 20_000,
  quarantineMs: 40_000,
  endedPodsMax: 12_500,
};

/** All that the controllers of nodes look at: every Node and every Pod of the store. */
export interface NodesInput {
  readonly now: Instant;
  readonly timing: NodeTiming;
  readonly nodes: readonly ClusterNode[];
  /** Reads all Pods: few stages need them. */
  readonly pods: () => readonly StoredPod[];
  /** The renewTime of the Lease of a node. Undefined: it has none. */
  readonly renewTime: (nodeName: string) => string | undefined;
}

/**
 * One write or Event. Writes are changes of the object as it is stored at that moment, not whole states: kubelets write
 * into the same objects.
 */
export type NodeAction =
  /** Replaces the conditions of these types. */
  | { readonly type: 'conditions'; readonly on: ActionTarget; readonly conditions: readonly NodeCondition[] }
  | ({ readonly type: 'taints'; readonly on: ActionTarget } & TaintSwap)
  | { readonly type: 'status'; readonly on: ActionTarget; readonly edit?: ConditionEdit; readonly phase?: 'Failed' }
  /** Deletes a Pod. Without `graceSeconds` it has its own grace period. */
  | { readonly type: 'delete'; readonly on: ActionTarget; readonly graceSeconds?: 0 }
  | EventAction;

/** A change of the taints of a node. */
export interface TaintSwap {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** The outcome of one of the controllers: what it remembers, and what is to be done. */
export interface NodeStage<Memory> {
  readonly memory: Memory;
  readonly actions: readonly NodeAction[];
}
