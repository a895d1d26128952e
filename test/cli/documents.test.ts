import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workshop } from './workshop.ts';

const VERBS = [
  ...'apply get describe logs exec attach probes events history wait delete debug gc'.split(' '),
  ...'cp port-forward doctor top explain patch label annotate condition validate'.split(' '),
];

const root = new URL('../../', import.meta.url);
const pages = ['README.md', ...readdirSync(new URL('docs', root)).map((page) => `docs/${page}`)];
const fixtures = readdirSync(new URL('fixtures', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => `fixtures/${file}`);

const workshop = new Workshop();
let help = '';

beforeAll(async () => {
  const texts = await Promise.all(
    [[], ...VERBS.map((verb) => [verb])].map((args) => workshop.run([...args, '--help'])),
  );
  help = texts.map(({ stdout }) => stdout).join('\n');
});

afterAll(() => workshop.close());

it.each([...pages, ...fixtures])('%s shows only flags and commands that exist', (page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  // Up to the end of the line or of the code span, without what belongs to other programs.
  const calls = [...text.matchAll(/(?:npx |\$ |`| {4}|# {3})podrun ([^`\n]*)/g)].map(([, call = '']) => call);
  const flags = calls.flatMap((call) => call.replaceAll(/ -- .*|#.*|'[^']*'/g, '').match(/--[a-z][a-z-]*/g) ?? []);
  expect(flags.filter((flag) => !help.includes(flag))).toEqual([]);
  const verbs = calls.flatMap((call) => call.match(/^[a-z-]+(?= |$)/) ?? []);
  expect(verbs.filter((verb) => ![...VERBS, 'version'].includes(verb))).toEqual([]);
});
