import { expandsTooFar } from '../texts/config-errors.ts';

/** Looks a variable up. Undefined: it is not defined, and the reference to it stays as it is. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * Characters that the values of references may add up to in one container. No kernel starts a program with more: its
 * words and variables have room for 6 MiB together.
 */
export const EXPANDED_MAX: number = 8 * 2 ** 20;

/** What is left of that; `expand` takes away from it. */
export interface ExpansionRoom {
  left: number;
}

/** References that refer to references grow without bounds. */
export class ExpansionError extends Error {
  override readonly name = 'ExpansionError';

  constructor() {
    super(expandsTooFar(EXPANDED_MAX / 2 ** 20));
  }
}

const ESCAPE_OR_REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Replaces `$(NAME)` by the value of the variable and `$$` by `$`. Values are not expanded again; a reference to an
 * unknown variable, one that is not closed, and every other `$` are left alone.
 * Source: third_party/forked/golang/expansion/expand.go.
 * @param room shared by all that belongs to one container
 * @throws {ExpansionError} when there is no room left
 */
export function expand(text: string, lookup: VariableLookup, room: ExpansionRoom = { left: EXPANDED_MAX }): string {
  // Behind the last `)` no reference can end. Not looking for one there keeps the work linear.
  const end = text.lastIndexOf(')') + 1;
  const head = text.slice(0, end).replace(ESCAPE_OR_REFERENCE, (reference: string, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = lookup(name) ?? reference;
    room.left -= value.length;
    if (room.left < 0) throw new ExpansionError();
    return value;
  });
  return head + text.slice(end).replaceAll('$$', () => '$');
}

/** The text that `expand` turns back into `text`, whatever the variables are. */
export function escapeExpansion(text: string): string {
  return text.replaceAll('$', () => '$$');
}
