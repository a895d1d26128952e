import { runHere } from './in-process.ts';
import type { Workshop } from './workshop.ts';

/** The names of all commands in `podrun --help`, without `help` itself. */
export async function commandNames(workshop: Workshop): Promise<string[]> {
  const { stdout } = await workshop.run(['--help']);
  return namesIn(stdout).filter((name) => name !== 'help');
}

/** The names of all commands, and of those below them: `rollout`, `rollout status`. */
export async function everyCommandName(workshop: Workshop): Promise<string[]> {
  const names: string[] = [];
  for (const name of await commandNames(workshop)) names.push(...(await withInner(workshop, name)));
  return names;
}

async function withInner(workshop: Workshop, name: string): Promise<string[]> {
  const { stdout } = await runHere(workshop, [...name.split(' '), '--help']);
  const [, list = ''] = stdout.split('\nCommands:\n');
  const inner = await Promise.all(namesIn(list).map((word) => withInner(workshop, `${name} ${word}`)));
  return [name, ...inner.flat()];
}

function namesIn(help: string): string[] {
  return [...help.matchAll(/^ {2}([a-z][a-z-]*) {2,}[A-Z]/gm)].map(([, name = '']) => name);
}
