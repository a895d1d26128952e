import { isJsonObject, type JsonObject } from '../../api/index.ts';
import { KUBERNETES_VERSION } from '../../version.ts';

/** The forms of alternatives that version 2 does not have. */
const ALTERNATIVES = new Set(['oneOf', 'anyOf', 'not', 'nullable']);
const KEEPS_UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
const KINDS = 'x-kubernetes-group-version-kind';

/**
 * OpenAPI v2 of the whole server, made of its documents of v3. Source: kube-openapi, pkg/schemaconv; of custom kinds,
 * apiextensions, pkg/controller/openapi/v2/conversion.go.
 */
export function versionTwoOf(documents: readonly JsonObject[]): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  const paths: Record<string, JsonObject> = {};
  for (const { components, paths: some } of documents) {
    const { schemas } = components as { schemas: Readonly<Record<string, JsonObject>> };
    for (const [name, schema] of Object.entries(schemas)) definitions[name] ??= definitionOf(schema);
    for (const [path, item] of Object.entries(some as Readonly<Record<string, JsonObject>>))
      paths[path] = pathItem(path, item);
  }
  return { swagger: '2.0', info: { title: 'Kubernetes', version: KUBERNETES_VERSION }, paths, definitions };
}

/** kubectl would refuse the fields of a kind that keeps unknown ones, so that its definition has no fields at all. */
function definitionOf(schema: JsonObject): JsonObject {
  if (schema[KEEPS_UNKNOWN] === true) return { type: 'object', [KINDS]: schema[KINDS] };
  return schemaOf(schema);
}

function schemaOf(schema: JsonObject): JsonObject {
  const { allOf, ...own } = schema;
  const [first, ...more] = Array.isArray(allOf) ? (allOf as readonly JsonObject[]) : [];
  if (typeof first?.['$ref'] === 'string' && more.length === 0) {
    const { default: _, ...about } = own;
    return { ...about, $ref: first['$ref'].replace('#/components/schemas/', '#/definitions/') };
  }
  const isNullable = own['nullable'] === true;
  const isOpen = isNullable || own[KEEPS_UNKNOWN] === true;
  const entries = Object.entries(own).flatMap(([name, value]): [string, unknown][] => {
    if (ALTERNATIVES.has(name) || (isNullable && name === 'type')) return [];
    if (isOpen && (name === 'items' || name === 'properties')) return [];
    return [[name, partOf(name, value, own)]];
  });
  // A quantity, or a number or a text.
  const type = own['oneOf'] !== undefined && own['type'] === undefined && { type: 'string' };
  return { ...Object.fromEntries(entries), ...type };
}

function partOf(name: string, value: unknown, schema: JsonObject): unknown {
  switch (name) {
    case 'items':
    case 'additionalProperties':
      return isJsonObject(value) ? schemaOf(value) : value;
    case 'properties': {
      const fields = Object.entries(value as Readonly<Record<string, JsonObject>>);
      return Object.fromEntries(fields.map(([field, one]) => [field, schemaOf(one)]));
    }
    case 'required': {
      const { properties = {} } = schema as { properties?: Readonly<Record<string, JsonObject>> };
      return (value as readonly string[]).filter((field) => properties[field]?.['nullable'] !== true);
    }
    default:
      return value;
  }
}

function pathItem(path: string, operations: JsonObject): JsonObject {
  const parameters = ['name', 'namespace']
    .filter((name) => path.includes(`{${name}}`))
    .map((name) => ({ name, in: 'path', description: `The ${name} of the object.`, required: true, type: 'string' }));
  // Other API servers write parameters beside the operations.
  const entries = Object.entries(operations).flatMap(([method, one]): [string, JsonObject][] =>
    isJsonObject(one) ? [[method, operationOf(one)]] : [],
  );
  return { ...Object.fromEntries(entries), ...(parameters.length > 0 && { parameters }) };
}

type Content = Readonly<Record<string, { readonly schema: JsonObject }>>;

function operationOf({ parameters, requestBody, responses, ...about }: JsonObject): JsonObject {
  const { content } = (requestBody ?? {}) as { content?: Content };
  const [body] = Object.values(content ?? {});
  const all = [
    ...(body === undefined ? [] : [{ name: 'body', in: 'body', required: true, schema: referenceOf(body.schema) }]),
    ...((parameters ?? []) as readonly JsonObject[]).map(({ schema, ...parameter }) => ({
      ...parameter,
      ...(schema as JsonObject),
    })),
  ];
  const answers = responses as Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  const [answer] = Object.values(answers);
  return {
    ...about,
    ...(content !== undefined && { consumes: Object.keys(content) }),
    produces: Object.keys(answer?.content ?? {}),
    ...(all.length > 0 && { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([code, { description, content: contents }]) => {
        const [one] = Object.values(contents ?? {});
        return [code, { description, ...(one !== undefined && { schema: referenceOf(one.schema) }) }];
      }),
    ),
  };
}

function referenceOf(schema: JsonObject): JsonObject {
  return schemaOf({ allOf: [schema] });
}
