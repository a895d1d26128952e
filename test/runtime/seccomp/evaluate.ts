import {
  AND,
  type Instruction,
  JUMP_AT_LEAST,
  JUMP_EQUAL,
  JUMP_GREATER,
  LOAD,
  RETURN,
} from '../../../src/runtime/linux/seccomp/bpf.ts';
import { type Architecture, syscallTable } from '../../../src/runtime/linux/seccomp/syscalls.ts';

/** The jump without a condition, which only the assembler writes. */
const JUMP = 0x05;

/** A call that a program makes. */
export interface Call {
  readonly machine: Architecture;
  /** A name, or a number that no name has. */
  readonly call: string | number;
  readonly args?: readonly (number | bigint)[];
}

const ACTIONS: Readonly<Record<number, string>> = {
  0: 'kill thread',
  0x80_00_00_00: 'kill process',
  0x00_03_00_00: 'trap',
  0x00_05_00_00: 'error',
  0x7f_f0_00_00: 'trace',
  0x7f_fc_00_00: 'log',
  0x7f_ff_00_00: 'allow',
};

/** The kernel's decision about a call under a program: `allow`, `error 1`, … */
export function judge(program: readonly Instruction[], { machine, call, args = [] }: Call): string {
  const { audit, numbers } = syscallTable(machine);
  const number = typeof call === 'number' ? call : numbers.get(call);
  if (number === undefined) throw new Error(`${machine} has no ${call}`);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(audit, 4);
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index));
  const result = run(program, data);
  const action = ACTIONS[(result & 0xff_ff_00_00) >>> 0] ?? `unknown ${result}`;
  const rest = result & 0xff_ff;
  return rest === 0 ? action : `${action} ${rest}`;
}

/** Runs a program as the kernel does. It takes only programs whose jumps stay inside and that end. */
function run(program: readonly Instruction[], data: Buffer): number {
  let value = 0;
  for (let at = 0; at < program.length; at++) {
    const { code, jt, jf, k } = program[at] as Instruction;
    const branch = (holds: boolean): void => void (at += holds ? jt : jf);
    if (code === LOAD) value = data.readUInt32LE(k);
    else if (code === AND) value = (value & k) >>> 0;
    else if (code === JUMP) at += k;
    else if (code === JUMP_EQUAL) branch(value === k);
    else if (code === JUMP_GREATER) branch(value > k);
    else if (code === JUMP_AT_LEAST) branch(value >= k);
    else if (code === RETURN) return k;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error('the program has no end');
}
