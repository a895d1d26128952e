import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere } from '../in-process.ts';
import { GOLDEN_ENV } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();
const folder = path.join(import.meta.dirname, '../../golden/workloads');
const textOf = (state: string, file: string): string => readFileSync(path.join(folder, state, file), 'utf8');

const states = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The commands of kubectl that were recorded in a state. */
const commandsOf = (state: string): ReadonlyArray<{ readonly file: string; readonly command: string }> =>
  JSON.parse(textOf(state, 'commands.json')) as [];

/** The output of a recorded command about the saved objects of a state. */
async function print(state: string, command: string): Promise<{ exitCode: number; printed: string }> {
  const saved = ['objects', 'events'].flatMap((name) => ['--from', path.join(folder, state, `${name}.json`)]);
  const args = command.split(' ').slice(1);
  const { exitCode, stdout, stderr } = await runHere(workshop, [...args, ...saved], { env: GOLDEN_ENV });
  return { exitCode, printed: stdout + stderr };
}

describe.each(states)('the workloads in the state %s', (state) => {
  it.each(commandsOf(state))('$command prints what kubectl prints', async ({ file, command }) => {
    expect(await print(state, command)).toEqual({ exitCode: 0, printed: textOf(state, file) });
  });
});
