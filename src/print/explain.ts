import type { Descriptions, ExplainedField, FieldDescription } from '../manifest/index.ts';
import { wordWrap } from './text/excerpt.ts';

export interface ExplainedResource {
  readonly kind: string;
  /** For example `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The type of the value in the field table: it has the fields in `below`. */
  readonly typeName: string;
  /** Undefined for the resource as a whole. */
  readonly field: ExplainedField | undefined;
  readonly below: readonly ExplainedField[];
}

/** The width of descriptions, without their indent, as in kubectl. */
const TEXT_WIDTH = 76;

/** The number of enum values in a list of fields. */
const VALUES_SHOWN = 4;

/**
 * The output of `kubectl explain` for a field, with podrun's treatment of the field.
 * Source: staging/src/k8s.io/kubectl/pkg/explain/v2/templates/plaintext.tmpl.
 * @param recursive true to list nested fields without descriptions
 */
export function renderExplained(
  resource: ExplainedResource,
  { recursive, descriptions }: { readonly recursive: boolean; readonly descriptions: Descriptions },
): string {
  const { kind, apiVersion, field, below } = resource;
  const depth = depthOf(field?.path ?? '');
  const listed = below.filter(({ path }) => recursive || depthOf(path) === depth + 1);
  const group = apiVersion.includes('/') ? `GROUP:      ${apiVersion.slice(0, apiVersion.indexOf('/'))}\n` : '';
  const fields = listed.map((each) => fieldLines(each, depthOf(each.path) - depth, recursive, descriptions));
  return [
    `${group}KIND:       ${kind}\nVERSION:    ${apiVersion.slice(apiVersion.indexOf('/') + 1)}\n\n`,
    ...(field === undefined ? [] : [headOf(field, descriptionOf(field, descriptions))]),
    `DESCRIPTION:\n${indented(wordWrap(textOf(resource, descriptions), TEXT_WIDTH), 4)}\n`,
    ...(fields.length === 0 ? [] : [`FIELDS:\n${fields.join('')}`]),
    '\n',
  ].join('');
}

function headOf(field: ExplainedField, description: FieldDescription | undefined): string {
  const values = (description?.values ?? []).map((value) => `\n    ${shownValue(value)}`);
  const closed = values.length === 0 ? '' : `ENUM:${values.join('')}`;
  const support =
    field.support === undefined ? '' : `SUPPORT:\n${indented(wordWrap(supportOf(field), TEXT_WIDTH), 4)}\n\n`;
  return `FIELD: ${lastName(field.path)} <${field.type}>\n${closed}\n\n${support}`;
}

/** The description of the field, followed by the description of its type. */
function textOf({ field, typeName }: ExplainedResource, descriptions: Descriptions): string {
  const texts = [
    field === undefined ? undefined : descriptionOf(field, descriptions)?.text,
    descriptions[typeName]?.text,
  ].flatMap((text) => (text === undefined || text === '' ? [] : [`${text}\n`]));
  return texts.length === 0 ? '<empty>' : texts.join('');
}

function fieldLines(field: ExplainedField, level: number, recursive: boolean, descriptions: Descriptions): string {
  const description = descriptionOf(field, descriptions);
  const indent = '  '.repeat(level);
  const values = description?.values?.slice(0, VALUES_SHOWN).map(shownValue).join(', ');
  const more = (description?.values?.length ?? 0) > VALUES_SHOWN ? ', ....' : '';
  const line = [
    `${indent}${lastName(field.path)}\t<${field.type}>${description?.required ? ' -required-' : ''}\n`,
    values === undefined ? '' : `${indent}enum: ${values}${more}\n`,
  ].join('');
  if (recursive) return line;
  const text = description?.text || '<no description>';
  return `${line}${indented(wordWrap(text, TEXT_WIDTH), 4)}\n\n`;
}

function descriptionOf({ owner, path }: ExplainedField, descriptions: Descriptions): FieldDescription | undefined {
  return descriptions[owner]?.fields[lastName(path)];
}

function shownValue(value: string): string {
  return value === '' ? '""' : value;
}

function indented(text: string, columns: number): string {
  const indent = ' '.repeat(columns);
  return indent + text.replaceAll('\n', `\n${indent}`);
}

/** The width of the path column. A longer path moves the rest of its line to the right. */
const PATH_WIDTH_MAX = 64;

/** One row for each field, with podrun's treatment of it. */
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

/** The number of names in a path: 1 for a resource. */
function depthOf(path: string): number {
  return path === '' ? 1 : path.split('.').length;
}
