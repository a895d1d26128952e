import { goMapJson, isJsonObject, type JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/objects.ts';
import { fieldSetOf } from './field-set-of.ts';
import type { FieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';

/** The annotation in which `kubectl apply` without --server-side keeps the last manifest. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The fields that the last manifest of `kubectl apply` has set, where the live object has them still. */
export function lastAppliedFields(shape: Shape, live: JsonObject | undefined): FieldSet | undefined {
  const text = annotationsOf(live)?.[LAST_APPLIED];
  if (typeof text !== 'string') return undefined;
  try {
    return fieldSetOf(shape, JSON.parse(text)).intersection(fieldSetOf(shape, live));
  } catch {
    return undefined;
  }
}

/**
 * The object with the applied manifest in the annotation, if it has the annotation. So a later `kubectl apply` without
 * --server-side knows what to remove. Source: managedfields, lastAppliedUpdater.
 */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const annotations = annotationsOf(object);
  if (annotations?.[LAST_APPLIED] === undefined) return object;
  const text = `${goMapJson(withoutAnnotation(applied))}\n`;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

function withoutAnnotation(applied: KubeObject): JsonObject {
  const annotations = annotationsOf(applied);
  if (annotations?.[LAST_APPLIED] === undefined) return applied;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return { ...applied, metadata: { ...applied.metadata, annotations: others } };
}

function annotationsOf(object: JsonObject | undefined): Record<string, string> | undefined {
  const metadata = object?.['metadata'];
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) ? (annotations as Record<string, string>) : undefined;
}
