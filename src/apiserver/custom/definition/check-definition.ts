import { isSameJson, labelMessages, subdomainMessages } from '../../../api/index.ts';
import { type FieldError, invalid, notSupported, required } from '../../../manifest/index.ts';
import { checkConversion } from './check-conversion.ts';
import { checkSchema } from './check-schema.ts';
import type {
  Definition,
  DefinitionColumn,
  DefinitionNames,
  DefinitionSpec,
  DefinitionVersion,
  ScalePaths,
} from './definition.ts';

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
  return stored === undefined ? errors : [...errors, ...checkChange(definition, stored)];
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

function checkNames(names: Partial<DefinitionNames>): FieldError[] {
  const at = 'spec.names';
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const label = (path: string, value: string): FieldError[] =>
    labelMessages(value).map((message) => invalid(path, value, message));
  const errors: FieldError[] = [];
  errors.push(...(plural === '' ? [required(`${at}.plural`)] : label(`${at}.plural`, plural)));
  if (kind === '') errors.push(required(`${at}.kind`));
  else errors.push(...label(`${at}.kind`, kind.toLowerCase()));
  if (singular !== '') errors.push(...label(`${at}.singular`, singular));
  if (listKind !== '') errors.push(...label(`${at}.listKind`, listKind.toLowerCase()));
  if (listKind === kind && kind !== '') {
    errors.push(invalid(`${at}.listKind`, listKind, 'kind and listKind may not be the same'));
  }
  errors.push(...shortNames.flatMap((name, index) => label(`${at}.shortNames[${index}]`, name)));
  return [...errors, ...categories.flatMap((name, index) => label(`${at}.categories[${index}]`, name))];
}

function checkVersions(versions: readonly DefinitionVersion[], stored: readonly DefinitionVersion[]): FieldError[] {
  const errors = [
    ...checkSchemas(versions, stored),
    ...versions.flatMap((version, index) => checkVersion(version, `spec.versions[${index}]`)),
  ];
  const names = versions.map(({ name }) => name);
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', names, 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalid('spec.versions', names, 'must have exactly one version marked as storage version'));
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
    return root === undefined ? [required(path, 'schemas are required')] : checkSchema(root, path, isStored(schema));
  };
  const [first, ...more] = versions;
  if (first === undefined) return [];
  const isOne = first.schema !== undefined && more.every(({ schema }) => isSameJson(schema, first.schema));
  return isOne
    ? check(first, 'spec.validation')
    : versions.flatMap((version, index) => check(version, `spec.versions[${index}].schema`));
}

function checkVersion(version: Partial<DefinitionVersion>, at: string): FieldError[] {
  const { name = '', subresources, additionalPrinterColumns = [], deprecated, deprecationWarning } = version;
  const errors =
    name === '' ? [required(`${at}.name`)] : labelMessages(name).map((text) => invalid(`${at}.name`, name, text));
  if (deprecationWarning !== undefined && deprecated !== true) {
    errors.push(invalid(`${at}.deprecationWarning`, deprecationWarning, 'can only be set for deprecated versions'));
  }
  const scale = subresources?.scale;
  if (scale !== undefined) errors.push(...jsonPathErrors(scale, `${at}.subresources.scale`));
  const columns = additionalPrinterColumns.map(
    (column, index) => [column, `${at}.additionalPrinterColumns[${index}]`] as const,
  );
  return [...errors, ...columns.flatMap(([column, path]) => checkColumn(column, path))];
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
