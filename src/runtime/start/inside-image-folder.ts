import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { quietly } from '../../quietly.ts';
import { type Inside, insideWith, type ProgramCall } from '../base/inside.ts';
import { entryIn } from '../linux/paths/container-tree.ts';
import { followLinks } from '../linux/paths/follow-links.ts';
import { isInFolder } from '../linux/paths/host-mounts.ts';

/**
 * The inside of a container without a view of its own whose image has files in a folder: podrun looks there first for
 * the program that it starts. Links are followed as if the folder's files lay over the machine's files: with `bin ->
 * usr/bin` on the machine, the file `usr/bin/sh` of the folder is `/bin/sh`. Programs that the program starts itself
 * are the machine's.
 */
export function insideImageFolder(folder: string, inside: Inside): Inside {
  const pathOf: Inside['pathOf'] = (path) => fileInFolder(folder, path) ?? inside.pathOf(path);
  return insideWith(inside, {
    pathOf,
    enter: (call) => {
      const file = fileInFolder(folder, resolve(call.cwd, call.file));
      const cwd = pathOf(call.cwd);
      return file === undefined ? inside.enter({ ...call, cwd }) : enterFile({ ...call, file, cwd }, inside);
    },
  });
}

/** The program keeps its name, unless a tool before it, or what makes its terminal, has only the name to find it by. */
function enterFile(call: ProgramCall, inside: Inside): ProgramCall {
  const [, ...args] = call.argv;
  const entered = inside.enter(call);
  const keepsName = entered.file === call.file && call.hasTerminal !== true;
  return keepsName ? entered : inside.enter({ ...call, argv: [call.file, ...args] });
}

/**
 * The file that the folder has for a path, or to which a link of it leads. Undefined: the machine's file counts, also
 * for a folder that both have.
 */
function fileInFolder(folder: string, path: string): string | undefined {
  const root = { target: '/', seen: [folder, '/'] };
  /** The last link of the folder on the way. */
  let link: string | undefined;
  const at = followLinks(path, (place) => {
    const entry = entryIn(root, place);
    if (entry?.stats.isSymbolicLink() !== true) return undefined;
    if (isInFolder(entry.file, folder)) link = entry.file;
    return quietly(() => readlinkSync(entry.file));
  });
  const entry = at === undefined ? undefined : entryIn(root, at);
  if (at === undefined || entry === undefined) return undefined;
  const file = entry.stats.isDirectory() && existsSync(at) ? at : entry.file;
  if (link !== undefined) return leadsTo(link, file) ? link : file;
  return isInFolder(file, folder) ? file : undefined;
}

/** True for a link that also leads to a file outside of the container: its name may tell the program what to do. */
function leadsTo(link: string, file: string): boolean {
  return quietly(() => realpathSync(link) === realpathSync(file)) === true;
}
