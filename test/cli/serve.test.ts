import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { TIERS } from './tiers.ts';
import { Workshop } from './workshop.ts';

const workshop = new Workshop();

afterAll(() => workshop.close());

it('serve --once runs COMMAND with KUBECONFIG, and answers its exit code', async () => {
  const command = 'grep -q \'"token"\' "$KUBECONFIG" && stat -c %a "$KUBECONFIG" && exit 3';
  const { exitCode, stdout } = await workshop.run(['serve', '--once', '--', 'sh', '-c', command]);
  expect([exitCode, stdout]).toEqual([3, '600\n']);
});

it('serve refuses a COMMAND without --once, and --once without a COMMAND', async () => {
  const { exitCode, stderr } = await workshop.run(['serve', '--', 'true']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('a COMMAND needs --once')]);
  expect((await workshop.run(['serve', '--once'])).exitCode).toBe(2);
});

const [command, operator] = ['command.mjs', 'operator.mjs'].map((name) =>
  path.join(import.meta.dirname, 'in-cluster', name),
);

it.runIf(TIERS.includes('namespace'))(
  'an operator runs as a Pod; its crash fails the run; the log knows it',
  async () => {
    const log = path.join(workshop.folder, 'audit.jsonl');
    const flags = ['--network', 'host', '--runtime', 'namespace', '--audit-log', log];
    const run = await workshop.run([
      'serve',
      '--once',
      ...flags,
      '--',
      process.execPath,
      command ?? '',
      operator ?? '',
    ]);
    expect(run.stderr).toContain(
      'error: pod "operator" did not stay ready while COMMAND was running: container main exited with code 3',
    );
    expect([run.exitCode, run.stdout]).toEqual([1, 'hello\n']);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const events = lines.map(
      (line) => JSON.parse(line) as { user: object; verb: string; stage: string; objectRef: object },
    );
    const isOwn = ({ user, stage }: (typeof events)[number]): boolean =>
      stage === 'ResponseComplete' && JSON.stringify(user).includes('system:serviceaccount:default:default');
    const [create, watch] = events.filter(isOwn);
    expect([create?.verb, watch?.verb]).toEqual(['create', 'watch']);
    expect(create?.objectRef).toEqual({ resource: 'configmaps', namespace: 'default', apiVersion: 'v1' });
    expect(lines.join('\n')).not.toMatch(/Bearer|eyJ/);
  },
);
