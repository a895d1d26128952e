import type {
  AutoscalingV2CrossVersionObjectReference,
  AutoscalingV2HorizontalPodAutoscalerStatus,
  AutoscalingV2MetricIdentifier,
  AutoscalingV2MetricStatus,
  StoredPod,
} from '../../api/index.ts';
import type { ControllerEvent } from '../base/reconcile.ts';

/** The defaults of kube-controller-manager. Source: pkg/controller/podautoscaler/config/v1alpha1/defaults.go. */
export const TOLERANCE: number = 0.1;
export const DOWNSCALE_WINDOW_SECONDS = 300;
export const CPU_INITIALIZATION_MS = 300_000;
export const INITIAL_READINESS_DELAY_MS = 30_000;

/** Replicas are 32-bit integers. */
export const REPLICAS_MAX: number = 2 ** 31 - 1;

/** A value, or the words of the API that did not give it. */
export type MetricAnswer<T> = { readonly value: T } | { readonly error: string };

/** The scale of a target, as its subresource shows it. */
export interface TargetScale {
  readonly replicas: number;
  readonly statusReplicas: number;
  /** In the syntax of `-l`. Empty: the target has none. */
  readonly selector: string;
}

/** The use of one Pod in a window of time that ends at `atMs`. */
export interface UsageSample {
  readonly pod: string;
  readonly atMs: number;
  readonly windowMs: number;
  readonly containers: readonly {
    readonly name: string;
    /** By resource, in thousandths of a core or of a byte. */
    readonly usage: Readonly<Record<string, bigint | undefined>>;
  }[];
}

/** A value of one Pod in thousandths. */
export interface PodValue {
  readonly pod: string;
  readonly atMs: number;
  readonly windowMs: number;
  readonly value: bigint;
}

/** The metrics that an autoscaler can read, as the three APIs of metrics give them. All values are in thousandths. */
export interface MetricsReader extends OtherMetrics {
  /** @param pods the Pods of the target */
  readonly usage: (pods: readonly StoredPod[]) => MetricAnswer<readonly UsageSample[]>;
}

/** The metrics of API servers that an adapter brings. */
export interface OtherMetrics {
  readonly ofPods: (metric: AutoscalingV2MetricIdentifier) => MetricAnswer<readonly PodValue[]>;
  readonly ofObject: (
    metric: AutoscalingV2MetricIdentifier,
    object: AutoscalingV2CrossVersionObjectReference,
  ) => MetricAnswer<bigint>;
  readonly external: (metric: AutoscalingV2MetricIdentifier) => MetricAnswer<readonly bigint[]>;
}

export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

export interface ScaleChange {
  /** The number of replicas that were added or removed. */
  readonly change: number;
  readonly atMs: number;
}

/** The memory of the controller about an autoscaler. It is lost with the process, as in a cluster. */
export interface AutoscalerMemory {
  readonly recommendations: readonly Recommendation[];
  readonly scaleUps: readonly ScaleChange[];
  readonly scaleDowns: readonly ScaleChange[];
}

/** All that one sync reads. */
export interface AutoscalerInput {
  readonly nowMs: number;
  readonly scale: MetricAnswer<TargetScale>;
  /** The Pods of the namespace. */
  readonly pods: readonly StoredPod[];
  /** The other autoscalers of the namespace, as `namespace/name`, with the selectors of their targets. */
  readonly others: readonly { readonly key: string; readonly selector: string }[];
  readonly metrics: MetricsReader;
  /** Undefined before the first sync. */
  readonly memory: AutoscalerMemory | undefined;
}

export type AutoscalerStatus = Omit<AutoscalingV2HorizontalPodAutoscalerStatus, 'currentMetrics'> & {
  readonly currentMetrics: AutoscalingV2MetricStatus[] | null;
};

/** The result of one sync. */
export interface AutoscalerSync {
  readonly status: AutoscalerStatus;
  readonly events: readonly ControllerEvent[];
  readonly memory: AutoscalerMemory;
  /** Why the sync has failed, also where it has scaled. */
  readonly error?: string | undefined;
}
