import path from 'node:path';
import { splitWords } from '../agent/config/split-words.ts';
import type { ImageMapping } from '../lifecycle/environment/entry-point.ts';
import { usage } from '../api/errors.ts';
import type { ImageProgram, RunOptions } from './types.ts';

/**
 * Reads the option `images`.
 * @param cwd folder that relative paths start from
 * @throws {PodrunError} (usage) for a command that cannot be split into words
 */
export function imageMappings(images: NonNullable<RunOptions['images']>, cwd: string): ImageMapping[] {
  return Object.entries(images).map(([pattern, program]) => {
    const { command, args, env = {}, workingDir } = programOf(program);
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

function programOf(program: string | readonly string[] | ImageProgram): ImageProgram {
  return typeof program === 'string' || Array.isArray(program)
    ? { command: program as string | readonly string[] }
    : (program as ImageProgram);
}

function wordsOf(pattern: string, command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command;
  const outcome = splitWords(command);
  if (outcome.ok) return outcome.words;
  throw usage(`option images of run(): the command of ${JSON.stringify(pattern)} ${outcome.problem}`);
}
