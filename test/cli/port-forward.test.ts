import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Podrun, type Running, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
let applied: Running;
/** The port of the container, on localhost only. */
let port: number;

/** A server that reads everything from its client, and then answers it in upper case. */
const PROGRAM = `
  const server = require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
    let heard = '';
    socket.setEncoding('utf8').on('data', (chunk) => (heard += chunk));
    socket.on('end', () => socket.end(heard.toUpperCase()));
  });
  server.listen(0, '127.0.0.1', () => console.log('port', server.address().port));
`;

beforeEach(async () => {
  const pod = workshop.pod('web', {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        command: [process.execPath, '-e', PROGRAM],
        ports: [{ name: 'dns', containerPort: 53, protocol: 'UDP' }],
      },
    ],
  });
  applied = workshop.begin(['apply', pod]);
  await applied.until(({ stdout }) => /port \d+/.test(stdout));
  port = Number(/port (\d+)/.exec(applied.stdout)?.[1]);
});

/** Sends a text, ends the sending side, and answers the reply. */
async function talk(at: number, said: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: at, allowHalfOpen: true });
  socket.end(said);
  return text(socket).catch(() => 'broken off');
}

/** A port that is in use at all addresses of localhost. */
async function takenPort(): Promise<{ server: Server; taken: number }> {
  const server = createServer();
  server.listen(0, '::');
  await once(server, 'listening');
  const address = server.address();
  return { server, taken: typeof address === 'object' ? (address?.port ?? 0) : 0 };
}

/** Forwards ports of this machine. Each `:port` gets one. */
async function forward(...args: string[]): Promise<{ podrun: Podrun; locals: number[] }> {
  const podrun = workshop.start(['port-forward', ...args]);
  const localsOf = ({ stdout }: Podrun): number[] =>
    [...stdout.matchAll(/^Forwarding from 127\.0\.0\.1:(\d+) -> \d+\n/gm)].map(([, local]) => Number(local));
  const wanted = args.filter((arg) => arg.startsWith(':')).length;
  await podrun.until((seen) => localsOf(seen).length === wanted);
  return { podrun, locals: localsOf(podrun) };
}

describe('podrun port-forward', () => {
  it('forwards connections in both directions, to the last byte', async () => {
    const { podrun, locals } = await forward('web', `:${port}`);
    const [local = 0] = locals;
    const said = 'x'.repeat(300_000);
    expect(await Promise.all([talk(local, said), talk(local, 'abc')])).toEqual([said.toUpperCase(), 'ABC']);
    podrun.signal('SIGINT');
    const { stdout, ...rest } = await podrun.ended;
    expect(rest).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('Forwarding from [::1]'));
    const handling = `Handling connection for ${local}`;
    expect(lines).toEqual([`Forwarding from 127.0.0.1:${local} -> ${port}`, handling, handling]);
  });

  it('reports a port without a listener and continues', async () => {
    const { server, taken } = await takenPort();
    server.close();
    const { podrun, locals } = await forward('pod/web', `:${taken}`, `:${port}`);
    const [dead = 0, alive = 0] = locals;
    expect(await talk(dead, 'abc')).toMatch(/^(broken off)?$/);
    expect(await talk(alive, 'abc')).toBe('ABC');
    await podrun.until(({ stderr }) => stderr.includes('connection refused\n'));
    expect(podrun.stderr).toMatch(
      new RegExp(
        `^error: an error occurred forwarding ${dead} -> ${taken}: error forwarding port ${taken} to pod web, ` +
          `uid [0-9a-f-]{36}: dial tcp [0-9.]+:${taken}: connect: connection refused\\n$`,
      ),
    );
  });

  it('forwards to the target port of a Service', async () => {
    const spec = `spec: { selector: { app: front }, ports: [{ name: http, port: 80, targetPort: ${port} }] }`;
    const service = workshop.file('front.yaml', `apiVersion: v1\nkind: Service\nmetadata: { name: front }\n${spec}\n`);
    await workshop.run(['apply', service]);
    await workshop.run(['label', 'pod', 'web', 'app=front']);
    const { locals } = await forward('svc/front', ':http');
    expect(await talk(locals[0] ?? 0, 'abc')).toBe('ABC');
  });

  it('ends with the Pod', async () => {
    const { podrun } = await forward('web', `:${port}`);
    await workshop.run(['delete', 'pod', 'web', '--now']);
    expect(await podrun.ended).toMatchObject({ exitCode: 1, stderr: 'error: lost connection to pod\n' });
  });

  it('names the taken ports', async () => {
    const { server, taken } = await takenPort();
    const ended = await workshop.run(['port-forward', 'web', `${taken}:${port}`]);
    const { podrun } = await forward('web', '--address=127.0.0.1', `${taken}:${port}`, `:${port}`);
    server.close();
    const bind = (network: string, address: string): string =>
      `unable to create listener: Error listen ${network} ${address}:${taken}: bind: address already in use`;
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(`Unable to listen on port ${taken}: Listeners failed to create with the `);
    expect(ended.stderr).toContain(`[${bind('tcp4', '127.0.0.1')} `);
    expect(ended.stderr).toMatch(
      new RegExp(`\\nerror: unable to listen on any of the requested ports: \\[{${taken} ${port}}\\]\\n$`),
    );
    const errors = `Listeners failed to create with the following errors: [${bind('tcp4', '127.0.0.1')}]`;
    await podrun.until(({ stderr }) => stderr.endsWith('\n'));
    expect(podrun.stderr).toBe(`Unable to listen on port ${taken}: ${errors}\n`);
  });

  it('refuses wrong arguments', async () => {
    const cases: Array<[string[], number, string]> = [
      [
        ['web'],
        2,
        'error: TYPE/NAME and list of ports are required for port-forward\n' +
          "See 'podrun port-forward -h' for help and examples\n",
      ],
      [['nope', '80'], 1, 'Error from server (NotFound): pods "nope" not found\n'],
      [['web', 'abc'], 1, "error: Pod 'web' does not have a named port 'abc'\n"],
      [['web', 'dns'], 1, 'error: UDP protocol is not supported for dns\n'],
      [['web', '80', '--address=example.org'], 2, 'error: example.org is not a valid IP\n'],
    ];
    const ended = await Promise.all(cases.map(([args]) => workshop.begin(['port-forward', ...args]).ended));
    expect(ended).toEqual(cases.map(([, exitCode, stderr]) => ({ exitCode, stdout: '', stderr })));
  });

  it('refuses a Pod that does not run', async () => {
    const done = workshop.pod('done', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
    await workshop.run(['apply', done]);
    expect(await workshop.run(['port-forward', 'done', '80'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: unable to forward port because pod is not running. Current status=Succeeded\n',
    });
  });
});
