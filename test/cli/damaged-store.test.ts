import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const LINES = ['null', '[]', '{}', '"x"', '7', '{"type":"ADDED"}', '{"type":"MODIFIED","object":null}'];
const HALF_A_POD = '{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"web","uid":"x"}}}';
const HALF_AN_EVENT = '{"type":"MODIFIED","object":{"kind":"Event","metadata":{"name":"e","uid":"y"}}}';

const ODD_STATUS = JSON.stringify({
  type: 'ADDED',
  object: {
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'x',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { containers: [] },
    status: { phase: 7, containerStatuses: [{}] },
  },
});

/** Damaged contents of the files of a Pod, by name. */
const DAMAGE: ReadonlyArray<readonly [what: string, files: Readonly<Record<string, string>>]> = [
  ['half a JSON', Object.fromEntries(['transitions.ndjson', 'owner.json'].map((file) => [file, '{"a": [1,']))],
  ['another JSON', { 'transitions.ndjson': '{}\n', 'owner.json': 'null' }],
  ['a status that says nothing', { 'transitions.ndjson': `${ODD_STATUS}\n` }],
  [
    'odd lines',
    Object.fromEntries(
      ['transitions', 'probes', 'hooks', 'usage', 'processes'].map((name) => [
        `${name}.ndjson`,
        [...LINES, HALF_A_POD, HALF_AN_EVENT, ''].join('\n'),
      ]),
    ),
  ],
];

const COMMANDS = [
  'get -o wide',
  'describe',
  'events',
  'logs web',
  'probes web',
  'history',
  'timeline web',
  'gc --dry-run',
];

it.each(DAMAGE)('%s in the store is reported without a stack trace', async (_what, files) => {
  const manifest = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
  await workshop.run(['apply', manifest]);
  const folder = path.join(workshop.stateDir, 'pods/default/web');
  for (const [name, text] of Object.entries(files)) {
    rmSync(path.join(folder, `${name}.before`), { force: true });
    writeFileSync(path.join(folder, name), text);
  }
  for (const command of COMMANDS) {
    const { exitCode, stderr } = await workshop.run(command.split(' '));
    expect(stderr).not.toMatch(/defect|^ {4}at /m);
    expect(exitCode).toBeLessThan(2);
  }
});
