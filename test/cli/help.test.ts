import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withHelp } from '../../src/cli/help/help.ts';
import { everyCommandName } from './commands.ts';
import { runHere } from './in-process.ts';
import { type Ended, Workshop } from './workshop.ts';

const workshop = new Workshop();
const COMMANDS = await everyCommandName(workshop);
const helps = new Map<string, Ended>();

beforeAll(async () => {
  const asked = COMMANDS.map((command) => [...command.split(' '), '--help']);
  const ended = await Promise.all([['--help'], ...asked].map((args) => runHere(workshop, args)));
  ended.forEach((help, index) => helps.set(COMMANDS[index - 1] ?? '', help));
});

afterAll(() => workshop.close());

const helpOf = (command: string): string => helps.get(command)?.stdout ?? '';

it('lists the commands by name, each with a short sentence', () => {
  expect(COMMANDS).toEqual(expect.arrayContaining(['apply', 'get', 'logs', 'completion', 'version']));
  expect(helpOf('')).not.toContain('[options]');
});

describe.each(COMMANDS)('%s --help', (command) => {
  it('has a usage line, a sentence, and examples of the command', () => {
    expect(helps.get(command)?.exitCode).toBe(0);
    expect(helpOf(command)).toMatch(new RegExp(`^Usage: podrun ${command}(?:\\|[a-z]+)? .*\\n\\n[A-Z][^]*?\\.\\n\\n`));
    const examples = helpOf(command).split('\nExamples:\n')[1] ?? '';
    expect(examples).toMatch(new RegExp(`^  .*podrun ${command}`));
  });

  it('omits obvious defaults, and lists the global flags', () => {
    expect(helpOf(command)).not.toMatch(/default:\s+(?:false|\[\]|"none")|preset|\[options\]/);
    expect(helpOf(command)).toMatch(/Global Options:\n {2}--state-dir <folder> /);
    expect(helpOf(command)).not.toContain('print the version');
  });
});

it.each([
  [undefined, ['  --a-flag-of-forty-five-columns-in-all <value>  words words words words words']],
  [100, ['  --a-flag-of-forty-five-columns-in-all <value>  words words words words words']],
  [60, ['  --a-flag-of-forty-five-columns-in-all <value>', '        words words words words words']],
  [50, ['  --a-flag-of-forty-five-columns-in-all <value>', '        words words words words words']],
])('breaks no word where a terminal has %s columns', (columns, lines) => {
  const program = withHelp(new Command('podrun'), () => columns);
  program.option('--a-flag-of-forty-five-columns-in-all <value>', 'words words words words words');
  expect(program.helpInformation()).toContain(lines.join('\n'));
});

it('is shown by help NAME, too, also for a command below another', async () => {
  for (const command of ['delete', 'rollout status', 'create secret tls']) {
    expect((await runHere(workshop, ['help', ...command.split(' ')])).stdout).toBe(helpOf(command));
  }
});

it('shows choices, defaults, and the meaning of a flag without a value', () => {
  const flat = helpOf('delete').replaceAll(/\s+/g, ' ');
  expect(flat).toContain('--dry-run[=mode] ');
  expect(flat).toContain('(one of none, client, server; --dry-run alone: client)');
  expect(flat).toContain('negative: as the spec says (default: -1)');
  expect(helpOf('wait').replaceAll(/\s+/g, ' ')).toContain('(default: "30s")');
});

it.each([[['nosuch', '--help']], [['help', 'nosuch']], [['nosuch']]])('%s is an unknown command', async (args) => {
  const { exitCode, stdout, stderr } = await runHere(workshop, args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe('error: unknown command "nosuch" for "podrun"\nSee \'podrun --help\' for usage.\n');
});
