import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, Workshop } from './workshop.ts';

const COMMANDS = [
  'apply',
  'get',
  'describe',
  'logs',
  'probes',
  'events',
  'history',
  'top',
  'wait',
  'delete',
  'exec',
  'attach',
  'port-forward',
  'cp',
  'debug',
  'gc',
  'doctor',
  'patch',
  'label',
  'annotate',
  'condition',
  'explain',
  'validate',
];

const workshop = new Workshop();
const helps = new Map<string, Ended>();

beforeAll(async () => {
  const asked = [...COMMANDS, 'version'].map((command) => [command, '--help']);
  const ended = await Promise.all([['--help'], ...asked].map((args) => workshop.run(args)));
  ended.forEach((help, index) => helps.set(asked[index - 1]?.[0] ?? '', help));
});

afterAll(() => workshop.close());

const helpOf = (command: string): string => helps.get(command)?.stdout ?? '';

it('lists every command by its name, with a sentence that is short', () => {
  const list = /^Commands:\n(.*?)\n\n/ms.exec(helpOf(''))?.[1] ?? '';
  const listed = [...list.matchAll(/^ {2}([\w-]+) +[A-Z]/gm)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set([...COMMANDS, 'version', 'help']));
  expect(list).not.toContain('[options]');
});

describe.each(COMMANDS)('%s --help', (command) => {
  it('has a usage line, a sentence, and examples of the command', () => {
    expect(helps.get(command)?.exitCode).toBe(0);
    expect(helpOf(command)).toMatch(new RegExp(`^Usage: podrun ${command} .*\\n\\n[A-Z][^]*?\\.\\n\\n`));
    const examples = helpOf(command).split('\nExamples:\n')[1] ?? '';
    expect(examples).toMatch(new RegExp(`^  .*podrun ${command}`));
  });

  it('tells no defaults that go without saying, and what all commands take', () => {
    expect(helpOf(command)).not.toMatch(/default:\s+(?:false|\[\]|"none")|preset|\[options\]/);
    expect(helpOf(command)).toMatch(/Global Options:\n {2}--state-dir <folder> /);
    expect(helpOf(command)).not.toContain('--version');
  });
});

it('tells choices, defaults, and what a flag means without its value', () => {
  const flat = helpOf('delete').replaceAll(/\s+/g, ' ');
  expect(flat).toContain('(one of none, client, server; --dry-run alone: client)');
  expect(flat).toContain('negative: as its spec says (default: -1)');
  expect(helpOf('wait').replaceAll(/\s+/g, ' ')).toContain('(default: "30s")');
});

it.each([[['nosuch', '--help']], [['help', 'nosuch']], [['nosuch']]])('%s is an unknown command', async (args) => {
  const { exitCode, stdout, stderr } = await workshop.run(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe('error: unknown command "nosuch" for "podrun"\nSee \'podrun --help\' for usage.\n');
});
