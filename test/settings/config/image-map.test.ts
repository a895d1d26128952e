import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { judgeImages, makeImageMap } from '../../../src/settings/config/image-map.ts';
import type { ImageMap, ImageMapping } from '../../../src/lifecycle/environment/entry-point.ts';
import type { SourceRules } from '../../../src/lifecycle/images/source.ts';
import { podWith } from '../../lifecycle/base-objects.ts';

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

describe('judgeImages()', () => {
  const entry = { command: undefined, args: undefined, env: {}, workingDir: undefined, folder: undefined };
  const gone = '/no/such/folder';
  const stands = `${gone}, which stands for image "app", is no folder`;
  const run = { command: ['app'] };
  const above = mkdtempSync(path.join(tmpdir(), 'podrun-folder-'));
  const loop = path.join(above, 'loop');
  const unseen = `${loop}, which stands for image "app", cannot be seen: too many levels of symbolic links`;
  symlinkSync('loop', loop);
  afterAll(() => rmSync(above, { recursive: true }));

  it.each<[string, Partial<ImageMapping>, Partial<SourceRules>, object]>([
    ['its program and its folder', { ...run, folder: tmpdir() }, {}, { type: 'present' }],
    ['a program, but no folder any more', { ...run, folder: gone }, {}, { type: 'absent', pullError: stands }],
    ['a folder that nobody may see', { ...run, folder: loop }, {}, { type: 'absent', pullError: unseen }],
    ['no folder any more, but itself', { folder: gone, pull: true }, { tier: 'namespace' }, { type: 'image' }],
  ])('an image has %s', (_what, mapping, rules, want) => {
    const images: ImageMap = { commandLine: [], configFile: [{ pattern: 'app', ...entry, ...mapping }] };
    const pod = podWith({ containers: [{ name: 'main', image: 'app' }] });
    const { containers } = judgeImages(pod, images, { choice: 'host', tier: 'process', ...rules });
    expect(containers['main']).toEqual(want);
  });
});
