import { type JsonObject, typeOfKind } from '../../api/index.ts';
import type { Descriptions } from '../../manifest/index.ts';
import { KUBERNETES_VERSION } from '../../version.ts';
import { apiVersionOf, type ServedResource } from '../../apiserver/index.ts';
import { pathsOf } from './operations.ts';
import { schemaNameOf, schemaNameOfKind } from './schema-names.ts';
import { addCommonSchemas, addTypeSchemas, metadataSchema, type Schemas } from './type-schemas.ts';

/**
 * The OpenAPI document of a group and version: what kubectl needs to validate, to patch and to explain.
 * @param resources the kinds of this version
 */
export function openapiOf(resources: readonly ServedResource[], descriptions: Descriptions): JsonObject {
  const schemas: Schemas = {};
  addCommonSchemas(schemas, descriptions);
  const paths = resources.map((resource) => pathsOf(resource, addKind(schemas, resource, descriptions)));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: KUBERNETES_VERSION },
    paths: Object.assign({}, ...paths) as JsonObject,
    components: { schemas },
  };
}

/** Adds the schema of a kind. Returns its name. */
function addKind(schemas: Schemas, resource: ServedResource, descriptions: Descriptions): string {
  const { group, version, kind, custom } = resource;
  const type = custom === undefined ? typeOfKind(apiVersionOf(resource), kind) : undefined;
  const name = type === undefined ? schemaNameOfKind(group, version, kind) : schemaNameOf(type);
  if (type !== undefined) addTypeSchemas(schemas, type, descriptions);
  const known = schemas[name] ?? schemaWithoutType(custom?.schema);
  const kinds = { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
  const selectable = (custom?.selectable ?? []).map((fieldPath) => ({ fieldPath }));
  schemas[name] = {
    ...known,
    ...kinds,
    ...(selectable.length > 0 && { 'x-kubernetes-selectable-fields': selectable }),
  };
  return name;
}

/** The schema of a custom kind, or of a kind that podrun stores without checks. */
function schemaWithoutType(
  schema: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
): JsonObject {
  const common = {
    apiVersion: { description: 'The version of the schema of this object.', type: 'string' },
    kind: { description: 'The kind of this object.', type: 'string' },
    metadata: metadataSchema(),
  };
  return { ...schema, properties: { ...(schema['properties'] as JsonObject | undefined), ...common } };
}
