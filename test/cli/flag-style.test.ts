import { Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { withGlobalFlags } from '../../src/cli/base/global-flags.ts';
import { commandWord, normalizeFlags } from '../../src/cli/base/called-command.ts';

const program = new Command();
program
  .command('delete')
  .option('--wait')
  .option('--no-wait')
  .option('--force')
  .option('--no-headers')
  .option('--no-show-events')
  .option('-o, --output <format>')
  .addOption(new Option('--dry-run [mode]').preset('client'));
program.command('apply').option('--validate <mode>');

it.each([
  { given: ['delete', '--wait=false'], taken: ['delete', '--no-wait'] },
  { given: ['delete', '--wait=true'], taken: ['delete', '--wait'] },
  { given: ['delete', '--force=true'], taken: ['delete', '--force'] },
  { given: ['delete', '--force=false'], taken: ['delete'] },
  { given: ['delete', '--no-headers=true'], taken: ['delete', '--no-headers'] },
  { given: ['delete', '--no-headers=false'], taken: ['delete'] },
  { given: ['delete', '--show-events=false'], taken: ['delete', '--no-show-events'] },
  { given: ['delete', '--show-events=true'], taken: ['delete'] },
  { given: ['delete', '-o=yaml', '-l=app=web'], taken: ['delete', '-o', 'yaml', '-l', 'app=web'] },
  { given: ['delete', '--output=yaml', '--dry-run=client'], taken: ['delete', '--output=yaml', '--dry-run=client'] },
  { given: ['delete', '--dry-run', 'pod/web'], taken: ['delete', '--dry-run=client', 'pod/web'] },
  { given: ['--dry-run', 'delete', 'pod/web'], taken: ['delete', '--dry-run=client', 'pod/web'] },
  { given: ['delete', '--nosuch=true', '-oyaml'], taken: ['delete', '--nosuch=true', '-oyaml'] },
  { given: ['-o', 'yaml', 'delete', 'apply'], taken: ['delete', '-o', 'yaml', 'apply'] },
  { given: ['--force', 'delete', '-o', 'name'], taken: ['delete', '--force', '-o', 'name'] },
  { given: ['delete', '-v=6', '--v=0'], taken: ['delete', '--verbose'] },
  { given: ['nosuch', '-o', 'delete'], taken: ['nosuch', '-o', 'delete'] },
  { given: ['apply', '--validate=true'], taken: ['apply', '--validate=true'] },
])('$given is taken as $taken', ({ given, taken }) => {
  expect(normalizeFlags(given, program)).toEqual(taken);
});

it.each([
  { given: ['serve', '--port', '1'], word: 'serve' },
  { given: ['--state-dir', 'get', 'serve'], word: 'serve' },
  { given: ['--state-dir=x', '-q', '--no-pager', 'serve'], word: 'serve' },
  // The value of a flag that the program does not know.
  { given: ['-n', 'get', 'apply'], word: undefined },
  { given: ['--state-dir', 'x'], word: undefined },
  { given: [], word: undefined },
])('the command of $given is known before the commands are: $word', ({ given, word }) => {
  expect(commandWord(withGlobalFlags(new Command()), given)).toBe(word);
});
