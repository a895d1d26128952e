import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificates } from '../../src/server/http/certificates.ts';
import { freePort } from '../free-port.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type Ended, Workshop } from './workshop.ts';

// The cluster is `podrun serve`, with a state folder of its own: everything here goes over its API.
const cluster = new Workshop();
const workshop = new Workshop();
let env: Record<string, string>;

beforeAll(async () => {
  const server = cluster.start(['serve', '--network', 'host']);
  await server.until(({ stderr }) => stderr.includes('serving '));
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(server.stdout) ?? [];
  env = { KUBECONFIG: kubeconfig };
});
afterAll(async () => {
  await workshop.close();
  await cluster.close();
});

const RULE = { apiGroups: ['golf.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['tees'] };

const tee = (name: string, hole: number): object => ({
  apiVersion: 'golf.example/v1',
  kind: 'Tee',
  metadata: { name },
  spec: { hole },
});

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tees.golf.example' },
  spec: {
    group: 'golf.example',
    scope: 'Namespaced',
    names: { kind: 'Tee', plural: 'tees' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The program of a webhook, which begins late, its Service and its configuration; custom objects come first. */
async function course(...tees: readonly object[]): Promise<string> {
  const { ca, server } = await makeCertificates({ names: ['gate.default.svc'], addresses: [] }, Date.now());
  const port = await freePort();
  const variables = { CERT: server.certificate, KEY: server.key, PORT: String(port) };
  const program = path.join(import.meta.dirname, 'in-cluster/tee-webhook.mjs');
  const objects = [
    ...tees,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'gate' },
      webhooks: [
        {
          name: 'gate.golf.example',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: {
            service: { namespace: 'default', name: 'gate' },
            caBundle: Buffer.from(ca.certificate).toString('base64'),
          },
          rules: [RULE],
        },
      ],
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'gate' },
      spec: { selector: { app: 'gate' }, ports: [{ port: 443, targetPort: port }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'gate', labels: { app: 'gate' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image: 'node',
            command: [process.execPath, program],
            env: Object.entries(variables).map(([name, value]) => ({ name, value })),
            readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          },
        ],
      },
    },
    DEFINITION,
  ];
  return workshop.file('course.json', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
}

const onCluster = (args: readonly string[]): Promise<Ended> =>
  workshop.start(['apply', '--context', 'podrun', '-n', 'default', ...args], env).ended;

/** The names of the objects of the run that the cluster still has. */
async function left(): Promise<string> {
  const names = await cluster.run(['get', 'crd,mutatingwebhookconfigurations,pods', '-A', '-o', 'name']);
  return names.stdout;
}

it(
  'custom objects wait for the webhook that changes them, and for nothing else',
  { timeout: 4 * PATIENCE_MS },
  async () => {
    const labels = cluster.commandLine([
      'get',
      'tees',
      '-o',
      'jsonpath={..labels.checked}',
      '--state-dir',
      cluster.stateDir,
    ]);
    const { exitCode, stdout, stderr } = await onCluster([await course(tee('first', 1)), '--', ...labels]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.match(/\S+ (?:created|waits: .*webhook)/g)).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/tees.golf.example created',
      'service/gate created',
      'pod/gate created',
      'mutatingwebhookconfiguration.admissionregistration.k8s.io/gate created',
      expect.stringMatching(/^tee\.golf\.example\/first waits: .*failed calling webhook/),
      'tee.golf.example/first created',
    ]);
    expect(stdout).toMatch(/^yes/m);
    expect(await left()).toBe('');
  },
);

it('a custom object that the webhook refuses fails the run in its words', { timeout: 4 * PATIENCE_MS }, async () => {
  const { exitCode, stderr } = await onCluster([await course(tee('first', 1), tee('second', -1))]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('admission webhook "gate.golf.example" denied the request: no such hole');
  expect(await left()).toBe('');
});

it('gives up at the time of the run, and leaves nothing', { timeout: 4 * PATIENCE_MS }, async () => {
  const { exitCode, stderr } = await onCluster(['--timeout', '1s', await course(tee('first', 1))]);
  expect(exitCode).toBe(124);
  expect(stderr).toContain('failed calling webhook "gate.golf.example"');
  expect(await left()).toBe('');
});
