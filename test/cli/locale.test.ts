import { beforeEach, expect, it } from 'vitest';
import { GOLDEN_ENV, putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Locales with other numbers, dates and orders. */
const ELSEWHERE: ReadonlyArray<Readonly<Record<string, string>>> = [
  { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de' },
  { LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' },
  { LANG: 'C', LC_ALL: 'C', LC_NUMERIC: 'fr_FR.UTF-8' },
];

beforeEach(() => putStates(storeOf(workshop), ['crashloop', 'running-ready']));

const READING = [
  ['get', 'pods', '-o', 'wide'],
  ['get', 'pods', '-o', 'yaml'],
  ['describe', 'pods'],
  ['events'],
  ['history'],
  ['get', 'nosuch'],
];

it.each(READING)('podrun %s %s %s prints the same in every locale', async (...args) => {
  const words = args.filter(Boolean);
  const places = [{ LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' }, ...ELSEWHERE];
  const [here, ...there] = await Promise.all(places.map((env) => workshop.run(words, { ...GOLDEN_ENV, ...env })));
  expect(there).toEqual(ELSEWHERE.map(() => here));
});

it.each([
  { args: ['get', 'pods'] },
  { args: ['get', 'pods', '-o', 'yaml'] },
  { args: ['events', '-o', 'json'] },
  { args: ['history'] },
])('podrun $args prints the same in all time zones', async ({ args }) => {
  const here = await workshop.run(args, GOLDEN_ENV);
  expect(await workshop.run(args, { ...GOLDEN_ENV, TZ: 'America/St_Johns' })).toEqual(here);
});

it('describe prints times in the time zone of the machine, as kubectl does, and in English', async () => {
  const there = { ...GOLDEN_ENV, TZ: 'Asia/Kathmandu', LC_ALL: 'ne_NP.UTF-8' };
  const { stdout } = await workshop.run(['describe', 'pods'], there);
  expect(stdout).toMatch(/^Start Time: +\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} \+0545$/m);
});

it.each([[], ['apply'], ['get'], ['explain'], ['wait']])('the help of podrun %s is the same', async (...command) => {
  const [here, there] = await Promise.all(
    [{}, { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' }].map((env) =>
      workshop.run([...command, '--help'], env),
    ),
  );
  expect(there).toEqual(here);
});
