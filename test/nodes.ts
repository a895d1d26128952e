import { existsSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'vitest';
import { need } from './needs.ts';

/** The versions of Node.js on which podrun runs, the oldest first. */
export const NODE_MAJORS = [20, 22, 24] as const;

const FETCHED = path.join(import.meta.dirname, '../node_modules/.cache/nodes');

/**
 * The program of a version of Node.js: the one that runs the tests, or one that test/fetch-nodes.mjs has fetched. Skips
 * the test where neither is there.
 */
export function nodeFor(context: TestContext, major: number): string {
  const isRunning = process.versions.node.startsWith(`${major}.`);
  const program = isRunning ? process.execPath : path.join(FETCHED, String(major), 'bin/node');
  need(context, { [`Node.js ${major}`]: existsSync(program) });
  return program;
}
