/** A new UUID. The crypto module is loaded for the first: commands that only read need none. */
export function newUid(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
