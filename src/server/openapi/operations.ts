import type { JsonObject } from '../../api/index.ts';
import type { ServedResource } from '../../apiserver/index.ts';
import { operationId, tagOf, versionWords } from './operation-ids.ts';
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  FORCE,
  LIST_PARAMETERS,
  WRITE_PARAMETERS,
} from './parameters.ts';
import { PATCH_SCHEMA, schemaNameOf, schemaRef } from './schema-names.ts';

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const PATCH_TYPES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
const STRATEGIC = 'application/strategic-merge-patch+json';
const OPTIONS_SCHEMA = schemaNameOf('meta.DeleteOptions');
const STATUS_SCHEMA = schemaNameOf('meta.Status');
const EVENT_SCHEMA = schemaNameOf('meta.WatchEvent');

/** The schemas of a resource. */
export interface ResourceSchemas {
  readonly object: string;
  readonly list: string;
  /** By the name of the subresource. One without a schema has no path. */
  readonly subresources: ReadonlyMap<string, string>;
}

/** A method of a path. */
interface Operation {
  /** Kubernetes' name of the action. */
  readonly action: string;
  readonly id: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly types: readonly string[]; readonly schema: string };
  readonly response: string;
}

type Methods = Readonly<Record<string, Operation>>;

/** The path of a version: `/apis/apps/v1`. */
function versionPath({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The paths of a resource with their operations. */
export function pathsOf(resource: ServedResource, schemas: ResourceSchemas): Record<string, JsonObject> {
  const { plural, isNamespaced, verbs } = resource;
  const root = versionPath(resource);
  const inNamespace = isNamespaced ? '/namespaces/{namespace}' : '';
  const collection = `${root}${inNamespace}/${plural}`;
  const item = `${collection}/{name}`;
  const all: Record<string, Methods> = { [collection]: collectionMethods(resource, schemas) };
  if (isNamespaced && verbs.includes('list'))
    all[`${root}/${plural}`] = { get: listMethod(resource, schemas, { isEverywhere: true }) };
  if (verbs.includes('get')) all[item] = itemMethods(resource, schemas.object, '', verbs);
  for (const { name, verbs: own } of resource.subresources) {
    const schema = schemas.subresources.get(name);
    if (schema !== undefined) all[`${item}/${name}`] = itemMethods(resource, schema, name, own);
  }
  const hasWatches = verbs.includes('watch') && resource.custom?.isTyped !== false;
  if (hasWatches) {
    all[`${root}/watch${inNamespace}/${plural}`] = { get: watchMethod(resource, { after: 'List' }) };
    all[`${root}/watch${inNamespace}/${plural}/{name}`] = { get: watchMethod(resource, {}) };
    if (isNamespaced)
      all[`${root}/watch/${plural}`] = { get: watchMethod(resource, { after: 'List', isEverywhere: true }) };
  }
  const items = Object.entries(all).map(([path, methods]) => {
    const entries = Object.entries(methods).map(([method, one]) => [method, operationOf(resource, one)] as const);
    return [path, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(items);
}

/** The path of the resources of a version. */
export function discoveryPath(version: Pick<ServedResource, 'group' | 'version'>): Record<string, JsonObject> {
  const id = `get${versionWords(version)}APIResources`;
  return { [`${versionPath(version)}/`]: pageItem(id, tagOf(version), schemaNameOf('meta.APIResourceList')) };
}

/** A page that is read, with its schema. Undefined: a text. */
export function pageItem(id: string, tag: string, schema: string | undefined): JsonObject {
  const content =
    schema === undefined ? { 'application/json': { schema: { type: 'string' } } } : contentOf(OBJECT_TYPES, schema);
  return { get: { tags: [tag], operationId: id, responses: { 200: { description: 'OK', content } } } };
}

function collectionMethods(resource: ServedResource, schemas: ResourceSchemas): Methods {
  const { verbs } = resource;
  const object = schemas.object;
  return {
    ...(verbs.includes('list') && { get: listMethod(resource, schemas, {}) }),
    ...(verbs.includes('create') && {
      post: { ...writeMethod('post', object), id: operationId('create', resource) },
    }),
    ...(verbs.includes('deletecollection') && {
      delete: {
        ...deleteMethod('deletecollection', DELETE_COLLECTION_PARAMETERS),
        id: operationId('delete', resource, { before: 'Collection' }),
      },
    }),
  };
}

/** @param part the subresource, or empty */
function itemMethods(resource: ServedResource, schema: string, part: string, verbs: readonly string[]): Methods {
  const id = (verb: string): string => operationId(verb, resource, { after: part });
  const types = resource.custom === undefined ? [...PATCH_TYPES, STRATEGIC] : PATCH_TYPES;
  return {
    ...(verbs.includes('get') && { get: { action: 'get', id: id('read'), response: schema } }),
    ...(verbs.includes('update') && { put: { ...writeMethod('put', schema), id: id('replace') } }),
    ...(verbs.includes('create') && { post: { ...writeMethod('post', schema), id: id('create') } }),
    ...(verbs.includes('patch') && {
      patch: {
        ...writeMethod('patch', schema),
        id: id('patch'),
        parameters: [...WRITE_PARAMETERS, FORCE],
        body: { types, schema: PATCH_SCHEMA },
      },
    }),
    ...(verbs.includes('delete') && { delete: { ...deleteMethod('delete', DELETE_PARAMETERS), id: id('delete') } }),
  };
}

function listMethod(
  resource: ServedResource,
  { list }: ResourceSchemas,
  parts: Parameters<typeof operationId>[2],
): Operation {
  const id = operationId('list', resource, parts);
  return { action: 'list', id, parameters: LIST_PARAMETERS, response: list };
}

function watchMethod(resource: ServedResource, parts: NonNullable<Parameters<typeof operationId>[2]>): Operation {
  const action = parts.after === undefined ? 'watch' : 'watchlist';
  const id = operationId('watch', resource, parts);
  return { action, id, parameters: LIST_PARAMETERS, response: EVENT_SCHEMA };
}

function writeMethod(action: string, schema: string): Omit<Operation, 'id'> {
  return { action, parameters: WRITE_PARAMETERS, body: { types: OBJECT_TYPES, schema }, response: schema };
}

function deleteMethod(action: string, parameters: readonly JsonObject[]): Omit<Operation, 'id'> {
  const body = { types: OBJECT_TYPES, schema: OPTIONS_SCHEMA };
  return { action, parameters, body, response: STATUS_SCHEMA };
}

function operationOf(resource: ServedResource, { id, action, parameters, body, response }: Operation): JsonObject {
  const { group, version, kind } = resource;
  const required = action !== 'delete' && action !== 'deletecollection';
  return {
    tags: [tagOf(resource)],
    operationId: id,
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && {
      requestBody: { ...(required && { required }), content: contentOf(body.types, body.schema) },
    }),
    responses: { 200: { description: 'OK', content: contentOf(OBJECT_TYPES, response) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function contentOf(types: readonly string[], schemaName: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaRef(schemaName) }]));
}
