import type { ASTNode } from '@marcbachmann/cel-js';
import { CONSTRUCTOR } from './constructions.ts';
import { STRUCT_COST } from './costs.ts';
import type { Estimate, CelVariables, Visitor } from './estimate.ts';
import { DYN, fits, STRING, type CelType } from './types.ts';

type Call = ASTNode & { readonly op: 'call' | 'rcall' };

const PATCH_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

/**
 * Type and cost of a constructed object. Undefined: the call is none.
 * Source: apiserver/pkg/cel/mutation/typeresolver.go and jsonpatch.go.
 */
export function constructionEstimate(visitor: Visitor, node: Call, scope: CelVariables): Estimate | undefined {
  if (node.op !== 'call' || node.args[0] !== CONSTRUCTOR) return undefined;
  const [type, map] = node.args[1];
  if (type?.op !== 'value' || map?.op !== 'map') return undefined;
  const name = String(type.args);
  const isPatch = name === 'JSONPatch';
  if (!isPatch && name !== 'Object' && !name.startsWith('Object.'))
    return visitor.fail(node, `undeclared reference to '${name}' (in container '')`);
  let cost = STRUCT_COST;
  for (const [key, value] of map.args) {
    const given = visitor.visit(value, scope);
    cost += given.cost;
    const field = key.op === 'value' ? String(key.args) : '';
    const isOptional = field.startsWith('?');
    const wanted = isPatch ? PATCH_FIELDS.get(isOptional ? field.slice(1) : field) : DYN;
    if (wanted === undefined) visitor.fail(key, `undefined field '${field}'`);
    else if (!isOptional && !fits(wanted, given.type, new Map()))
      visitor.fail(
        value,
        `expected type of field '${field}' is '${wanted.name}' but provided type is '${given.type.name}'`,
      );
  }
  return { type: { kind: 'object', name, ...(isPatch && { fields: PATCH_FIELDS }) }, cost };
}
