import type { Workshop } from './workshop.ts';

/** The names of all commands in `podrun --help`, without `help` itself. */
export async function commandNames(workshop: Workshop): Promise<string[]> {
  const { stdout } = await workshop.run(['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}[A-Z]/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'help');
}
