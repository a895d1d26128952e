import { autoscalerInV1, autoscalerInV2, validateObject } from '../../manifest/index.ts';
import type { Conversion } from './served-resource.ts';

/** HorizontalPodAutoscalers are stored in v2. */
export const AUTOSCALERS_CONVERSION: Conversion = {
  storedGroup: 'autoscaling',
  toVersion: autoscalerInV1,
  toStored: autoscalerInV2,
  errors: (object, before) => (before === undefined ? validateObject(object) : []),
};
