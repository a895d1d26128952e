import type { JsonObject } from '../../api/index.ts';
import type { ServedResource } from '../../apiserver/index.ts';
import { PATCH_SCHEMA, schemaRef } from './schema-names.ts';

const text = (name: string, description: string): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', uniqueItems: true },
});

const WRITE_PARAMETERS: readonly JsonObject[] = [
  text('dryRun', 'All: nothing is stored.'),
  text('fieldManager', 'The name of the one who makes the change.'),
  text('fieldValidation', 'Ignore, Warn or Strict: what happens to unknown and duplicate fields.'),
];
const FORCE: JsonObject = { ...text('force', 'Takes fields from other managers.'), schema: { type: 'boolean' } };

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const PATCH_TYPES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
const STRATEGIC = 'application/strategic-merge-patch+json';

/** Kubernetes' name of the action of a method. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  item: { get: 'get', put: 'put', patch: 'patch', delete: 'delete' },
  collection: { get: 'list', post: 'post', delete: 'deletecollection' },
};
const VERBS: Readonly<Record<string, string>> = { put: 'update', post: 'create' };

/** The paths of a resource with their operations, as far as clients look at them. */
export function pathsOf(resource: ServedResource, schemaName: string): Record<string, JsonObject> {
  const { group, version, plural, isNamespaced } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = `${root}${isNamespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const item = `${collection}/{name}`;
  const paths: Record<string, JsonObject> = {
    [collection]: operationsOf(resource, schemaName, 'collection'),
    ...(resource.verbs.includes('get') ? { [item]: operationsOf(resource, schemaName, 'item') } : {}),
  };
  for (const { name, verbs } of resource.subresources.filter(({ kind }) => kind === resource.kind)) {
    paths[`${item}/${name}`] = operationsOf({ ...resource, verbs }, schemaName, 'item');
  }
  return paths;
}

function operationsOf(resource: ServedResource, schemaName: string, at: 'item' | 'collection'): JsonObject {
  const { verbs, group, version, kind } = resource;
  const methods = Object.entries(ACTIONS[at] ?? {}).filter(([method, action]) => {
    return verbs.includes(VERBS[method] ?? action);
  });
  const operation = (method: string, action: string): JsonObject => ({
    tags: [`${group === '' ? 'core' : group.split('.')[0]}_${version}`],
    ...(method === 'get' || method === 'delete' ? {} : bodyOf(method, schemaName, resource)),
    responses: { 200: { description: 'OK', content: contentOf(OBJECT_TYPES, schemaName) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  return Object.fromEntries(methods.map(([method, action]) => [method, operation(method, action)]));
}

function bodyOf(method: string, schemaName: string, { custom }: ServedResource): JsonObject {
  const types = custom === undefined ? [...PATCH_TYPES, STRATEGIC] : PATCH_TYPES;
  return method === 'patch'
    ? {
        parameters: [...WRITE_PARAMETERS, FORCE],
        requestBody: { required: true, content: contentOf(types, PATCH_SCHEMA) },
      }
    : { parameters: WRITE_PARAMETERS, requestBody: { required: true, content: contentOf(OBJECT_TYPES, schemaName) } };
}

function contentOf(types: readonly string[], schemaName: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaRef(schemaName) }]));
}
