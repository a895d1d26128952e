import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bootId, quickStartTimeOf, startTimeOf } from '../../runtime/index.ts';
import { pidNamespace } from '../../machine-id.ts';
import { quietly } from '../../quietly.ts';

/** Other users see nothing of the store: images may be private. */
export const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

let count = 0;

/** The name of something that only this process uses: boot and PID namespace, pid, start time. */
function ownerName(): string {
  return `${placeTag()}-${process.pid}-${quickStartTimeOf(process.pid) ?? '0'}`;
}

/** A name that no other process, and no other call, gets. */
export function uniqueName(): string {
  count += 1;
  return `${ownerName()}-${count}`;
}

/** True when the process that made the name may still live. */
export function isOwnerAlive(name: string): boolean {
  const [, boot, namespace, pid, start] = /(?<![0-9a-f])([0-9a-f]+)\.(\d*)-(\d+)-(\d+)(?:-\d+)?$/.exec(name) ?? [];
  if (boot !== bootId().slice(0, 8)) return false;
  // The processes of another PID namespace cannot be seen from here.
  return namespace !== pidNamespace() || startTimeOf(Number(pid)) === start;
}

let place: string | undefined;
function placeTag(): string {
  place ??= `${bootId().slice(0, 8)}.${pidNamespace()}`;
  return place;
}

/** Writes a file in one step: readers see all of it or nothing. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const temporary = path.join(path.dirname(file), `.${uniqueName()}`);
  try {
    writeFileSync(temporary, content, { mode: PRIVATE_FILE });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The value in a file of JSON. Undefined when it is missing or damaged. */
export function readJsonQuietly<T>(file: string): T | undefined {
  return quietly(() => JSON.parse(readFileSync(file, 'utf8')) as T);
}
