import { get } from 'node:http';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { machineAddress } from '../../../src/network/base/service-addresses.ts';
import type { StoredService } from '../../../src/api/base/objects.ts';
import { storeOf } from '../prepared-store.ts';
import { workshopFor } from '../workshop.ts';

/** A server that answers after a while with its name. Told to end, it answers what it has been asked, and ends. */
const SERVER = `
  const server = require('node:http').createServer((_, answer) => setTimeout(() => answer.end(process.env.NAME), 200));
  server.listen(8080, process.env.IP);
  process.on('SIGTERM', () => server.close(() => process.exit(0)));`;

const fieldRef = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 8000, targetPort: 8080 }] },
};

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'node',
            env: [fieldRef('IP', 'status.podIP'), fieldRef('NAME', 'metadata.name')],
            command: [process.execPath, '-e', SERVER],
            // On a machine that is too busy to answer a probe in time, a Service has no ready Pod left.
            readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1, timeoutSeconds: 60, failureThreshold: 60 },
            // New connections go to other Pods before the server hears of its end, as on a cluster. More of them would
            // take the processor from what leads them there.
            lifecycle: { preStop: { sleep: { seconds: 5 } } },
          },
        ],
      },
    },
  },
};

/** Asks 50 times a second, each time with a new connection, as soon as the host has answered once. */
class Load {
  readonly #host: string;
  #timer: NodeJS.Timeout | undefined;
  readonly #requests: Promise<void>[] = [];
  readonly answers = new Map<string, number>();
  readonly failures: string[] = [];

  constructor(host: string) {
    this.#host = host;
  }

  /** A Service follows the readiness of its Pods: it may refuse what comes at the same moment. */
  async begin(): Promise<void> {
    while (this.answers.size === 0) await this.#ask();
    this.failures.length = 0;
    this.#timer = setInterval(() => this.#requests.push(this.#ask()), 20);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#requests);
  }

  #ask(): Promise<void> {
    return new Promise((resolve) => {
      const failed = ({ message }: Error): void => {
        this.failures.push(message);
        resolve();
      };
      get({ host: this.#host, port: 8000, agent: false }, (response) => {
        let name = '';
        response.setEncoding('utf8').on('data', (text: string) => (name += text));
        response.once('error', failed);
        response.once('end', () => {
          this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
          resolve();
        });
      }).once('error', failed);
    });
  }
}

it('a rolling update loses no request', async (context) => {
  const workshop = workshopFor(context);
  const file = workshop.file('web.yaml', [SERVICE, DEPLOYMENT].map((object) => stringify(object)).join('---\n'));
  const apply = workshop.begin(['apply', file]);
  await apply.until(({ stdout }) => /✓ deployment\/web +2\/2 ready/.test(stdout));
  const { clusterIP = '' } = storeOf(workshop).get<StoredService>('services', 'default', 'web')?.spec ?? {};
  const load = new Load(machineAddress(clusterIP));
  await load.begin();
  expect(await workshop.run(['rollout', 'restart', 'deployment/web'])).toMatchObject({ exitCode: 0 });
  expect(await workshop.begin(['rollout', 'status', 'deployment/web']).ended).toMatchObject({ exitCode: 0 });
  await load.end();
  expect(load.failures).toEqual([]);
  // Two Pods before, and two after it.
  expect(load.answers.size).toBeGreaterThanOrEqual(3);
  apply.signal('SIGINT');
  await apply.ended;
});
