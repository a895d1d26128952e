import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyCommandName } from './commands.ts';
import { runHere } from './in-process.ts';
import { Workshop } from './workshop.ts';

const root = new URL('../../', import.meta.url);
const pages = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((page) => `docs/${page}`),
];
const fixtures = readdirSync(new URL('fixtures', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => `fixtures/${file}`);

const workshop = new Workshop();
let verbs: readonly string[] = [];
let help = '';

beforeAll(async () => {
  verbs = await everyCommandName(workshop);
  const texts = await Promise.all(
    [[], ...verbs.map((verb) => verb.split(' '))].map((args) => runHere(workshop, [...args, '--help'])),
  );
  help = texts.map(({ stdout }) => stdout).join('\n');
});

afterAll(() => workshop.close());

it.each([...pages, ...fixtures])('%s shows only flags and commands that exist', (page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  // The arguments reach to the end of the line or of the code span, without the words of other programs.
  const calls = [...text.matchAll(/(?:npx |\$ |`| {4}|# {3})podrun ([^`\n]*)/g)].map(([, call = '']) => call);
  const flags = calls.flatMap((call) => call.replaceAll(/ -- .*|#.*|'[^']*'/g, '').match(/--[a-z][a-z-]*/g) ?? []);
  expect(flags.filter((flag) => !help.includes(flag))).toEqual([]);
  const called = calls.flatMap((call) => call.match(/^[a-z][a-z-]*(?= |$)/) ?? []);
  expect(called.filter((verb) => verb !== 'help' && !verbs.includes(verb))).toEqual([]);
});
