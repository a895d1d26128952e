import { NO_CUSTOM_API, noExternalApi } from '../texts/autoscaler-metrics.ts';
import type { OtherMetrics } from './model.ts';

/** The APIs of other metrics where no adapter serves them. */
export const NO_OTHER_METRICS: OtherMetrics = {
  ofPods: () => ({ error: NO_CUSTOM_API }),
  ofObject: () => ({ error: NO_CUSTOM_API }),
  external: ({ name }) => ({ error: noExternalApi(name) }),
};
