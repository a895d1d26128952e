import type { ExplainedField } from '../api/explained-field.ts';

export interface ExplainedResource {
  readonly kind: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** Undefined: the resource as a whole. */
  readonly field: ExplainedField | undefined;
  readonly below: readonly ExplainedField[];
}

/**
 * What `kubectl explain` prints of a field, apart from the descriptions: in their place stands how podrun treats it.
 * Source: staging/src/k8s.io/kubectl/pkg/explain/v2/templates/plaintext.tmpl.
 * @param recursive with the fields of the fields
 */
export function renderExplained(resource: ExplainedResource, recursive: boolean): string {
  const { kind, apiVersion, field, below } = resource;
  const depth = depthOf(field?.path ?? '');
  const shown = below.filter(({ path }) => recursive || depthOf(path) === depth + 1);
  const first = depthOf(shown[0]?.path ?? '');
  const fields = shown.map(({ path, type }) => {
    return `${'  '.repeat(depthOf(path) - first + 1)}${lastName(path)}\t<${type}>\n`;
  });
  return [
    `KIND:       ${kind}\nVERSION:    ${apiVersion}\n`,
    ...(field === undefined ? [] : [`FIELD: ${lastName(field.path)} <${field.type}>\n`]),
    ...(field?.support === undefined ? [] : [`SUPPORT:\n    ${supportOf(field)}\n`]),
    ...(fields.length === 0 ? [] : [`FIELDS:\n${fields.join('')}`]),
  ].join('\n');
}

/** Few paths are longer; those that are push the rest of their line aside. */
const PATH_WIDTH_MAX = 64;

/** One row for each field: how podrun treats it. */
export function renderSupport(fields: readonly ExplainedField[], { headers }: { readonly headers: boolean }): string {
  const rows = fields.map(({ path, support = '', note }) => [path, support, note] as const);
  const all = [...(headers ? [['FIELD', 'SUPPORT', 'NOTE'] as const] : []), ...rows];
  const pathWidth = Math.min(PATH_WIDTH_MAX, Math.max(...all.map(([path]) => path.length)));
  const supportWidth = Math.max(...all.map(([, support]) => support.length));
  return all
    .map(([path, support, note]) => `${path.padEnd(pathWidth)}   ${support.padEnd(supportWidth)}   ${note}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function supportOf({ support = '', note }: ExplainedField): string {
  return note === '' ? support : `${support}: ${note}`;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** How many names a path has: 1 for a resource. */
function depthOf(path: string): number {
  return path === '' ? 1 : path.split('.').length;
}
