import path from 'node:path';
import { splitWords } from '../agent/config/split-words.ts';
import type { ImageMapping } from '../lifecycle/environment/entry-point.ts';
import { usage } from './options.ts';
import type { ImageProgram, RunOptions } from './types.ts';

/**
 * Reads the option `images`.
 * @param cwd folder that relative paths start from
 * @throws {PodrunError} (usage) for a command that cannot be split into words
 */
export function imageMappings(images: NonNullable<RunOptions['images']>, cwd: string): ImageMapping[] {
  return Object.entries(images).map(([pattern, said]) => {
    const { command, args, env = {}, workingDir } = programOf(said);
    return {
      pattern,
      command: command === undefined ? undefined : wordsOf(pattern, command),
      args,
      env,
      workingDir: workingDir === undefined ? undefined : path.resolve(cwd, workingDir),
      folder: undefined,
    };
  });
}

function programOf(said: string | readonly string[] | ImageProgram): ImageProgram {
  return typeof said === 'string' || Array.isArray(said)
    ? { command: said as string | readonly string[] }
    : (said as ImageProgram);
}

function wordsOf(pattern: string, command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command;
  const outcome = splitWords(command);
  if (outcome.ok) return outcome.words;
  throw usage(`option images of run(): the command of ${JSON.stringify(pattern)} ${outcome.problem}`);
}
