import { describe, expect, it } from 'vitest';
import { commandsIn } from './commands-in.ts';
import { missingLine } from './same-story.ts';

describe('the commands of a page', () => {
  const page = (...lines: string[]): string => lines.join('\n');

  it.each([
    ['no code', page('Some `podrun get`', '', 'podrun get'), []],
    [
      'an indented block',
      page('So:', '', '    podrun get   # all', '    npx podrun events', ''),
      [
        { line: 3, text: 'podrun get   # all', output: [] },
        { line: 4, text: 'npx podrun events', output: [] },
      ],
    ],
    [
      'what it prints, behind a blank line',
      page('', '    podrun get', '', '    NAME', '', '    web', '', 'So.'),
      [{ line: 2, text: 'podrun get', output: ['NAME', '', 'web'] }],
    ],
    [
      'prompts',
      page('', '    $ podrun get', '    NAME', '    $ echo $?', '    0'),
      [
        { line: 2, text: 'podrun get', output: ['NAME'] },
        { line: 4, text: 'echo $?', output: ['0'] },
      ],
    ],
    [
      'a fence',
      page('```sh', 'podrun get \\', '  --watch', '```', 'podrun is', '```yaml', 'podrun: x', '```'),
      [{ line: 2, text: 'podrun get \\\n  --watch', output: [] }],
    ],
    [
      'an item of a list',
      page('- So:', '', '        podrun get', '- And'),
      [{ line: 3, text: 'podrun get', output: [] }],
    ],
    ['other blocks', page('', '    NAME  READY', '    web   1/1', '', '    apiVersion: v1'), []],
  ])('%s', (_what, text, commands) => {
    expect(commandsIn(text)).toEqual(commands);
  });
});

describe('what a page says is printed', () => {
  it.each([
    [['web   1/1   Running   3s'], 'NAME READY\nweb 2/2  Running 2m10s\n', undefined],
    [['web   1/1   Running'], 'web 1/1 Failed\n', 'web   1/1   Running'],
    [['one', 'two'], 'two\none\n', 'two'],
    [['one', '…', 'four'], 'one\ntwo\nthree\nfour', undefined],
    [['at … of …'], 'at once of 3', undefined],
    [['uid 1d1bd4ba-a1b2-c3d4-e5f6-0123456789ab'], 'uid 00000000-0000-0000-0000-000000000000', undefined],
    [['a.b'], 'axb', 'a.b'],
    [['app ▒▒▒███'], '', undefined],
  ])('%j, and %j is printed: %j is missing', (shown, printed, missing) => {
    expect(missingLine(shown, printed)).toBe(missing);
  });
});
