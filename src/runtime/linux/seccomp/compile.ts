import {
  AND,
  argumentAt,
  Assembler,
  CALL_AT,
  type Instruction,
  JUMP_AT_LEAST,
  JUMP_EQUAL,
  JUMP_GREATER,
  type Label,
  LOAD,
  MACHINE_AT,
  RETURN,
} from './bpf.ts';
import type { SeccompArgument, SeccompFilter, SeccompRule } from '../../base/seccomp.ts';
import { type Architecture, architectureOf, syscallTable } from './syscalls.ts';

const EPERM = 1;
const ENOSYS = 38;
/** Larger numbers are no errors of a call. */
const ERRNO_MAX = 4095;
/** The mark of calls of x32, which hardly any kernel has: the same calls of x86-64 with other numbers. */
const X32 = 0x40_00_00_00;

/** The results of a filter. Source: linux/seccomp.h. */
const KILL_THREAD = 0;
const RESULTS = {
  SCMP_ACT_ALLOW: 0x7f_ff_00_00,
  SCMP_ACT_LOG: 0x7f_fc_00_00,
  SCMP_ACT_TRACE: 0x7f_f0_00_00,
  SCMP_ACT_ERRNO: 0x00_05_00_00,
  SCMP_ACT_TRAP: 0x00_03_00_00,
  SCMP_ACT_KILL: KILL_THREAD,
  SCMP_ACT_KILL_THREAD: KILL_THREAD,
  SCMP_ACT_KILL_PROCESS: 0x80_00_00_00,
} as const;

/** The decision about a call: the result of the first rule whose conditions hold, and else another result. */
interface CallVerdict {
  readonly rules: ReadonlyArray<{ readonly args: readonly SeccompArgument[]; readonly result: number }>;
  readonly result: number;
}

/** The calls from one number to the next range, which all have the same verdict. */
interface CallRange {
  readonly from: number;
  readonly verdict: CallVerdict;
}

/**
 * Compiles a filter for a machine. Calls that the machine does not have are left out, as container runtimes do it. A
 * call of a machine that the filter does not name ends the thread. Source: libseccomp, src/gen_bpf.c, src/db.c.
 * @param machine the architecture as Node names it
 * @throws {Error} for a machine without a table, and for a filter that is too long
 */
export function compileFilter(filter: SeccompFilter, machine: string): readonly Instruction[] {
  const native = architectureOf(machine);
  if (native === undefined) throw new Error(`podrun has no system calls of ${machine}`);
  const named: ReadonlySet<string> = new Set(filter.architectures);
  const own: readonly Architecture[] = native === 'SCMP_ARCH_X86_64' ? [native, 'SCMP_ARCH_X86'] : [native];
  const program = new Assembler();
  program.add(LOAD, MACHINE_AT);
  for (const architecture of own.filter((name) => name === native || named.has(name))) {
    const next = Assembler.label();
    program.test(JUMP_EQUAL, syscallTable(architecture).audit, next);
    program.add(LOAD, CALL_AT);
    if (architecture === 'SCMP_ARCH_X86_64') refuseX32(program);
    writeRanges(program, rangesOf(filter, architecture));
    program.place(next);
  }
  program.add(RETURN, KILL_THREAD);
  return program.finish();
}

function refuseX32(program: Assembler): void {
  const next = Assembler.label();
  program.test(JUMP_AT_LEAST, X32, next);
  program.add(RETURN, RESULTS.SCMP_ACT_ERRNO | ENOSYS);
  program.place(next);
}

function resultOf({ action, errnoRet = EPERM }: Pick<SeccompRule, 'action' | 'errnoRet'>): number {
  const hasNumber = action === 'SCMP_ACT_ERRNO' || action === 'SCMP_ACT_TRACE';
  return (RESULTS[action] | (hasNumber ? Math.min(errnoRet, ERRNO_MAX) : 0)) >>> 0;
}

/** The verdicts about all numbers of calls, in their order. */
function rangesOf(filter: SeccompFilter, architecture: Architecture): CallRange[] {
  const { defaultAction: action, defaultErrnoRet: errnoRet } = filter;
  const otherwise: CallVerdict = {
    rules: [],
    result: resultOf({ action, ...(errnoRet !== undefined && { errnoRet }) }),
  };
  const { numbers } = syscallTable(architecture);
  const verdicts = new Map<number, CallVerdict>();
  for (const [name, rules] of rulesByName(filter)) {
    const number = numbers.get(name);
    if (number !== undefined) verdicts.set(number, verdictOn(rules, otherwise.result));
  }
  const known = [...verdicts].toSorted(([a], [b]) => a - b);
  const ranges: CallRange[] = [{ from: 0, verdict: otherwise }];
  for (const [number, verdict] of known) {
    ranges.push({ from: number, verdict });
    if (!verdicts.has(number + 1)) ranges.push({ from: number + 1, verdict: otherwise });
  }
  const last = known.at(-1)?.[0];
  if (last !== undefined && !PERMITS.has(action)) ranges.push({ from: last + 1, verdict: UNKNOWN });
  return joined(ranges);
}

/**
 * Calls beyond all that a filter names are newer than it: programs fall back to older ones when the kernel seems to
 * lack them. Source: opencontainers/runc, libcontainer/seccomp/patchbpf.
 */
