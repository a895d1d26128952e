import { fieldsOf, isJsonObject, type KubeObject, typeOfObject } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { withoutDisabledFields } from '../default/create.ts';
import { withTemplateGeneration } from '../default/created.ts';
import { applyDefaults } from '../default/index.ts';
import { withBothSources } from '../default/volume.ts';
import { type FieldError, withoutRepeats } from '../base/field-error.ts';
import { validateMetadataUpdate, withServerFields } from './metadata.ts';
import { isSameValue } from './differences.ts';
import { withAllocatedValues, withoutFormerType } from './service.ts';
import { type Subresource, subresourceRules } from './subresources.ts';
import { validateUpdate } from './validate-update.ts';

export type UpdateOutcome =
  | {
      readonly ok: true;
      /** The object to store: the stored object itself when nothing changes. */
      readonly object: KubeObject;
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Checks and prepares a changed object for the place of a stored one. Sets defaults, keeps the fields that only the
 * server writes or that the subresource does not cover, applies the rules of new objects and of changes, and raises
 * `metadata.generation` when the spec changes. Source: k8s.io/apiserver/pkg/registry/rest/update.go and the strategies
 * in pkg/registry.
 *
 * Does not compare `metadata.resourceVersion`: the store does that.
 * @param changed decoded; through a subresource only the part that it covers is used
 * @throws PodrunError when the kind has no such subresource
 */
export function admitUpdate(
  stored: KubeObject,
  changed: KubeObject,
  options: { readonly subresource?: Subresource } = {},
): UpdateOutcome {
  const rules = options.subresource === undefined ? WHOLE_OBJECT : subresourceRules(stored.kind, options.subresource);
  const defaulted = applyDefaults(changed);
  const named = { ...defaulted, metadata: withServerFields(stored.metadata, defaulted.metadata) };
  const wanted = rules.prepare(stored, named);
  const errors = withoutRepeats([...validateMetadataUpdate(stored, named), ...rules.validate(stored, wanted)]);
  if (errors.length > 0) return { ok: false, errors };
  const type = typeOfObject(stored) ?? 'object';
  if (isSameValue(stored, wanted, type)) return { ok: true, object: stored };
  // A write of the status changes nothing that is counted, but perhaps metadata.
  return { ok: true, object: options.subresource === 'status' ? wanted : withGeneration(stored, wanted, type) };
}

const WHOLE_OBJECT = { prepare: prepareObject, validate: validateUpdate };

/** Keeps the stored status, which changes only through its subresource. */
function prepareObject(stored: KubeObject, changed: KubeObject): KubeObject {
  const { status } = stored;
  const { apiVersion, kind, metadata } =
    changed.kind === 'DaemonSet' ? withTemplateGeneration(changed, stored) : changed;
  const { status: _ignored, ...rest } = prepareKind(stored, changed);
  return { ...rest, apiVersion, kind, metadata, ...(status === undefined ? {} : { status }) };
}

function prepareKind(stored: Decoded<KubeObject>, changed: Decoded<KubeObject>): Decoded<KubeObject> {
  if (changed.kind === 'Service') return withoutFormerType(stored, withAllocatedValues(stored, changed));
  if (changed.kind === 'PersistentVolumeClaim') return withBothSources(changed);
  // The finalizers of a namespace have a subresource. Source: pkg/registry/core/namespace/strategy.go.
  if (changed.kind === 'Namespace') return { ...changed, spec: stored['spec'] };
  return withoutDisabledFields(changed);
}

/** The paths of the fields whose changes are counted, where it is not the spec alone. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  CSIDriver: ['nodeAllocatableUpdatePeriodSeconds', 'requiresRepublish', 'seLinuxMount', 'tokenRequests'].map(
    (field) => `spec.${field}`,
  ),
  Deployment: ['spec', 'metadata.annotations'],
  EndpointSlice: ['addressType', 'endpoints', 'ports', 'metadata.labels'],
  MutatingWebhookConfiguration: ['webhooks'],
  PodTemplate: ['template'],
  ValidatingWebhookConfiguration: ['webhooks'],
};

/** Kinds whose new objects have no generation, until the first counted change. */
const UNCOUNTED_AT_FIRST: ReadonlySet<string> = new Set(['CSIDriver']);

function withGeneration(stored: KubeObject, wanted: KubeObject, type: string): KubeObject {
  const { generation = UNCOUNTED_AT_FIRST.has(stored.kind) ? 0 : undefined } = stored.metadata;
  const isSame = (path: string): boolean => {
    const { before, after, type: own } = fieldAt(path, { before: stored, after: wanted, type });
    return isSameValue(before, after, own);
  };
  // Some kinds have no generation.
  if (generation === undefined || (COUNTED[stored.kind] ?? ['spec']).every(isSame)) return wanted;
  return { ...wanted, metadata: { ...wanted.metadata, generation: generation + 1 } };
}

interface Compared {
  readonly before: unknown;
  readonly after: unknown;
  /** The type of both in the field table. */
  readonly type: string;
}

/** The field of two values at a path: `metadata.annotations`. */
function fieldAt(path: string, values: Compared): Compared {
  return path.split('.').reduce<Compared>(({ before, after, type }, field) => {
    const of = (value: unknown): unknown => (isJsonObject(value) ? value[field] : undefined);
    return { before: of(before), after: of(after), type: fieldsOf(type)?.[field] ?? 'object' };
  }, values);
}
