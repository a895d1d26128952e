import { quietly } from '../../quietly.ts';
import { envNameMessages, isJsonObject, mostSimilar, ownValue, parseDuration, usage } from '../../api/index.ts';
import { NETWORK_CHOICES, PROXY_CHOICES, RUNTIME_CHOICES } from '../../machine/index.ts';
import { ENVTEST_MODES } from '../../envtest/index.ts';
import { type GoalRules, isImagePattern, SETTLE_MS, SOURCE_CHOICES } from '../../lifecycle/index.ts';
import { NODES_MAX } from '../../settings/index.ts';
import type { EnvtestOptions } from './envtest-types.ts';
import type { RunOptions, UntilOptions } from './types.ts';

/** Checks the value of an option. Returns undefined for a good value, else the end of an error message. */
type OptionCheck = (value: unknown) => string | undefined;

const isText: OptionCheck = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a non-empty string';
const isSwitch: OptionCheck = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const isCallback: OptionCheck = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const oneOf =
  (words: readonly string[]): OptionCheck =>
  (value) =>
    words.some((word) => word === value) ? undefined : `must be ${words.map((word) => `'${word}'`).join(' or ')}`;

const isDuration: OptionCheck = (value) => {
  const ms = durationMs(value);
  return ms !== undefined && ms > 0 ? undefined : "must be milliseconds, or a string such as '500ms', '30s' or '2m30s'";
};

const isSignal: OptionCheck = (value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal');

const isSettle: OptionCheck = (value) =>
  value === 0 || value === '0' || value === '0s' ? undefined : isDuration(value);

const isBackoff: OptionCheck = (value) =>
  isJsonObject(value) &&
  Object.entries(value).every(([name, duration]) => /^(initial|max)$/.test(name) && !isDuration(duration))
    ? undefined
    : "must be like { initial: '1s', max: '10s' }";

const isIngressPorts: OptionCheck = (value) =>
  isJsonObject(value) && [value['http'], value['https']].every((port) => Number.isInteger(port) && Number(port) > 0)
    ? undefined
    : 'must be like { http: 8080, https: 8443 }';

const CHECKS: { readonly [Name in keyof Required<RunOptions>]: OptionCheck } = {
  allowRestarts: isSwitch,
  api: isSwitch,
  backoff: isBackoff,
  bestEffort: isSwitch,
  config: (value) => (typeof value === 'boolean' || !isText(value) ? undefined : 'must be true, false or a path'),
  cwd: isText,
  enforceMemory: oneOf(['poll']),
  env: checkVariables,
  helmHooks: isSwitch,
  imageSource: oneOf(SOURCE_CHOICES),
  images: checkImages,
  ingressPorts: isIngressPorts,
  isolate: isSwitch,
  jobBackoff: isBackoff,
  logs: (value) =>
    value === 'capture' || value === 'inherit' || !isCallback(value)
      ? undefined
      : "must be 'capture', 'inherit' or a function",
  namespace: isText,
  network: oneOf(NETWORK_CHOICES),
  networkHostAccess: isSwitch,
  nodes: isNodes,
  onTransition: isCallback,
  onWarning: isCallback,
  overcommit: isSwitch,
  proxy: oneOf(PROXY_CHOICES),
  rolling: isSwitch,
  runtime: oneOf(RUNTIME_CHOICES),
  seccompRoot: isText,
  settle: isSettle,
  signal: isSignal,
  stateDir: isText,
  strict: isSwitch,
  strictPid1: isSwitch,
  timeout: (value) => (value === Infinity ? undefined : isDuration(value)),
};

const ENVTEST_CHECKS: { readonly [Name in keyof Required<EnvtestOptions>]: OptionCheck } = {
  // Manifests are checked when they are read.
  crds: () => undefined,
  cwd: isText,
  mode: oneOf(ENVTEST_MODES),
  onWarning: isCallback,
  users: (value) => (Array.isArray(value) && value.every(isUser) ? undefined : "must be like [{ name: 'jane' }]"),
  version: isText,
  webhooks: () => undefined,
};

function isNodes(value: unknown): string | undefined {
  const isCount = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= NODES_MAX;
  const isNode = (node: unknown): boolean => isJsonObject(node) && isText(node['name']) === undefined;
  if (isCount || (Array.isArray(value) && value.every(isNode))) return undefined;
  return `must be a number from 1 to ${NODES_MAX}, or a list like [{ name: 'node-1' }]`;
}

function isUser(value: unknown): boolean {
  return isJsonObject(value) && userProblem(value['name'], value['groups'] ?? []) === undefined;
}

/** The reason why a certificate cannot have this name and these groups. Undefined: it can. */
export function userProblem(name: unknown, groups: unknown): string | undefined {
  if (isText(name) !== undefined) return 'the name of a user must be a non-empty string';
  const isList = Array.isArray(groups) && groups.every((group) => isText(group) === undefined);
  return isList ? undefined : 'the groups of a user must be a list of non-empty strings';
}

/**
 * Reads milliseconds, or a text like `30s`.
 * @returns milliseconds, or undefined for anything else
 */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : value;
  if (typeof value !== 'string') return undefined;
  return quietly(() => parseDuration(value));
}

