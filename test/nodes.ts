import { existsSync } from 'node:fs';
import path from 'node:path';

/** The versions of Node.js on which podrun runs, the oldest first. */
export const NODE_MAJORS = [20, 22, 24] as const;

const FETCHED = path.join(import.meta.dirname, '../node_modules/.cache/nodes');

/**
 * The program of a version of Node.js: the one that runs the tests, or one that test/fetch-nodes.mjs has fetched.
 * Undefined: this machine does not have it.
 */
export function nodeOf(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const program = path.join(FETCHED, String(major), 'bin/node');
  return existsSync(program) ? program : undefined;
}

/** The reason for which a test that needs this version of Node.js is skipped. */
export function withoutNode(major: number): string {
  return `Node.js ${major} (node test/fetch-nodes.mjs fetches it)`;
}
