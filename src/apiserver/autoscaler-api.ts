import type { JsonObject, KubeObject } from '../api/index.ts';
import { NO_SCALE, notStored } from '../controllers/index.ts';
import { otherMetricsOf } from './aggregation/other-metrics.ts';
import type { AutoscalerApi } from './base/autoscaler-api.ts';
import type { ServerContext } from './base/context.ts';
import { writePatch } from './base/write-patch.ts';
import { pluralWithGroup } from './resources/served-resource.ts';
import { targetScale, withReplicas } from './subresources/scale-object.ts';

export function autoscalerApiOf(context: ServerContext): AutoscalerApi {
  return {
    otherMetrics: otherMetricsOf(context),
    customTarget: (group, kind, key) => {
      const resource = context.resources.all.find((each) => each.group === group && each.kind === kind && each.custom);
      if (resource === undefined) return undefined;
      const paths = resource.custom?.scale;
      if (paths === undefined) return { error: NO_SCALE };
      const object = context.objects.get(resource.storage, key.namespace, key.name);
      if (object === undefined) return { error: notStored(pluralWithGroup(resource), key.name) };
      const { apiVersion, metadata } = object;
      const rescale = (replicas: number): void => {
        const patch = withReplicas({} as KubeObject, paths, replicas) as unknown as JsonObject;
        writePatch(context.store, { ...key, apiVersion, kind, uid: metadata.uid }, patch, { plural: resource.storage });
      };
      return { value: { object, scale: targetScale(object, paths), rescale } };
    },
  };
}
