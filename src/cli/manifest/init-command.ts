import { writeFileSync } from 'node:fs';
import { EXIT, PodrunError } from '../../api/errors.ts';
import { labelMessages } from '../../api/names.ts';
import { type Part, PARTS } from '../../manifest/starter/parts.ts';
import { starterManifest } from '../../manifest/starter/starter.ts';
import { mostSimilar } from '../../api/similar.ts';
import { note } from '../preferences.ts';
import { StandardOutput } from '../standard-output.ts';
import type { InitFlags } from './init.ts';

/** `podrun init`: flags in, exit code out. */
export function initCommand(name: string, flags: InitFlags): number {
  const [wrong] = labelMessages(name);
  if (wrong !== undefined) throw usage(`error: invalid name ${JSON.stringify(name)}: ${wrong}`);
  const { output: file, task: isTask, force } = flags;
  if (force && file === undefined) throw usage('error: --force is about a file', 'Use it with -o FILE.');
  const text = starterManifest({ name, parts: partsIn(flags.with), isTask, file });
  if (file === undefined) new StandardOutput().write(text);
  else {
    write(file, text, force);
    note(`wrote ${file}; try: podrun apply ${file}`);
  }
  return EXIT.ok;
}

function partsIn(lists: readonly string[]): ReadonlySet<Part> {
  const words = lists.flatMap((list) => list.split(',')).map((word) => word.trim().toLowerCase());
  return new Set(words.flatMap(partsNamed));
}

const KNOWN = Object.keys(PARTS) as Part[];

/** Names and their plurals: `probes`, `probe`. */
function partsNamed(word: string): readonly Part[] {
  if (word === 'all') return KNOWN;
  const part = KNOWN.find((known) => known === word || known === `${word}s` || `${known}s` === word);
  if (part !== undefined) return [part];
  const similar = mostSimilar(word, KNOWN);
  const hint = similar === undefined ? `There are ${KNOWN.join(', ')} and all.` : `Did you mean ${similar}?`;
  throw usage(`error: no part of a manifest: ${JSON.stringify(word)}`, hint);
}

/** @throws {PodrunError} when it is there already, or cannot be written */
function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new PodrunError(`error: ${file} is there already`, { hint: '--force overwrites it.', cause: error });
    }
    const why = message.replaceAll(/^\w+: |, \w+ '.*'$/g, '');
    throw new PodrunError(`error: cannot write ${file}: ${why}`, { cause: error });
  }
}

function usage(message: string, hint = "See 'podrun init --help' for usage."): PodrunError {
  return new PodrunError(message, { exitCode: EXIT.usage, hint });
}
