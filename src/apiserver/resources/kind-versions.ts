import { type KindVersions, ownValue, shapeOfType, typeOfKind } from '../../api/index.ts';
import { AUTOSCALERS_CONVERSION } from './autoscalers-conversion.ts';
import { EVENTS_CONVERSION } from './events-conversion.ts';
import type { Conversion, ServedResource } from './served-resource.ts';

/** The kinds whose objects differ by version: the version that is not stored, and its conversion. */
const CONVERTED: Readonly<Record<string, { readonly own: string; readonly conversion: Conversion }>> = {
  Event: { own: 'events.k8s.io/v1', conversion: EVENTS_CONVERSION },
  HorizontalPodAutoscaler: { own: 'autoscaling/v1', conversion: AUTOSCALERS_CONVERSION },
};

/** The versions of a kind, for the managers of its objects. Undefined: objects have the same fields in all versions. */
export function versionsOf({ kind, custom }: Pick<ServedResource, 'kind' | 'custom'>): KindVersions | undefined {
  const converted = custom === undefined ? ownValue(CONVERTED, kind) : undefined;
  if (converted === undefined) return undefined;
  const { own, conversion } = converted;
  return {
    shapeOf: (apiVersion) => shapeOfType(typeOfKind(apiVersion, kind)),
    convert: (object, apiVersion) => (apiVersion === own ? conversion.toVersion(object) : conversion.toStored(object)),
  };
}
