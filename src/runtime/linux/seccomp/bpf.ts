/*
 * Programs of the kernel's packet filter, as seccomp(2) takes them. Source: linux/filter.h, linux/seccomp.h.
 */

/** The codes of the instructions that filters of system calls need. */
export const LOAD = 0x20;
export const AND = 0x54;
const JUMP = 0x05;
export const JUMP_EQUAL = 0x15;
export const JUMP_GREATER = 0x25;
export const JUMP_AT_LEAST = 0x35;
export const RETURN = 0x06;

/** The places in struct seccomp_data. */
export const CALL_AT = 0;
export const MACHINE_AT = 4;
const ARGUMENTS_AT = 16;

/** The place of one half of an argument. Both machines of podrun are little-endian. */
export function argumentAt(index: number, half: 'low' | 'high'): number {
  return ARGUMENTS_AT + 8 * index + (half === 'high' ? 4 : 0);
}

/** One instruction. `jt` and `jf` are numbers of instructions to skip. */
export interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/** The kernel takes no longer programs. */
const INSTRUCTIONS_MAX = 4096;
const INSTRUCTION_BYTES = 8;

/** A place in a program, to which jumps lead before it is known. */
export interface Label {
  at: number | undefined;
}

/** Writes a program, whose jumps lead forward only. */
export class Assembler {
  readonly #code: Array<Instruction & { readonly to?: Label }> = [];

  static label(): Label {
    return { at: undefined };
  }

  add(code: number, k: number): void {
    this.#code.push({ code, jt: 0, jf: 0, k: k >>> 0 });
  }

  /** Continues behind, or elsewhere: a jump under a condition reaches 255 instructions only, this one all. */
  test(code: number, k: number, unless: Label): void {
    this.#code.push({ code, jt: 1, jf: 0, k: k >>> 0 });
    this.jump(unless);
  }

  /** Leads elsewhere when the condition holds. */
  when(code: number, k: number, to: Label): void {
    this.#code.push({ code, jt: 0, jf: 1, k: k >>> 0 });
    this.jump(to);
  }

  jump(to: Label): void {
    this.#code.push({ code: JUMP, jt: 0, jf: 0, k: 0, to });
  }

  /** Puts a label here. */
  place(label: Label): void {
    label.at = this.#code.length;
  }

  /** @throws {Error} for a program that the kernel would not take */
  finish(): readonly Instruction[] {
    if (this.#code.length > INSTRUCTIONS_MAX)
      throw new Error(`the filter has ${this.#code.length} instructions, and the kernel takes ${INSTRUCTIONS_MAX}`);
    return this.#code.map(({ to, ...instruction }, index) => {
      if (to === undefined) return instruction;
      if (to.at === undefined || to.at <= index) throw new Error('a jump of the filter leads nowhere');
      return { ...instruction, k: to.at - index - 1 };
    });
  }
}

/** The bytes of a program, as struct sock_filter has them. */
export function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  program.forEach(({ code, jt, jf, k }, index) => {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jt, at + 2);
    bytes.writeUInt8(jf, at + 3);
    bytes.writeUInt32LE(k, at + 4);
  });
  return bytes;
}
