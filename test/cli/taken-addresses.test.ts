import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../needs.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Another program, with a port of its own: the first free one from `first` on, or one that the kernel chooses. */
async function otherProgram(host: string, first = 0): Promise<number> {
  const server = createServer((socket) => void socket.end());
  onTestFinished(() => void server.close());
  for (let port = first; ; port++) {
    const listening = once(server, 'listening');
    server.listen(port, host);
    const isFree = await listening.then(
      () => true,
      () => false,
    );
    if (isFree) return (server.address() as AddressInfo).port;
  }
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'x', command: ['sleep', '600'] }] },
};

function manifest(spec: object, ...more: readonly object[]): string {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ...spec },
  };
  return workshop.file('web.yaml', [service, ...more, POD].map((object) => JSON.stringify(object)).join('\n---\n'));
}

const INGRESS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'shop' },
  spec: { defaultBackend: { service: { name: 'web', port: { number: 8099 } } } },
};

interface Situation {
  readonly file: string;
  readonly flags?: readonly string[];
  /** The beginning of the line about the address. */
  readonly line: RegExp;
}

const SITUATIONS: readonly (readonly [string, () => Promise<Situation>])[] = [
  [
    'the port of a Service',
    async () => {
      const port = await otherProgram('0.0.0.0');
      return {
        file: manifest({ ports: [{ port }] }),
        line: new RegExp(`service/web: cannot serve 127\\.96\\.\\S+:${port}: `),
      };
    },
  ],
  [
    'a node port',
    async () => {
      const nodePort = await otherProgram('127.0.0.1', 30_000 + (process.pid % 2000));
      const file = manifest({ type: 'NodePort', ports: [{ port: 8099, nodePort }] });
      return { file, line: new RegExp(`service/web: cannot serve 127\\.0\\.0\\.1:${nodePort}: `) };
    },
  ],
  [
    'a requested port of Ingresses',
    async () => {
      const port = await otherProgram('127.0.0.1');
      const flags = ['--ingress-port', `${port},${port === 65_535 ? 1024 : port + 1}`];
      const file = manifest({ ports: [{ port: 8099 }] }, INGRESS);
      return { file, flags, line: new RegExp(`ingress/shop: cannot serve 127\\.0\\.0\\.1:${port}: `) };
    },
  ],
];

describe('another program has an address (found in /proc: Linux)', needs('Linux'), () => {
  it('fails no run after the end of that program', async () => {
    const server = createServer().listen(0, '0.0.0.0');
    await once(server, 'listening');
    const file = manifest({ ports: [{ port: (server.address() as AddressInfo).port }] });
    const args = ['apply', file, '--network', 'host', '--until', 'ready', '--', 'true'];
    expect((await workshop.run(args)).stderr).toContain('service/web: cannot serve');
    server.close();
    expect(await workshop.run(args)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each(SITUATIONS)('%s: a goal fails at once, and COMMAND does not run', async (_, situation) => {
    const { file, flags = [], line } = await situation();
    const marker = path.join(workshop.folder, 'ran');
    const report = path.join(workshop.folder, 'report');
    const apply = ['apply', file, '--network', 'host', ...flags, '--report', report];
    const { exitCode, stdout, stderr } = await workshop.run([...apply, '--', 'touch', marker]);
    expect(stderr).toMatch(line);
    expect(stderr).toContain(`(pid ${process.pid}) listens on this port`);
    expect([exitCode, existsSync(marker)]).toEqual([1, false]);
    expect(stdout).toContain('an object cannot be served, ending the Pods');
    expect(readFileSync(path.join(report, 'junit.xml'), 'utf8')).toMatch(/<testsuites [^>]*failures="1"/);
  });
});
