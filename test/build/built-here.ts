import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Need } from '../needs.ts';

const files = readdirSync(path.join(import.meta.dirname, '../../dist'));

/** The build has code caches of one version of Node.js, and the single executable takes them with it. */
export const BUILT_HERE: Need = {
  [`a build by Node.js ${process.version}`]: files.some((name) => name.includes(`-${process.version}-`)),
};
