import { existsSync } from 'node:fs';
import { DEFAULT_NAMESPACE, usage } from '../../api/index.ts';
import { mustHold } from '../../controllers/index.ts';
import { ObjectGoals, reasonsAgainst } from '../../engine/index.ts';
import { parseWaitCondition } from '../../lifecycle/index.ts';
import type { Cli } from '../base/cli.ts';
import type { RunSession } from './session.ts';

/** Objects that a run waits for beside its Pods, as they stand on the command line of `apply`. */
export interface AwaitedObjects {
  /** `gadget.shop.example.com/lamp`. */
  readonly names: readonly string[];
  /** `jsonpath=…` and `condition=…`. Empty: the objects have to be ready. */
  readonly conditions: readonly string[];
}

/** A word such as `gadget.shop.example.com/lamp`, and no manifest. */
function isObjectName({ pathOf }: Cli, word: string): boolean {
  return /^[^/\s]+\/[^/\s]+$/.test(word) && !/\.(?:ya?ml|json)$/.test(word) && !existsSync(pathOf(word));
}

/** The words of a command line of `apply`, with the objects that it waits for apart. */
interface SplitWords {
  readonly files: readonly string[];
  readonly until: readonly string[];
  readonly awaited: AwaitedObjects | undefined;
}

/**
 * Separates manifests and goals of Pods from objects to wait for.
 * @throws {PodrunError} (usage) for a condition of no object
 */
export function splitAwaited(cli: Cli, words: readonly string[], goals: readonly string[]): SplitWords {
  const conditions = goals.filter((goal) => /^(?:jsonpath|condition)=/i.test(goal));
  const until = goals.filter((goal) => !conditions.includes(goal));
  const names = goals.length === 0 ? [] : words.filter((word) => isObjectName(cli, word));
  const [first] = conditions;
  if (names.length === 0 && first === undefined) return { files: words, until, awaited: undefined };
  if (names.length === 0) throw usage(`--until ${first} needs an object`, 'Name it: TYPE/NAME, as with podrun wait.');
  // Refuses a wrong condition before anything starts.
  for (const condition of conditions) parseWaitCondition(condition);
  return { files: words.filter((word) => !names.includes(word)), until, awaited: { names, conditions } };
}

type SessionPart = Pick<RunSession, 'flags' | 'store' | 'plan' | 'api'>;

/**
 * Follows the objects that a run waits for beside its Pods. The command line names them; without names, they are the
 * custom resources of the manifests, for a goal that includes Ready. Undefined: it waits for none.
 * @param onChange called after each change of an object
 */
export function objectGoalsOf({ flags, store, plan, api }: SessionPart, onChange: () => void): ObjectGoals | undefined {
  const { names, conditions } = flags.awaited ?? { names: [], conditions: [] };
  const waitsForAll = flags.awaited === undefined && plan.goal !== undefined && mustHold(plan.goal);
  const applied = waitsForAll ? (api?.custom ?? []) : [];
  if (names.length + applied.length === 0) return undefined;
  return new ObjectGoals({
    store,
    namespace: flags.namespace ?? DEFAULT_NAMESPACE,
    names,
    applied,
    reasonsOf: reasonsAgainst(conditions),
    onChange,
  });
}
