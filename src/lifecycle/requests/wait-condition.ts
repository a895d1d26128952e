import {
  inWholeSeconds,
  type JsonPath,
  type KubeObject,
  parseJsonPath,
  plainText,
  PodrunError,
  usage,
} from '../../api/index.ts';
import { parseGoal, type WantedState } from './goal.ts';

export type WaitCondition =
  | { readonly type: 'delete' }
  | { readonly type: 'create' }
  | {
      readonly type: 'state';
      /** True when the object meets the condition. Throws a PodrunError when the condition makes no sense for it. */
      readonly isMet: (object: KubeObject) => boolean;
      /** The condition as a Pod state, if only the kubelet decides about it. */
      readonly wanted: WantedState | undefined;
      /** The condition as the user wrote it: `Ready`, `Ready=False`, `{.status.phase}=Running`. */
      readonly text: string;
      /** The condition for people: `condition Ready=False`, `{.status.phase}=Running`. */
      readonly phrase: string;
    };

interface StatusCondition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
}

/**
 * Parses the value of `--for`: `delete`, `create`, `condition=NAME[=STATUS]`, `jsonpath=PATH[=VALUE]`. Source:
 * kubectl/pkg/cmd/wait.
 * @throws {PodrunError} (usage)
 */
export function parseWaitCondition(text: string): WaitCondition {
  const name = text.toLowerCase();
  if (name === 'delete' || name === 'create') return { type: name };
  const [, kind = '', rest = ''] = /^(condition|jsonpath)=(.+)$/is.exec(text) ?? [];
  if (kind.toLowerCase() === 'condition') {
    return {
      type: 'state',
      isMet: statusCondition(rest),
      wanted: wantedCondition(rest),
      text: rest,
      phrase: `condition ${rest}`,
    };
  }
  if (kind.toLowerCase() === 'jsonpath') {
    return { type: 'state', isMet: pathCondition(rest), wanted: wantedPhase(rest), text: rest, phrase: rest };
  }
  throw usage(
    `unrecognized condition: ${JSON.stringify(text)}`,
    "--for takes condition=Ready, delete, create or jsonpath='{.status.phase}'=Running.",
  );
}

/**
 * True when the condition has this status. A condition of an older generation does not count. Upper and lower case are
 * the same.
 */
function statusCondition(text: string): (object: KubeObject) => boolean {
  const [, name = '', value = 'true'] = /^([^=]*)(?:=(.*))?$/s.exec(text.toLowerCase()) ?? [];
  return (object) => {
    const status = object['status'] as { conditions?: StatusCondition[]; observedGeneration?: number } | undefined;
    const condition = status?.conditions?.find(({ type }) => type?.toLowerCase() === name);
    if (condition === undefined) return false;
    const observed = condition.observedGeneration ?? status?.observedGeneration;
    if (observed !== undefined && observed < (object.metadata.generation ?? 0)) return false;
    return condition.status?.toLowerCase() === value;
  };
}

function wantedCondition(text: string): WantedState | undefined {
  const goal = parseGoal(text);
  // `succeeded` is a goal of `apply`, but not a condition.
  return goal?.type === 'condition' ? goal : undefined;
}

/** The phase of `{.status.phase}=Running`. */
function wantedPhase(text: string): WantedState | undefined {
  const equals = equalsSignIn(text);
  if (
    equals < 0 ||
    text
      .slice(0, equals)
      .replaceAll(/[{}\s]/g, '')
      .replace(/^\$?\.?/, '') !== 'status.phase'
  )
    return undefined;
  return { type: 'phase', phase: wantedValue(text, equals) };
}

function wantedValue(text: string, equals: number): string {
  return text
    .slice(equals + 1)
    .replaceAll(/^['"]+|(?<!['"])['"]+$/g, '')
    .trim();
}

function pathCondition(text: string): (object: KubeObject) => boolean {
  const equals = equalsSignIn(text);
  const path = parseJsonPath(equals < 0 ? text : text.slice(0, equals));
  if (equals < 0) return (object) => onlyValue(path, object) !== undefined;
  const wanted = wantedValue(text, equals);
  if (wanted === '') {
    throw usage(
      'jsonpath wait has to have a value after the equals sign',
      "For example: --for=jsonpath='{.status.phase}'=Running",
    );
  }
  return (object) => {
    const match = onlyValue(path, object);
    if (match === undefined) return false;
    const text = plainText(match.value);
    if (text !== undefined) return text.trim() === wanted;
    throw new PodrunError('BadRequest', 'jsonpath leads to a nested object or list which is not supported');
  };
}

/** The index of the first `=` outside of all brackets, between path and value. -1: there is none. */
function equalsSignIn(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if ('{[('.includes(character)) depth += 1;
    if ('}])'.includes(character)) depth -= 1;
    if (character === '=' && depth === 0) return index;
  }
  return -1;
}

/** The value at a path of the object as the API prints it. Undefined: there is none. */
function onlyValue(path: JsonPath, object: KubeObject): { readonly value: unknown } | undefined {
  const values = path(inWholeSeconds(object));
  if (values.length > 1) throw new PodrunError('BadRequest', 'given jsonpath expression matches more than one value');
  return values.length === 0 ? undefined : { value: values[0] };
}