/**
 * @param call the function of the user's call
 * @throws {PodrunError} (usage) for an unknown option or a wrong value
 */
export function checkOptions(options: RunOptions, call = 'run'): void {
  checkEach(options, CHECKS, call);
}

/** @throws {PodrunError} (usage) for an unknown option of `envtest`, or a wrong value */
export function checkEnvtestOptions(options: EnvtestOptions): void {
  checkEach(options, ENVTEST_CHECKS, 'envtest');
}

function checkEach(options: object, checks: Readonly<Record<string, OptionCheck>>, call: string): void {
  for (const [name, value] of Object.entries(options)) {
    const check = ownValue(checks, name);
    if (check === undefined) {
      const meant = mostSimilar(name, Object.keys(checks));
      throw usage(`${call}() has no option ${name}${meant === undefined ? '' : `, did you mean ${meant}?`}`);
    }
    const wrong = value === undefined ? undefined : check(value);
    if (wrong !== undefined) throw usage(`option ${name} of ${call}() ${wrong}`);
  }
}

/**
 * Reads the time limit of a wait.
 * @returns milliseconds
 * @throws {PodrunError} (usage)
 */
export function timeoutOf(value: unknown): number {
  const wrong = CHECKS.timeout(value);
  if (wrong !== undefined) throw usage(`timeout ${wrong}`);
  return durationMs(value) ?? Infinity;
}

/**
 * Reads the rules of a wait for a goal.
 * @throws {PodrunError} (usage)
 */
export function readGoalRules({ settle, allowRestarts }: Pick<UntilOptions, 'settle' | 'allowRestarts'>): GoalRules {
  const wrong = settle === undefined ? undefined : CHECKS.settle(settle);
  if (wrong !== undefined) throw usage(`settle ${wrong}`);
  return { settleMs: durationMs(settle) ?? SETTLE_MS, allowRestarts: allowRestarts ?? false };
}

function checkVariables(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'must be like { NAME: value }';
  for (const [name, text] of Object.entries(value)) {
    const [problem] = envNameMessages(name);
    if (problem !== undefined) return `has a name that no variable can have, ${JSON.stringify(name)}: ${problem}`;
    if (text !== undefined && typeof text !== 'string') return `must have string values: ${name} has none`;
  }
  return undefined;
}

function checkImages(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "must be like { 'nginx:*': ['nginx', '-g', 'daemon off;'] }";
  for (const [pattern, program] of Object.entries(value)) {
    if (!isImagePattern(pattern)) return `has ${JSON.stringify(pattern)}, which is not an image name or pattern`;
    const words = isJsonObject(program) ? (program['command'] ?? program['args']) : program;
    const isCommand = typeof words === 'string' || (Array.isArray(words) && words.every((word) => !isText(word)));
    if (!isCommand || words.length === 0) return `must have a command for ${JSON.stringify(pattern)}`;
  }
  return undefined;
}
