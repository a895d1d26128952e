import { labelValueMessages, qualifiedNameMessages, type Taint } from '../../api/index.ts';
import type { ConfigNode } from './config-node.ts';

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** Reads a label and its value. @throws {PodrunError} for a wrong key or value */
export function readLabel(key: string, value: ConfigNode): [string, string] {
  const text = value.text();
  const [keyProblem] = qualifiedNameMessages(key);
  if (keyProblem !== undefined) value.failAtKey(keyProblem);
  const [problem] = labelValueMessages(text);
  if (problem !== undefined) value.fail(problem);
  return [key, text];
}

/** Undefined: the text is not a whole number above 0. */
export function readCount(node: ConfigNode): number | undefined {
  const text = node.text();
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  return count > 0 && Number.isSafeInteger(count) ? count : undefined;
}

/** Reads a taint as `kubectl taint` does: KEY=VALUE:EFFECT or KEY:EFFECT. @throws {PodrunError} for another text */
export function readTaint(text: string, list: ConfigNode): Taint {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  const known = TAINT_EFFECTS.find((taintEffect) => taintEffect === effect);
  if (known === undefined) {
    const effects = TAINT_EFFECTS.join(', ');
    return list.fail(`${JSON.stringify(text)} is not KEY=VALUE:EFFECT or KEY:EFFECT, with one of ${effects}`);
  }
  const [problem] = [...qualifiedNameMessages(key), ...labelValueMessages(value ?? '')];
  if (problem !== undefined) list.fail(`${JSON.stringify(text)}: ${problem}`);
  return { key, ...(value === undefined ? {} : { value }), effect: known };
}
