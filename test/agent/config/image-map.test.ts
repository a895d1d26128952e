import { describe, expect, it } from 'vitest';
import { makeImageMap } from '../../../src/agent/config/image-map.ts';

describe('makeImageMap()', () => {
  it('reads NAME=COMMAND, where the command may have equals signs and quotes', () => {
    const flags = ['nginx:*=nginx -g "daemon off;"', 'ghcr.io/acme/api=env MODE=dev node server.js'];
    const map = makeImageMap(flags, undefined);
    expect(map.commandLine.map(({ pattern, command }) => [pattern, command])).toEqual([
      ['nginx:*', ['nginx', '-g', 'daemon off;']],
      ['ghcr.io/acme/api', ['env', 'MODE=dev', 'node', 'server.js']],
    ]);
    expect(map.configFile).toEqual([]);
  });

  it.each([
    ['nginx', 'must be NAME=COMMAND…'],
    ['=nginx', 'must be NAME=COMMAND…'],
    ['two words=nginx', 'must be NAME=COMMAND…'],
    ['nginx=', 'the command is empty'],
    ["nginx=sh -c 'true", "the command has no closing '"],
  ])('refuses %s', (flag, problem) => {
    const error = `--image ${JSON.stringify(flag)}: ${problem}`;
    expect(() => makeImageMap([flag], undefined)).toThrow(expect.objectContaining({ message: error, exitCode: 2 }));
  });
});