const UNKNOWN: CallVerdict = { rules: [], result: RESULTS.SCMP_ACT_ERRNO | ENOSYS };
const PERMITS: ReadonlySet<string> = new Set(['SCMP_ACT_ALLOW', 'SCMP_ACT_LOG', 'SCMP_ACT_TRACE']);

/** The rules about each call, in their order. */
function rulesByName({ syscalls }: SeccompFilter): ReadonlyMap<string, readonly SeccompRule[]> {
  const byName = new Map<string, SeccompRule[]>();
  for (const rule of syscalls) {
    for (const name of rule.names) {
      const rules = byName.get(name) ?? [];
      rules.push(rule);
      byName.set(name, rules);
    }
  }
  return byName;
}

/**
 * The verdict of all rules about a call. A rule without conditions decides alone, the first one of several; a rule that
 * does the same as no rule is none. Source: libseccomp, src/db.c db_col_rule_add.
 */
function verdictOn(all: readonly SeccompRule[], otherwise: number): CallVerdict {
  const rules = all
    .map((rule) => ({ args: rule.args ?? [], result: resultOf(rule) }))
    .filter(({ result }) => result !== otherwise);
  const plain = rules.find(({ args }) => args.length === 0);
  if (plain !== undefined) return { rules: [], result: plain.result };
  return { rules: rules.flatMap(separate), result: otherwise };
}

/** Several conditions about one argument are rules of their own. Source: opencontainers/runc, seccomp_linux.go. */
function separate(rule: CallVerdict['rules'][number]): ReadonlyArray<CallVerdict['rules'][number]> {
  const indexes = new Set(rule.args.map(({ index }) => index));
  if (indexes.size === rule.args.length) return [rule];
  return rule.args.map((argument) => ({ ...rule, args: [argument] }));
}

/** Puts neighbours with the same result together. The last one of several with the same start counts. */
function joined(ranges: readonly CallRange[]): CallRange[] {
  const result: CallRange[] = [];
  for (const range of ranges) {
    if (result.at(-1)?.from === range.from) result.pop();
    const before = result.at(-1)?.verdict;
    const isSame = before?.rules.length === 0 && range.verdict.rules.length === 0;
    if (!isSame || before.result !== range.verdict.result) result.push(range);
  }
  return result;
}

/** Writes a search for the range of the call, which takes as many steps as the logarithm of their number. */
function writeRanges(program: Assembler, ranges: readonly CallRange[]): void {
  const [first] = ranges;
  if (ranges.length === 1 && first !== undefined) return writeVerdict(program, first.verdict);
  const middle = ranges.length >> 1;
  const upper = Assembler.label();
  program.when(JUMP_AT_LEAST, ranges[middle]?.from ?? 0, upper);
  writeRanges(program, ranges.slice(0, middle));
  program.place(upper);
  writeRanges(program, ranges.slice(middle));
}

function writeVerdict(program: Assembler, { rules, result: otherwise }: CallVerdict): void {
  for (const { args, result } of rules) {
    const next = Assembler.label();
    for (const argument of args) writeCondition(program, argument, next);
    program.add(RETURN, result);
    program.place(next);
  }
  program.add(RETURN, otherwise);
}

const HALF = 32n;
const LOW = 0xff_ff_ff_ffn;

function halves(value: number | string = 0): { readonly low: number; readonly high: number } {
  const number = BigInt(value);
  return { low: Number(number & LOW), high: Number((number >> HALF) & LOW) };
}

/** Continues when the condition holds. Arguments have 64 bits, and the filter compares 32. */
function writeCondition(program: Assembler, { index, value, valueTwo, op }: SeccompArgument, unless: Label): void {
  const load = (half: 'low' | 'high'): void => program.add(LOAD, argumentAt(index, half));
  const { low, high } = halves(value);
  if (op === 'SCMP_CMP_MASKED_EQ') {
    const wanted = halves(valueTwo);
    for (const half of ['high', 'low'] as const) {
      load(half);
      program.add(AND, half === 'high' ? high : low);
      program.test(JUMP_EQUAL, wanted[half], unless);
    }
    return;
  }
  const holds = Assembler.label();
  load('high');
  if (op === 'SCMP_CMP_EQ') {
    program.test(JUMP_EQUAL, high, unless);
    load('low');
    return program.test(JUMP_EQUAL, low, unless);
  }
  const isMore = op === 'SCMP_CMP_GT' || op === 'SCMP_CMP_GE';
  if (op === 'SCMP_CMP_NE') {
    const lower = Assembler.label();
    program.when(JUMP_EQUAL, high, lower);
    program.jump(holds);
    program.place(lower);
    load('low');
    program.when(JUMP_EQUAL, low, unless);
  } else {
    program.when(JUMP_GREATER, high, isMore ? holds : unless);
    const equal = Assembler.label();
    program.when(JUMP_EQUAL, high, equal);
    program.jump(isMore ? unless : holds);
    program.place(equal);
    load('low');
    // GE and LT ask for the same comparison, GT and LE for the other.
    const code = op === 'SCMP_CMP_GE' || op === 'SCMP_CMP_LT' ? JUMP_AT_LEAST : JUMP_GREATER;
    if (isMore) program.test(code, low, unless);
    else program.when(code, low, unless);
  }
  program.place(holds);
}
