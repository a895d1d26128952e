import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { quietly } from '../src/quietly.ts';

export const isRoot: boolean = process.getuid?.() === 0;

/** The ordinary user of tests: for root another one, whom no test has otherwise. */
export const ORDINARY_USER: number = isRoot ? 65_533 : (process.getuid?.() ?? 0);

const SETPRIV = ['setpriv', '--reuid', `${ORDINARY_USER}`, '--regid', `${ORDINARY_USER}`, '--clear-groups'];

/** The words of a command that the ordinary user runs. */
export function asOrdinaryUser(words: readonly string[]): string[] {
  return isRoot ? [...SETPRIV, ...words] : [...words];
}

/** The words of a podrun command that the ordinary user runs. */
export function podrunAsOrdinaryUser(args: readonly string[]): string[] {
  const { node, podrun } = programsForAll();
  return asOrdinaryUser([node, podrun, ...args]);
}

/** Gives a file or a folder to the ordinary user. */
export function giveToOrdinaryUser(file: string): void {
  if (isRoot) chownSync(file, ORDINARY_USER, ORDINARY_USER);
}

/** Gives a folder and all in it to the ordinary user. */
export function giveAllToOrdinaryUser(folder: string): void {
  if (isRoot) spawnSync('chown', ['-R', `${ORDINARY_USER}:${ORDINARY_USER}`, folder]);
}

/** Lets everybody read a folder and all in it, as what is for everybody is on most machines, whatever the umask is. */
export function openToAll(folder: string): void {
  spawnSync('chmod', ['-R', 'a+rX', folder]);
}

interface Programs {
  readonly node: string;
  readonly podrun: string;
}

let found: Programs | undefined;

/** Node.js and podrun, where the ordinary user can read them: copies, below the folder of a user who lets nobody in. */
export function programsForAll(): Programs {
  return (found ??= findPrograms());
}

const CHECKOUT = path.resolve(import.meta.dirname, '..');
/** The parts of podrun. */
const PARTS = ['bin/package.json', 'bin/podrun.js', 'dist'];
/** The copies, in the temporary folder of a run of tests, which removes them at its end. */
export const COPIES = 'copies-for-all';

function findPrograms(): Programs {
  const own = { node: process.execPath, podrun: path.join(CHECKOUT, 'bin/podrun.js') };
  if (!isRoot || !succeeds(asOrdinaryUser(['true']))) return own;
  const node = succeeds(asOrdinaryUser([own.node, '--version'])) ? own.node : copied('node', copyNode);
  if (succeeds(asOrdinaryUser([node, own.podrun, 'version']))) return { ...own, node };
  return { node, podrun: path.join(copied('podrun', copyPodrun), 'bin/podrun.js') };
}

function copyNode(to: string): void {
  copyFileSync(process.execPath, to);
  chmodSync(to, 0o755);
}

function copyPodrun(to: string): void {
  for (const part of PARTS) {
    cpSync(path.join(CHECKOUT, part), path.join(to, part), { recursive: true, preserveTimestamps: true });
  }
  openToAll(to);
}

/** Makes a copy, once for all workers of a run. Answers its path. */
function copied(name: string, copy: (to: string) => void): string {
  const folder = path.join(tmpdir(), COPIES);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const place = path.join(folder, name);
  if (existsSync(place)) return place;
  const own = mkdtempSync(path.join(folder, 'new-'));
  copy(path.join(own, name));
  // Another worker may be faster.
  quietly(() => renameSync(path.join(own, name), place));
  rmSync(own, { recursive: true });
  return place;
}

function succeeds([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: 'ignore' }).status === 0;
}
