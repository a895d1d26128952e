import {
  labelMessages,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  qualifiedNameMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, invalid, required, tooLong } from '../base/field-error.ts';
import { each, notNegative, wellFormed } from './checks.ts';
import { validateAnnotations, validateLabels } from './labels.ts';

type Metadata = Decoded<ObjectMeta>;

const PATH = 'metadata';
/** The length to which the server cuts a prefix before it appends five characters. Any suffix serves for the check. */
const GENERATED_PREFIX_MAX = 58;
const SOME_SUFFIX = 'abcde';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const MANAGER_MAX_BYTES = 128;
const SUBRESOURCE_MAX_BYTES = 256;

/** The name of an object, or one that it could get. */
export function nameOf(metadata: Metadata | undefined): string {
  if (metadata?.name) return metadata.name;
  return metadata?.generateName ? metadata.generateName.slice(0, GENERATED_PREFIX_MAX) + SOME_SUFFIX : '';
}

/**
 * Validates the metadata of a new object.
 * @param nameMessages checks the name of this kind
 * @see k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateMetadata(
  metadata: Metadata | undefined,
  nameMessages: (name: string) => string[],
): FieldError[] {
  const { generateName, namespace, generation, labels, annotations } = metadata ?? {};
  const name = nameOf(metadata);
  const prefix = generateName ? wellFormedPrefix(child(PATH, 'generateName'), generateName, nameMessages) : [];
  const named = name
    ? wellFormed(child(PATH, 'name'), name, nameMessages)
    : [required(child(PATH, 'name'), 'name or generateName is required')];
  return [
    ...prefix,
    ...named,
    ...(namespace ? wellFormed(child(PATH, 'namespace'), namespace, labelMessages) : []),
    ...notNegative(child(PATH, 'generation'), generation),
    ...validateLabels(child(PATH, 'labels'), labels),
    ...validateAnnotations(child(PATH, 'annotations'), annotations),
    ...validateOwners(child(PATH, 'ownerReferences'), metadata?.ownerReferences ?? []),
    ...validateFinalizers(child(PATH, 'finalizers'), metadata?.finalizers ?? []),
    ...each(child(PATH, 'managedFields'), metadata?.managedFields, validateManagedFields),
  ];
}

/** Checks a prefix of a name, which may end with a dash. */
function wellFormedPrefix(path: string, prefix: string, messagesOf: (name: string) => string[]): FieldError[] {
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
  return messagesOf(masked).map((message) => invalid(path, prefix, message));
}

function validateOwners(path: string, owners: readonly Decoded<OwnerReference>[]): FieldError[] {
  const errors = owners.flatMap((owner) => validateOwner(path, owner));
  const [first, second] = owners.filter((owner) => owner.controller === true);
  if (first === undefined || second === undefined) return errors;
  const text =
    'Only one reference can have Controller set to true. Found "true" in references for ' +
    `${first.kind ?? ''}/${first.name ?? ''} and ${second.kind ?? ''}/${second.name ?? ''}`;
  return [...errors, invalid(path, owners, text)];
}

function validateOwner(path: string, owner: Decoded<OwnerReference>): FieldError[] {
  const errors = (['apiVersion', 'kind', 'name', 'uid'] as const)
    .filter((field) => !owner[field])
    .map((field) => invalid(child(path, field), '', 'must not be empty'));
  const isEvent = owner.apiVersion === 'v1' && owner.kind === 'Event';
  return isEvent ? [...errors, invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner')] : errors;
}

function validateFinalizers(path: string, finalizers: readonly string[]): FieldError[] {
  const errors = finalizers.flatMap((finalizer) => wellFormed(path, finalizer, qualifiedNameMessages));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  const unqualified = each(path, finalizers, (finalizer, at) =>
    finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)
      ? []
      : [invalid(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')],
  );
  return [...errors, ...unqualified];
}

function validateManagedFields(entry: Decoded<ManagedFieldsEntry>, path: string): FieldError[] {
  const { operation = '', fieldsType, manager = '', subresource = '' } = entry;
  const errors: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalid(child(path, 'operation'), operation, 'must be `Apply` or `Update`'));
  }
  if (fieldsType && fieldsType !== 'FieldsV1') {
    errors.push(invalid(child(path, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
  }
  if (Buffer.byteLength(manager) > MANAGER_MAX_BYTES) errors.push(tooLong(child(path, 'manager'), MANAGER_MAX_BYTES));
  if (Buffer.byteLength(subresource) > SUBRESOURCE_MAX_BYTES) {
    errors.push(tooLong(child(path, 'subresource'), SUBRESOURCE_MAX_BYTES));
  }
  return errors;
}
