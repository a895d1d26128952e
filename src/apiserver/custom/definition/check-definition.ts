import { type DefinitionColumn, dns1035Messages, isSameJson, subdomainMessages } from '../../../api/index.ts';
import { type FieldError, invalid, notSupported, required } from '../../../manifest/index.ts';
import { checkConversion } from './check-conversion.ts';
import { checkSchema } from './check-schema.ts';
import type { Definition, DefinitionNames, DefinitionSpec, DefinitionVersion, ScalePaths } from './definition.ts';
import { isShared, versionsInGo } from './in-go.ts';

/** The paths of the fields that `/scale` reads and writes: fields only, without lists. */
const FIELD_PATH = /^(\.[\w-]+)+$/;

const SCOPES = ['Cluster', 'Namespaced'];
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
/** Groups of Kubernetes itself. */
const PROTECTED = /(^|\.)(k8s|kubernetes)\.io$/;
const APPROVAL = 'api-approved.kubernetes.io';
const APPROVAL_PAGE = 'https://github.com/kubernetes/enhancements/pull/1111';

/**
 * The mistakes of a CustomResourceDefinition. Source: apiextensions, pkg/apis/apiextensions/validation/validation.go.
 * @param stored the definition before a change
 */
export function checkDefinition(definition: Definition, stored: Definition | undefined): FieldError[] {
  const { metadata, spec } = definition;
  const { names, versions } = spec;
  const [group, scope] = groupAndScope(spec);
  const errors: FieldError[] = [];
  if (metadata.name !== `${names.plural}.${group}`) {
    errors.push(invalid('metadata.name', metadata.name ?? '', 'must be spec.names.plural+"."+spec.group'));
  }
  errors.push(...checkGroup(group));
  if (PROTECTED.test(group) && metadata.annotations?.[APPROVAL] === undefined) {
    const why = `protected groups must have approval annotation "${APPROVAL}", see ${APPROVAL_PAGE}`;
    errors.push(required(`metadata.annotations[${APPROVAL}]`, why));
  }
  if (!SCOPES.includes(scope)) {
    errors.push(scope ? notSupported('spec.scope', scope, SCOPES) : required('spec.scope'));
  }
  errors.push(...checkNames(names), ...checkVersions(versions, stored?.spec.versions ?? []));
  errors.push(...checkConversion(spec.conversion));
  if (spec.preserveUnknownFields === true) {
    errors.push(
      invalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  }
  return [...errors, ...(stored === undefined ? checkStored(versions) : checkChange(definition, stored))];
}

/** A new definition has the storage version as its only stored one. */
function checkStored(versions: readonly DefinitionVersion[]): FieldError[] {
  const hasStored = versions.some(({ storage }) => storage);
  return hasStored ? [] : [invalid('status.storedVersions', null, 'must have at least one stored version')];
}

/** Texts that are not checked yet may be missing. */
function groupAndScope({ group = '', scope = '' }: Partial<DefinitionSpec>): [string, string] {
  return [group, scope];
}

function checkGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const malformed = subdomainMessages(group).map((message) => invalid('spec.group', group, message));
  const isDomain = group.includes('.');
  return isDomain
    ? malformed
    : [...malformed, invalid('spec.group', group, 'should be a domain with at least one dot')];
}

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

function checkNames(names: Partial<DefinitionNames>): FieldError[] {
  const at = 'spec.names';
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const label = (path: string, value: string): FieldError[] =>
    dns1035Messages(value).map((message) => invalid(path, value, message));
  const mixed = (path: string, value: string): FieldError[] =>
    dns1035Messages(value.toLowerCase()).map((message) => invalid(path, value, `${MIXED_CASE}${message}`));
  const needed = (field: string, value: string, check: typeof label): FieldError[] =>
    value === '' ? [required(`${at}.${field}`)] : check(`${at}.${field}`, value);
  const errors = [
    ...needed('plural', plural, label),
    ...needed('singular', singular, label),
    ...needed('kind', kind, mixed),
    ...needed('listKind', listKind, mixed),
  ];
  if (listKind === kind && kind !== '') {
    errors.push(invalid(`${at}.listKind`, listKind, 'kind and listKind may not be the same'));
  }
  errors.push(...shortNames.flatMap((name, index) => label(`${at}.shortNames[${index}]`, name)));
  return [...errors, ...categories.flatMap((name, index) => label(`${at}.categories[${index}]`, name))];
}

function checkVersions(versions: readonly DefinitionVersion[], stored: readonly DefinitionVersion[]): FieldError[] {
  const errors = [
    ...checkSchemas(versions, stored),
    ...versions.flatMap((version, index) => checkVersion(version, versions, index)),
  ];
  const names = versions.map(({ name }) => name);
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', versionsInGo(versions), 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    errors.push(invalid('spec.versions', versionsInGo(versions), why));
  }
  return errors;
}

/**
 * The mistakes of the schemas. When all versions have the same one, the API server names it once, as its internal type
 * has it. Source: apiextensions/v1, conversion.go.
 * @param stored the versions before a change: the rules of a schema that stays are not looked at again
 */
function checkSchemas(versions: readonly DefinitionVersion[], stored: readonly DefinitionVersion[]): FieldError[] {
  const isStored = (schema: unknown): boolean => stored.some((one) => isSameJson(one.schema, schema));
  const check = ({ schema }: Partial<DefinitionVersion>, at: string): FieldError[] => {
    const root = schema?.openAPIV3Schema;
    const path = `${at}.openAPIV3Schema`;
    return root === undefined ? [required(path)] : checkSchema(root, path, isStored(schema));
  };
  const [first, ...more] = versions;
  if (first === undefined) return [];
  const isOne = first.schema !== undefined && more.every(({ schema }) => isSameJson(schema, first.schema));
  return isOne
    ? check(first, 'spec.validation')
    : versions.flatMap((version, index) => check(version, `spec.versions[${index}].schema`));
}

