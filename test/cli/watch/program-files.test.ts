import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { concernedContainers, containerFiles, namedPlace } from '../../../src/cli/watch/program-files.ts';

const root = mkdtempSync(path.join(tmpdir(), 'podrun-program-files-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folder = path.join(root, 'image');
mkdirSync(path.join(folder, 'opt'), { recursive: true });
for (const file of ['server.js', 'image/tester', 'image/opt/tool']) writeFileSync(path.join(root, file), '');

it.each([
  [['node', 'server.js', 'missing.js'], ['server.js']],
  [['/tester', 'serve'], ['image/tester']],
  [['/opt/tool', '/etc/passwd', '../image/tester'], ['image/opt/tool']],
])('%j of a container names %j', (command, want) => {
  const entry = { pattern: 'app', command: undefined, args: undefined, env: {}, workingDir: undefined, folder };
  const spec = { containers: [{ name: 'main', image: 'app', command }] };
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec };
  const [files] = containerFiles(pod, { commandLine: [], configFile: [entry] }, { root, named: [] });
  expect(files?.programs.map((file) => path.relative(root, file))).toEqual(want);
});

it('a changed file concerns the containers that name it, else those beside whose program it is', () => {
  const container = (name: string, ...command: readonly string[]): object => ({ name, image: 'app', command });
  for (const file of ['worker.js', 'migrate.js', 'web.py']) writeFileSync(path.join(root, file), '');
  const spec = {
    initContainers: [container('init', 'node', 'migrate.js')],
    containers: [
      container('web', 'node', 'server.js'),
      container('worker', 'node', 'worker.js'),
      container('py', 'python3', 'web.py'),
      container('named', 'npm', 'start'),
    ],
  };
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec };
  const named = [namedPlace('named=src', root)];
  const all = containerFiles(pod, { commandLine: [], configFile: [] }, { root, named });
  const concerned = (file: string): readonly string[] => {
    const { hasInit, inPlace } = concernedContainers(all, all, [path.join(root, file)]);
    return [...(hasInit ? ['init'] : []), ...inPlace];
  };
  expect(['server.js', 'lib/a.mjs', 'lib/a.py', 'migrate.js', 'src/any.txt', 'src/a.js'].map(concerned)).toEqual([
    ['web'],
    ['web', 'worker'],
    ['py'],
    ['init'],
    ['named'],
    ['web', 'worker', 'named'],
  ]);
});
