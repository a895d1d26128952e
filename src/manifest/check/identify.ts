import { goQuote } from '../../api/index.ts';
import { type FieldError, required } from '../base/field-error.ts';
import { isCustomKind, isListKind, isUnservedVersion, lookUpKind } from './kinds.ts';
import { entryValue, type MapNode, nodeTypeName, type ScalarNode, type SourceNode } from '../read/source-node.ts';

/** The identity of an object in a manifest. Missing fields are empty. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly generateName: string;
}

/** An object of a kind that podrun supports. */
export interface KnownObject {
  readonly verdict: 'known';
  readonly identity: ObjectIdentity;
  readonly kind: KnownKind;
  /** The object as written. */
  readonly root: MapNode;
}

/** One object of a document, before it is decoded. */
export type Identified =
  | KnownObject
  | { readonly verdict: 'unsupported'; readonly identity: ObjectIdentity; readonly root: MapNode }
  /** An object of a kind that only a CustomResourceDefinition, or another API server, can define. */
  | {
      readonly verdict: 'custom';
      readonly identity: ObjectIdentity;
      readonly root: MapNode;
      readonly problem: IdentityProblem;
    }
  | { readonly verdict: 'wrong'; readonly identity: ObjectIdentity; readonly problems: readonly IdentityProblem[] };

export interface KnownKind {
  /** The name of its type in the field table. */
  readonly typeName: string;
  readonly namespaced: boolean;
}

export interface IdentityProblem {
  readonly error: FieldError;
  /** Index into the text of the document. */
  readonly offset: number;
}

/** The identity of text that cannot be read. */
export const NO_IDENTITY: ObjectIdentity = { apiVersion: '', kind: '', name: '', namespace: '', generateName: '' };

/** Finds the objects of a document: itself, or the items of a list, nested lists included. Empty document: none. */
export function identify(root: SourceNode): Identified[] {
  return nodeTypeName(root) === 'null' ? [] : identifyAt(root, '', '');
}

/**
 * Identifies an object, or the items of a list.
 * @param path its path in the document: empty, or `items[0]`
 * @param inherited kind of the items of a typed list such as PodList, which need not repeat the kind
 */
function identifyAt(node: SourceNode, path: string, inherited: string): Identified[] {
  if (node.kind !== 'map') {
    const detail = `expected an object, got a ${nodeTypeName(node)}`;
    const problem: IdentityProblem = { error: { path, type: 'Invalid type', detail }, offset: node.offset };
    return [{ verdict: 'wrong', identity: NO_IDENTITY, problems: [problem] }];
  }
  const identity = identityOf(node, inherited);
  const problems = [...nameProblems(node, identity, 'apiVersion', path), ...nameProblems(node, identity, 'kind', path)];
  if (problems.length > 0) return [{ verdict: 'wrong', identity, problems }];
  const { apiVersion, kind } = identity;
  if (isListKind(apiVersion, kind)) return identifyItems(node, path, identity);
  const entry = lookUpKind(apiVersion, kind);
  if (entry.verdict === 'known') return [{ verdict: 'known', identity, root: node, kind: entry }];
  if (entry.verdict === 'unsupported') return [{ verdict: 'unsupported', identity, root: node }];
  const detail = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
  const error: FieldError = { path: '', type: 'No match', detail };
  const withHint = entry.hint === undefined ? error : { ...error, hint: entry.hint };
  const offset = (entryValue(node, 'kind') ?? node).offset;
  const problem: IdentityProblem = { error: withHint, offset };
  if (isCustomKind(apiVersion, kind)) return [{ verdict: 'custom', identity, root: node, problem }];
  return [{ verdict: 'wrong', identity, problems: [problem] }];
}

function identifyItems(list: MapNode, path: string, identity: ObjectIdentity): Identified[] {
  const items = entryValue(list, 'items');
  const itemsPath = path === '' ? 'items' : `${path}.items`;
  if (items === undefined || nodeTypeName(items) === 'null') return [];
  if (items.kind !== 'list') {
    const detail = `expected list, got ${nodeTypeName(items)}`;
    const error: FieldError = { path: itemsPath, type: 'Invalid type', detail };
    return [{ verdict: 'wrong', identity, problems: [{ error, offset: items.offset }] }];
  }
  const itemKind = identity.kind.slice(0, -'List'.length);
  const inherited = itemKind === '' ? '' : `${identity.apiVersion} ${itemKind}`;
  return items.items.flatMap((item, index) => identifyAt(item, `${itemsPath}[${index}]`, inherited));
}

function identityOf(node: MapNode, inherited: string): ObjectIdentity {
  const metadata = entryValue(node, 'metadata');
  const fromMetadata = (field: string): string => (metadata?.kind === 'map' ? textAt(metadata, field) : '');
  const [inheritedVersion = '', inheritedKind = ''] = inherited.split(' ');
  const kind = textAt(node, 'kind');
  return {
    apiVersion: textAt(node, 'apiVersion') || (kind === '' ? inheritedVersion : ''),
    kind: kind || inheritedKind,
    name: fromMetadata('name'),
    namespace: fromMetadata('namespace'),
    generateName: fromMetadata('generateName'),
  };
}

function nameProblems(
  node: MapNode,
  identity: ObjectIdentity,
  field: 'apiVersion' | 'kind',
  path: string,
): IdentityProblem[] {
  const value = entryValue(node, field);
  const fieldPath = path === '' ? field : `${path}.${field}`;
  if (value !== undefined && !isTextOrNull(value)) {
    const error: FieldError = { path: fieldPath, type: 'Invalid type', detail: `${field} isn't string type` };
    return [{ error, offset: value.offset }];
  }
  if (identity[field] !== '') return [];
  return [{ error: required(fieldPath, `${field} not set`), offset: (value ?? node).offset }];
}

function isTextOrNull(node: SourceNode): node is ScalarNode {
  return node.kind === 'scalar' && (node.value === null || typeof node.value === 'string');
}

function textAt(node: MapNode, field: string): string {
  const value = entryValue(node, field);
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : '';
}

/** The warning about an object of a kind that nothing defines, which is left out, with the version to write instead. */
export function undefinedKindText({ apiVersion, kind }: Pick<ObjectIdentity, 'apiVersion' | 'kind'>): string {
  const what = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
  if (!isUnservedVersion(apiVersion)) return `${what}: no CustomResourceDefinition defines it, ignored`;
  const entry = lookUpKind(apiVersion, kind);
  const hint = entry.verdict === 'unknown' && entry.hint !== undefined ? ` - ${entry.hint}` : '';
  return `${what}: Kubernetes v1.36 does not serve it, ignored${hint}`;
}
