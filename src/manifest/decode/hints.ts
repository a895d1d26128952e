/** Hints for wrong values: short phrases that follow an error message. */
import { goQuote } from '../../api/index.ts';
import type { SourceNode } from '../read/source-node.ts';

/** Lists that contain the words of a command. */
const COMMAND_FIELDS: ReadonlySet<string> = new Set(['command', 'args']);

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** A hint where a string is required. */
export function stringHint(node: SourceNode): string | undefined {
  if (node.kind === 'scalar') return `quote it: ${goQuote(node.text)}`;
  return node.kind === 'map' ? 'quote the text, ": " starts a map' : undefined;
}

/** A hint where a list is required. */
export function listHint(node: SourceNode, path: string): string | undefined {
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (node.kind === 'map') return 'begin each item with "- "';
  if (node.kind === 'list' || typeof node.value !== 'string') return undefined;
  const words = COMMAND_FIELDS.has(field) ? node.value.trim().split(/\s+/) : [node.value];
  return `use a list: [${words.map(goQuote).join(', ')}]`;
}

/** A hint where a number is required. */
export function integerHint(node: SourceNode, path: string): string | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  if (/^0o?[0-7]+$|^[-+]?\d+$/.test(node.value)) return `write ${node.value} without quotes`;
  const duration = /^(\d+)(ms|s|m|h)$/.exec(node.value);
  if (duration === null || !path.endsWith('Seconds')) return undefined;
  const seconds = Number(duration[1]) * (SECONDS[duration[2] ?? ''] ?? 1);
  return `give seconds as a number${Number.isInteger(seconds) ? `: ${seconds}` : ''}`;
}

/** A hint where a boolean is required. */
export function booleanHint(node: SourceNode): string | undefined {
  const isWord = node.kind === 'scalar' && /^(?:true|false)$/i.test(String(node.value));
  return isWord ? `write ${String(node.value).toLowerCase()} without quotes` : undefined;
}

const DECIMAL_UNITS: Readonly<Record<string, string>> = { K: 'k or Ki', KB: 'k or Ki', MB: 'M or Mi', GB: 'G or Gi' };

/** A hint where a quantity is required. */
export function quantityHint(text: string): string | undefined {
  const match = /^([-+]?[0-9.]+)(\s*)([A-Za-z]*)$/.exec(text.trim());
  if (match === null) return undefined;
  const [, number = '', blank, unit = ''] = match;
  const better = DECIMAL_UNITS[unit.toUpperCase()];
  if (better !== undefined) return `the unit is ${better}`;
  return blank === '' ? undefined : `write ${number}${unit}`;
}
