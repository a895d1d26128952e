import type { KubeObject } from '../base/objects.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import {
  managedFieldsOf,
  managerId,
  readManagers,
  withFewManagers,
  type FieldManager,
  type FieldManagers,
} from './managers.ts';
import { changeOwnership, ownable } from './ownership.ts';
import { resetFieldSet } from './reset-fields.ts';
import type { Shape } from './shape.ts';
import { atOnce, type PartRunner } from './part-runner.ts';
import { type KindVersions, VersionedFields } from './versions.ts';

/** A write of an object, for `metadata.managedFields`. */
export interface TrackedWrite {
  /** The shape of the object in the version of the write. */
  readonly shape: Shape;
  /** Default: objects have the same fields in all versions. */
  readonly versions?: KindVersions | undefined;
  /** The name of the manager: the `fieldManager` of the request, or the name in its User-Agent. */
  readonly manager: string;
  /** The subresource of the request. Empty: the object itself. */
  readonly subresource: string;
  /** True for a kind with the subresource `status`: writes of the object do not own its status. */
  readonly hasStatus: boolean;
  /** The time of the write, RFC 3339 in seconds. Undefined: it has none. */
  readonly time: string | undefined;
}

/**
 * Records a create, update or patch in `metadata.managedFields` of its result: the manager owns the fields that it has
 * changed, and their former owners own them no more. An object with an item without keys has no managers.
 * Source: managedfields, FieldManager.Update.
 * @param before the stored object, in the version of the write; undefined: it is created
 * @param after the object to be stored, in that version, with the `managedFields` of the request
 * @param step runs the parts that take long for an object of ten thousand fields
 */
export function trackUpdate<T extends KubeObject>(
  before: KubeObject | undefined,
  after: T,
  write: TrackedWrite,
  step: PartRunner = atOnce,
): T {
  const { shape, versions, manager: name, subresource, hasStatus, time } = write;
  const known = step('managers', () => managersBefore(before, after));
  const change = {
    fields: new VersionedFields(shape, versions),
    version: after.apiVersion,
    before: withoutManagers(before ?? emptyObject(after)),
    after: withoutManagers(withWrittenAnnotations(after)),
    managers: known,
    by: undefined,
    ignored: resetFieldSet(after.kind, subresource, hasStatus),
  };
  const { managers, changed, hasUnkeyed } = step('own', () => changeOwnership(change));
  // Source: managedfields, FieldManager.UpdateNoErrors.
  if (hasUnkeyed) return withManagers(after, new Map());
  const id = { name, operation: 'Update' as const, apiVersion: after.apiVersion, subresource };
  const own = ownable(changed);
  return own.isEmpty
    ? withManagers(after, managers)
    : withManagers(after, withFewManagers(withManager(managers, { ...id, time, fields: own })));
}

/** The fields that Go writes also when they are empty, where they are no structs: see `isAlwaysPresent`. */
const EMPTY_FIELDS: Readonly<Record<string, object>> = {
  'events.k8s.io/v1/Event': { eventTime: null, deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null },
  'v1/Event': {
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  'rbac.authorization.k8s.io/v1/ClusterRole': { rules: null },
  'rbac.authorization.k8s.io/v1/Role': { rules: null },
  'scheduling.k8s.io/v1/PriorityClass': { value: 0 },
};

/** The annotations that Go writes for fields that this version lacks. Source: pkg/apis/apps/v1/conversion.go. */
const WRITTEN_ANNOTATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apps/v1/DaemonSet': { 'deprecated.daemonset.template.generation': '0' },
};

function withWrittenAnnotations(object: KubeObject): KubeObject {
  const written = WRITTEN_ANNOTATIONS[`${object.apiVersion}/${object.kind}`];
  if (written === undefined) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...written, ...object.metadata.annotations } } };
}

/** The object that a new one is compared with. */
function emptyObject({ apiVersion, kind }: KubeObject): KubeObject {
  const fields = EMPTY_FIELDS[`${apiVersion}/${kind}`];
  return { ...fields, apiVersion, kind, metadata: {} };
}

function withManager(managers: FieldManagers, manager: FieldManager): FieldManagers {
  const id = managerId(manager);
  const fields = managers.get(id)?.fields.union(manager.fields) ?? manager.fields;
  return new Map([...managers, [id, { ...manager, fields }]]);
}

/** The managers that a write starts with. A request with `managedFields: [{}]` asks for none. */
function managersBefore(before: KubeObject | undefined, after: KubeObject): FieldManagers {
  const requested: unknown = after.metadata.managedFields;
  if (
    Array.isArray(requested) &&
    requested.length === 1 &&
    isJsonObject(requested[0]) &&
    Object.keys(requested[0]).length === 0
  ) {
    return new Map();
  }
  const given = readManagers(requested);
  if (given !== undefined && given.size > 0) return given;
  return readManagers(before?.metadata.managedFields) ?? new Map();
}

/** The object without `metadata.managedFields`, which no manager owns. */
export function withoutManagers(object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with these managers in its metadata. */
export function withManagers<T extends KubeObject>(object: T, managers: FieldManagers): T {
  const { managedFields: _, ...metadata } = object.metadata;
  const entries = managedFieldsOf(managers);
  return { ...object, metadata: { ...metadata, ...(entries.length > 0 ? { managedFields: entries } : {}) } };
}

/**
 * The name of the manager of a request.
 * @param fieldManager the parameter of the request
 * @param userAgent the header: its program counts, `kubectl` in `kubectl/v1.36.3 (linux/amd64)`
 */
export function managerName(fieldManager: string | null | undefined, userAgent: string | undefined): string {
  if (fieldManager !== null && fieldManager !== undefined && fieldManager !== '') return fieldManager;
  const program = (userAgent ?? '').split('/')[0] ?? '';
  return program.replaceAll(/[^\P{C}]/gu, '').slice(0, MANAGER_LENGTH_MAX) || 'unknown';
}

/** Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation, FieldManagerMaxLength. */
const MANAGER_LENGTH_MAX = 128;
