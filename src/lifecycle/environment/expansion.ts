/** Looks a variable up. Undefined: it is not defined, and the reference to it stays as it is. */
export type VariableLookup = (name: string) => string | undefined;

const ESCAPE_OR_REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Replaces `$(NAME)` by the value of the variable and `$$` by `$`. Values are not expanded again; a reference to an
 * unknown variable, one that is not closed, and every other `$` are left alone.
 * Source: third_party/forked/golang/expansion/expand.go.
 */
export function expand(text: string, lookup: VariableLookup): string {
  // Behind the last `)` no reference can end. Not looking for one there keeps the work linear.
  const end = text.lastIndexOf(')') + 1;
  const head = text.slice(0, end).replace(ESCAPE_OR_REFERENCE, (reference: string, name: string | undefined) => {
    return name === undefined ? '$' : (lookup(name) ?? reference);
  });
  return head + text.slice(end).replaceAll('$$', () => '$');
}

/** The text that `expand` turns back into `text`, whatever the variables are. */
export function escapeExpansion(text: string): string {
  return text.replaceAll('$', () => '$$');
}
