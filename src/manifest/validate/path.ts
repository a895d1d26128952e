/**
 * Paths of fields as error messages show them: dots for fields, `[0]` for list items, `[key]` for map entries. A path
 * is plain text; these functions make longer ones of it.
 */

/** `spec` and `os`, `name` make `spec.os.name`; the empty path is the whole object. */
export function child(path: string, ...fields: readonly string[]): string {
  return [path, ...fields].filter((part) => part !== '').join('.');
}

export function item(path: string, index: number): string {
  return `${path}[${index}]`;
}

export function entry(path: string, key: string): string {
  return `${path}[${key}]`;
}