/**
 * The place of a part of a version: the internal type of the API server has a part that all versions share once.
 * Source: apiextensions/v1, conversion.go.
 */
function placeOf(part: keyof DefinitionVersion, versions: readonly DefinitionVersion[], index: number): string {
  return isShared(part, versions) ? `spec.${part}` : `spec.versions[${index}].${part}`;
}

function checkVersion(
  version: Partial<DefinitionVersion>,
  versions: readonly DefinitionVersion[],
  index: number,
): FieldError[] {
  const at = `spec.versions[${index}]`;
  const place = (part: keyof DefinitionVersion): string => placeOf(part, versions, index);
  // A part that all share is named once.
  const isNamedHere = (part: keyof DefinitionVersion): boolean => index === 0 || !isShared(part, versions);
  const { name = '', subresources, additionalPrinterColumns = [], deprecated, deprecationWarning } = version;
  const errors =
    name === '' ? [required(`${at}.name`)] : dns1035Messages(name).map((text) => invalid(`${at}.name`, name, text));
  if (deprecationWarning !== undefined && deprecated !== true) {
    errors.push(invalid(`${at}.deprecationWarning`, deprecationWarning, 'can only be set for deprecated versions'));
  }
  const scale = subresources?.scale;
  if (isNamedHere('additionalPrinterColumns')) {
    const columnsAt = place('additionalPrinterColumns');
    errors.push(...additionalPrinterColumns.flatMap((column, i) => checkColumn(column, `${columnsAt}[${i}]`)));
  }
  if (isNamedHere('selectableFields')) errors.push(...checkSelectable(version, place('selectableFields')));
  if (scale !== undefined && isNamedHere('subresources'))
    errors.push(...jsonPathErrors(scale, `${place('subresources')}.scale`));
  return errors;
}

/** Only fields of the schema can be selected by. Source: validation.go, ValidateCustomResourceSelectableFields. */
function checkSelectable({ selectableFields = [], schema }: Partial<DefinitionVersion>, at: string): FieldError[] {
  const root = schema?.openAPIV3Schema;
  const isField = (path: string): boolean => {
    let current = root;
    for (const name of path.replace(/^\./, '').split('.'))
      current =
        current?.properties !== undefined && Object.hasOwn(current.properties, name)
          ? current.properties[name]
          : undefined;
    return current !== undefined;
  };
  return selectableFields.flatMap(({ jsonPath = '' }: { readonly jsonPath?: string }, index) => {
    const path = `${at}[${index}].jsonPath`;
    if (jsonPath === '') return [required(path)];
    return isField(jsonPath) ? [] : [invalid(path, jsonPath, 'is an invalid path: does not refer to a valid field')];
  });
}

function checkColumn({ name = '', type = '', jsonPath = '' }: Partial<DefinitionColumn>, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${at}.name`));
  if (type === '') errors.push(required(`${at}.type`, `must be one of ${COLUMN_TYPES.join(',')}`));
  else if (!COLUMN_TYPES.includes(type)) {
    errors.push(invalid(`${at}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`));
  }
  if (jsonPath === '') errors.push(required(`${at}.jsonPath`));
  else if (!isJsonPath(jsonPath)) errors.push(invalid(`${at}.jsonPath`, jsonPath, 'is an invalid path'));
  return errors;
}

function checkChange({ spec }: Definition, stored: Definition): FieldError[] {
  const errors: FieldError[] = [];
  const isEstablished = stored.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (isEstablished === true && spec.scope !== stored.spec.scope) {
    errors.push(invalid('spec.scope', spec.scope, 'field is immutable'));
  }
  if (isEstablished === true && spec.names.kind !== stored.spec.names.kind) {
    errors.push(invalid('spec.names.kind', spec.names.kind, 'field is immutable'));
  }
  const names = new Set(spec.versions.map(({ name }) => name));
  for (const [index, version] of (stored.status?.storedVersions ?? []).entries()) {
    if (!names.has(version)) {
      errors.push(invalid(`status.storedVersions[${index}]`, version, storedVersionMissing(version)));
    }
  }
  return errors;
}

function storedVersionMissing(version: string): string {
  return (
    `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until ` +
    `a storage migration ensures no data remains persisted in ${version} and removes ${version} from ` +
    'status.storedVersions'
  );
}

/** True for a JSON path such as `.spec.items[0].name` or `.status.conditions[?(@.type=="Ready")].status`. */
function isJsonPath(text: string): boolean {
  return /^\.([\w-]|\\\.)+/.test(text) || text.startsWith('.') || text.startsWith('[');
}

/** The mistakes of the paths of the subresource scale. */
function jsonPathErrors(scale: ScalePaths, at: string): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...pathErrors(specReplicasPath, `${at}.specReplicasPath`, ['.spec']),
    ...pathErrors(statusReplicasPath, `${at}.statusReplicasPath`, ['.status']),
    ...(labelSelectorPath === undefined || labelSelectorPath === ''
      ? []
      : pathErrors(labelSelectorPath, `${at}.labelSelectorPath`, ['.spec', '.status'])),
  ];
}

function pathErrors(path: string | undefined, at: string, roots: readonly string[]): FieldError[] {
  if (path === undefined || path === '') return [required(at)];
  if (!FIELD_PATH.test(path)) return [invalid(at, path, 'should be a json path of fields')];
  if (roots.some((root) => path.startsWith(`${root}.`))) return [];
  return [invalid(at, path, `should be a json path under ${roots.join(' or ')}`)];
}
