import { PodrunError } from '../../api/index.ts';
import { expandsTooFar } from '../texts/config-errors.ts';

/** Looks a variable up. Undefined: the variable is not defined, and its reference stays unchanged. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * The most characters to which the references of one container may expand. A kernel starts no program with more:
 * arguments and variables share 6 MiB.
 */
export const EXPANDED_MAX: number = 8 * 2 ** 20;

/** The characters that are left. `expand` reduces the number. */
export interface ExpansionRoom {
  left: number;
}

const ESCAPE_OR_REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Replaces `$(NAME)` by the value of the variable and `$$` by `$`. Values are not expanded again. References to unknown
 * variables, unclosed references and every other `$` stay unchanged. Source:
 * third_party/forked/golang/expansion/expand.go.
 * @param room shared by all texts of one container
 * @throws {PodrunError} (Invalid) when the references grow without bounds, because they refer to other references
 */
export function expand(text: string, lookup: VariableLookup, room: ExpansionRoom = { left: EXPANDED_MAX }): string {
  // No reference can end after the last `)`. Stopping there keeps the work linear.
  const end = text.lastIndexOf(')') + 1;
  const head = text.slice(0, end).replace(ESCAPE_OR_REFERENCE, (reference: string, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = lookup(name) ?? reference;
    room.left -= value.length;
    if (room.left < 0) throw new PodrunError('Invalid', expandsTooFar(EXPANDED_MAX / 2 ** 20));
    return value;
  });
  return head + text.slice(end).replaceAll('$$', () => '$');
}

/** Escapes a text so that `expand` returns it unchanged. */
export function escapeExpansion(text: string): string {
  return text.replaceAll('$', () => '$$');
}
