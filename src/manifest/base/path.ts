/**
 * Field paths in error messages: dots for fields, `[0]` for list items, `[key]` for map entries. A path is plain text.
 */

/** Appends fields to a path: `spec` with `os` and `name` is `spec.os.name`. The empty path is the whole object. */
export function child(path: string, ...fields: readonly string[]): string {
  return [path, ...fields].filter((part) => part !== '').join('.');
}

export function item(path: string, index: number): string {
  return `${path}[${index}]`;
}

export function entry(path: string, key: string): string {
  return `${path}[${key}]`;
}
