import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { serverOf } from '../server/requests.mjs';
import { storeOf } from './prepared-store.ts';
import { Workshop } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = new Workshop();

afterAll(() => workshop.close());

it('serve --once runs COMMAND with KUBECONFIG, and returns its exit code', async () => {
  const command = 'grep -q \'"token"\' "$KUBECONFIG" && stat -c %a "$KUBECONFIG" && exit 3';
  const { exitCode, stdout } = await workshop.run(['serve', '--once', '--', 'sh', '-c', command]);
  expect([exitCode, stdout]).toEqual([3, '600\n']);
});

it('serve refuses a COMMAND without --once, and --once without a COMMAND', async () => {
  const { exitCode, stderr } = await workshop.run(['serve', '--', 'true']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('a COMMAND needs --once')]);
  expect((await workshop.run(['serve', '--once'])).exitCode).toBe(2);
});

it('serve that is killed amid writes has stored each write that it has confirmed', async () => {
  const server = workshop.start(['serve', '--network', 'host', '--runtime', 'process']);
  await server.until(({ stderr }) => stderr.includes('serving '));
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(server.stdout) ?? [];
  const { token, ...place } = serverOf(kubeconfig);
  const agent = new Agent({ keepAlive: true });
  const send = (method: string, target: string, body: object): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const path = `/api/v1/namespaces/default/configmaps${target}`;
      const sent = request({ ...place, method, path, agent, headers, servername: 'localhost' }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  /** The values that were answered, by name. */
  const answered = new Map<string, string>();
  let writes = 0;
  const worker = async (_: unknown, index: number): Promise<void> => {
    for (let round = 0; ; round++) {
      const name = `map-${index}-${round}`;
      for (const [method, target, n] of [
        ['POST', '', '0'],
        ['PATCH', `/${name}`, '1'],
      ] as const) {
        const code = await send(method, target, { metadata: { name }, data: { n } });
        expect([200, 201]).toContain(code);
        answered.set(name, n);
        if (++writes === 200) server.signal('SIGKILL');
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: 8 }, worker));
  agent.destroy();
  server.signal('SIGKILL');
  await server.ended;
  for (const end of ends) expect((end as PromiseRejectedResult).reason).toMatchObject({ code: expect.any(String) });
  const store = storeOf(workshop);
  const lost = [...answered].filter(([name, n]) => {
    const data = store.get('configmaps', 'default', name)?.['data'] as { readonly n: string } | undefined;
    // A change whose answer was lost may be stored, too.
    return data === undefined || data.n < n;
  });
  expect([lost, writes >= 200]).toEqual([[], true]);
});

const [command, operator] = ['command.mjs', 'operator.mjs'].map((name) =>
  path.join(import.meta.dirname, 'in-cluster', name),
);

it('an operator runs as a Pod; its crash fails the run; the log knows it', needs('namespaces'), async () => {
  const log = path.join(workshop.folder, 'audit.jsonl');
  const flags = ['--network', 'host', '--runtime', 'namespace', '--audit-log', log];
  const run = await workshop.run(['serve', '--once', ...flags, '--', process.execPath, command ?? '', operator ?? '']);
  expect(run.stderr).toContain(
    'error: pod "operator" did not stay Ready while COMMAND was running: container main exited with code 3',
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
});
