import type { JsonObject } from '../../api/index.ts';
import type { Descriptions } from '../../manifest/index.ts';
import { KUBERNETES_VERSION } from '../../version.ts';
import { apiVersionOf, knownTypeOfKind, type ServedResource } from '../../apiserver/index.ts';
import { discoveryPath, pathsOf, type ResourceSchemas } from './operations.ts';
import { schemaNameOf, schemaNameOfKind, schemaRef } from './schema-names.ts';
import { addPatchSchema, addTypeSchemas, describedAs, metadataSchema, type Schemas } from './type-schemas.ts';

const KINDS = 'x-kubernetes-group-version-kind';

/** The types that a document has for the verbs of its resources. */
const TYPES_OF_VERBS: Readonly<Record<string, readonly string[]>> = {
  delete: ['meta.DeleteOptions', 'meta.Status'],
  list: ['meta.ListMeta'],
  watch: ['meta.WatchEvent'],
};

/**
 * The OpenAPI document of a group and version: what kubectl needs to validate, to patch and to explain, and generators
 * to make a client.
 * @param resources the kinds of this version
 */
export function openapiOf(resources: readonly ServedResource[], descriptions: Descriptions): JsonObject {
  const schemas: Schemas = {};
  const [first] = resources;
  const isOwn = resources.some(({ custom }) => custom?.isTyped !== false);
  const verbs = new Set(resources.flatMap((resource) => resource.verbs));
  // Custom kinds have no paths of their own for watches.
  if (!isOwn) verbs.delete('watch');
  const types = Object.entries(TYPES_OF_VERBS).flatMap(([verb, some]) => (verbs.has(verb) ? some : []));
  for (const type of ['meta.ObjectMeta', ...types, ...(isOwn ? ['meta.APIResourceList'] : [])])
    addTypeSchemas(schemas, type, descriptions);
  if (verbs.has('patch')) addPatchSchema(schemas);
  const paths = resources.map((resource) => pathsOf(resource, addKind(schemas, resource, descriptions)));
  const root = first === undefined || !isOwn ? {} : discoveryPath(first);
  return documentOf(Object.assign(root, ...paths) as JsonObject, schemas);
}

/** A document with these paths and schemas. */
export function documentOf(paths: JsonObject, schemas: Schemas): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: KUBERNETES_VERSION },
    paths,
    components: { schemas },
  };
}

/** Adds the schemas of a kind, of its list and of its subresources. Returns their names. */
function addKind(schemas: Schemas, resource: ServedResource, descriptions: Descriptions): ResourceSchemas {
  const { group, version, kind, listKind, custom } = resource;
  const type = custom?.isTyped === false ? undefined : knownTypeOfKind(apiVersionOf(resource), kind);
  const name = type === undefined ? schemaNameOfKind(group, version, kind) : schemaNameOf(type);
  if (type !== undefined) addTypeSchemas(schemas, type, descriptions);
  const known = schemas[name] ?? schemaWithoutType(descriptions, custom?.schema);
  const selectable = (custom?.selectable ?? []).map((fieldPath) => ({ fieldPath }));
  schemas[name] = {
    ...known,
    [KINDS]: [{ group, version, kind }],
    ...(selectable.length > 0 && { 'x-kubernetes-selectable-fields': selectable }),
  };
  const list = `${name.slice(0, name.lastIndexOf('.') + 1)}${listKind}`;
  if (resource.verbs.includes('list')) schemas[list] = listSchema(name, resource, descriptions);
  return { object: name, list, subresources: addSubresources(schemas, resource, name, descriptions) };
}

function addSubresources(
  schemas: Schemas,
  resource: ServedResource,
  own: string,
  descriptions: Descriptions,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, kind, group = resource.group, version = resource.version } of resource.subresources) {
    if (kind === resource.kind) {
      names.set(name, own);
      continue;
    }
    const type = knownTypeOfKind(apiVersionOf({ group, version }), kind);
    if (type === undefined) continue;
    addTypeSchemas(schemas, type, descriptions);
    const schema = schemaNameOf(type);
    schemas[schema] = { ...schemas[schema], [KINDS]: [{ group, version, kind }] };
    names.set(name, schema);
  }
  return names;
}

function listSchema(
  item: string,
  { group, version, kind, listKind }: ServedResource,
  descriptions: Descriptions,
): JsonObject {
  return {
    description: `${listKind} is a list of ${kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeFields(descriptions),
      items: {
        description: `The items of the list.`,
        type: 'array',
        items: { default: {}, allOf: [schemaRef(item)] },
      },
      metadata: { description: 'The version of the list.', default: {}, allOf: [schemaRef(LIST_META)] },
    },
    [KINDS]: [{ group, version, kind: listKind }],
  };
}

const LIST_META = schemaNameOf('meta.ListMeta');

/** A kind whose descriptions stand for the fields of every kind. */
const ANY_KIND = 'ConfigMap';

/** The fields that say what an object is. */
function typeFields(descriptions: Descriptions): JsonObject {
  return { apiVersion: textField('apiVersion', descriptions), kind: textField('kind', descriptions) };
}

function textField(name: string, descriptions: Descriptions): JsonObject {
  return { ...describedAs(descriptions[ANY_KIND]?.fields[name]?.text), type: 'string' };
}

/** The schema of a custom kind, or of a kind that podrun stores without checks. */
function schemaWithoutType(
  descriptions: Descriptions,
  schema: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
): JsonObject {
  const metadata = metadataSchema(descriptions[ANY_KIND]?.fields['metadata']?.text);
  const common = { ...typeFields(descriptions), metadata };
  return { ...schema, properties: { ...(schema['properties'] as JsonObject | undefined), ...common } };
}
