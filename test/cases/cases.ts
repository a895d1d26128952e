import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Need, needs } from '../needs.ts';

/** The folder of further cases. It may have some of the files. */
const chosen = process.env['PODRUN_CASES'];
/** The folders of the usual cases: the specification beside the checkout, else the copy here. */
const usual = [path.join(import.meta.dirname, '../../../shared/spec/data'), path.join(import.meta.dirname, 'data')];

/** The cases of a file, and the options of a suite that runs them. */
export interface Cases<T> {
  /** Undefined: the folder of `PODRUN_CASES` lacks the file, and the options skip the suite. */
  readonly data: T | undefined;
  readonly options: ReturnType<typeof needs>;
}

/**
 * Reads a file of cases from the folder that the variable `PODRUN_CASES` names, else the usual one:
 *
 *     PODRUN_CASES=DIR npx vitest run test/cases
 *
 * @throws {Error} when that folder does not exist, or a file of the usual ones
 */
export function readCases<T>(name: string): Cases<T> {
  if (chosen !== undefined && !existsSync(chosen)) throw new Error(`PODRUN_CASES: there is no folder ${chosen}`);
  const folders = chosen === undefined ? usual : [chosen];
  const file = folders.map((folder) => path.join(folder, name)).find((each) => existsSync(each));
  if (file === undefined && chosen === undefined) throw new Error(`there is no file ${name} in test/cases/data`);
  const need: Need = { [`${name} in the folder of PODRUN_CASES`]: file !== undefined };
  return { data: file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as T), options: needs(need) };
}
