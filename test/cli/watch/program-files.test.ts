import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { programFiles } from '../../../src/cli/watch/program-files.ts';

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
  const files = programFiles(pod, { commandLine: [], configFile: [entry] }, root);
  expect(files.map((file) => path.relative(root, file))).toEqual(want);
});
