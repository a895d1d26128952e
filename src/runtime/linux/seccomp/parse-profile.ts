import { isArchitecture } from './syscalls.ts';
import type { SeccompArgument } from '../../base/seccomp.ts';
import type { ProfileRule, SeccompProfile } from './profile.ts';

const ACTIONS = ['ALLOW', 'ERRNO', 'KILL', 'KILL_THREAD', 'KILL_PROCESS', 'LOG', 'TRACE', 'TRAP'];
const OPERATORS = ['NE', 'LT', 'LE', 'EQ', 'GE', 'GT', 'MASKED_EQ'];
/** Names of architectures that podrun has no calls of: programs for them do not run under a filter. */
const OTHER_ARCHITECTURE = /^SCMP_ARCH_[A-Z0-9_]+$/;

/** Numbers of these fields that JSON.parse may round: they become texts. */
const LARGE_NUMBER = /("value(?:Two)?"\s*:\s*)(\d{16,})/g;

/**
 * Reads a profile from its file.
 * @throws {Error} for a text that is no profile, with the place of the mistake
 */
export function parseProfile(text: string): SeccompProfile {
  const given = asObject(JSON.parse(text.replaceAll(LARGE_NUMBER, '$1"$2"')), 'the profile');
  checkAction(given['defaultAction'], 'defaultAction');
  checkNumber(given['defaultErrnoRet'], 'defaultErrnoRet');
  for (const [index, name] of textsIn(given['architectures'], 'architectures').entries()) {
    if (!isArchitecture(name) && !OTHER_ARCHITECTURE.test(name)) fail(`architectures[${index}]`, name);
  }
  textsIn(given['flags'], 'flags');
  listIn(given['syscalls'], 'syscalls').forEach((rule, index) => checkRule(rule, `syscalls[${index}]`));
  return given as unknown as SeccompProfile;
}

function checkRule(value: unknown, at: string): void {
  const rule = asObject(value, at) as Partial<Record<keyof ProfileRule, unknown>>;
  textsIn(rule.names, `${at}.names`);
  if (rule.name !== undefined && typeof rule.name !== 'string') fail(`${at}.name`, rule.name);
  checkAction(rule.action, `${at}.action`);
  checkNumber(rule.errnoRet, `${at}.errnoRet`);
  listIn(rule.args, `${at}.args`).forEach((argument, index) => checkArgument(argument, `${at}.args[${index}]`));
  for (const side of ['includes', 'excludes'] as const) {
    const { caps, arches, minKernel } = asObject(rule[side] ?? {}, `${at}.${side}`);
    textsIn(caps, `${at}.${side}.caps`);
    textsIn(arches, `${at}.${side}.arches`);
    const isVersion = minKernel === undefined || (typeof minKernel === 'string' && /^\d+\.\d+/.test(minKernel));
    if (!isVersion) fail(`${at}.${side}.minKernel`, minKernel);
  }
}

function checkArgument(value: unknown, at: string): void {
  const argument = asObject(value, at) as Partial<Record<keyof SeccompArgument, unknown>>;
  const { index, op } = argument;
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > 5) fail(`${at}.index`, index);
  if (!OPERATORS.some((name) => op === `SCMP_CMP_${name}`)) fail(`${at}.op`, op);
  for (const name of ['value', 'valueTwo'] as const) {
    const number = argument[name] ?? 0;
    const isNumber = typeof number === 'string' ? /^\d{1,20}$/.test(number) : isCount(number);
    if (!isNumber) fail(`${at}.${name}`, number);
  }
}

function checkAction(action: unknown, at: string): void {
  if (!ACTIONS.some((name) => action === `SCMP_ACT_${name}`)) fail(at, action);
}

function checkNumber(value: unknown, at: string): void {
  if (value !== undefined && value !== null && !isCount(value)) fail(at, value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function asObject(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(at, value);
  return value as Record<string, unknown>;
}

function listIn(value: unknown, at: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) fail(at, value);
  return value as readonly unknown[];
}

function textsIn(value: unknown, at: string): readonly string[] {
  const list = listIn(value, at);
  list.forEach((entry, index) => {
    if (typeof entry !== 'string') fail(`${at}[${index}]`, entry);
  });
  return list as readonly string[];
}

function fail(at: string, value: unknown): never {
  throw new Error(`${at}: ${JSON.stringify(value) ?? 'nothing'} is not supported`);
}
