import type { StoredAutoscaler, StoredKubeObject } from '../../api/index.ts';
import type { MetricAnswer, OtherMetrics, TargetScale } from '../../controllers/index.ts';
import type { ObjectKey } from '../../store/index.ts';

/** Reads the metrics of an autoscaler that adapters serve. @param selector the one of its target */
export type ReadOtherMetrics = (object: StoredAutoscaler, selector: string) => Promise<OtherMetrics>;

/** An object of a custom kind that has replicas. */
export interface CustomTarget {
  readonly object: StoredKubeObject;
  readonly scale: TargetScale;
  /** @throws {PodrunError} when it is gone, or the store cannot be written */
  readonly rescale: (replicas: number) => void;
}

/** The parts of an API server that autoscalers need where one runs. */
export interface AutoscalerApi {
  readonly otherMetrics: ReadOtherMetrics;
  /** The target of a custom kind. Undefined: no such kind is served. */
  readonly customTarget: (group: string, kind: string, key: ObjectKey) => MetricAnswer<CustomTarget> | undefined;
}
