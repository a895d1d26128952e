import { fieldsOf, type KubeObject, typeOfObject } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { withoutDisabledFields } from '../default/create.ts';
import { withTemplateGeneration } from '../default/created.ts';
import { applyDefaults } from '../default/index.ts';
import { withoutRepeats, type FieldError } from '../base/field-error.ts';
import { validateMetadataUpdate, withServerFields } from './metadata.ts';
import { isSameValue } from './same-value.ts';
import { withAllocatedValues } from './service.ts';
import { subresourceRules, type Subresource } from './subresources.ts';
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
  return { ok: true, object: withGeneration(stored, wanted, type) };
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
  if (changed.kind === 'Service') return withAllocatedValues(stored, changed);
  return withoutDisabledFields(changed);
}

function withGeneration(stored: KubeObject, wanted: KubeObject, type: string): KubeObject {
  const { generation } = stored.metadata;
  const counted = stored.kind === 'PodTemplate' ? 'template' : 'spec';
  const countedType = fieldsOf(type)?.[counted] ?? 'object';
  // Some kinds have no generation.
  if (generation === undefined || isSameValue(stored[counted], wanted[counted], countedType)) return wanted;
  return { ...wanted, metadata: { ...wanted.metadata, generation: generation + 1 } };
}
