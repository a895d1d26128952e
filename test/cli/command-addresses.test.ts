import { describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const PORT = 18_779;
const SERVER = `require('http').createServer((q, r) => r.end('from the Pod')).listen(${PORT})`;
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'api', labels: { app: 'api' } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'web',
        image: 'node',
        command: [process.execPath, '-e', SERVER],
        ports: [{ name: 'http', containerPort: PORT }],
        readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 },
      },
    ],
  },
};
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'api' },
  spec: { selector: { app: 'api' }, ports: [{ port: 8099, targetPort: 'http' }] },
};
const INGRESS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'door' },
  spec: { defaultBackend: { service: { name: 'api', port: { number: 8099 } } } },
};

/** Prints the response of each address. */
const CHECK = `
  const { PODRUN_IP, PODRUN_PORT_HTTP, PODRUN_API_IP, PODRUN_API_URL, PODRUN_DOOR_URL } = process.env;
  const urls = ['http://' + PODRUN_IP + ':' + PODRUN_PORT_HTTP, 'http://' + PODRUN_API_IP + ':' + PODRUN_PORT_HTTP];
  for (const url of [...urls, PODRUN_API_URL, PODRUN_DOOR_URL]) {
    if (url === undefined) console.log('none');
    else fetch(url).then((got) => got.text()).then((text) => console.log('got ' + text), (error) => console.log(error));
  }`;

async function check(flags: readonly string[], ...objects: readonly object[]): Promise<string[]> {
  const file = workshop.file('all.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const apply = ['apply', file, ...flags, '--timeout', '3m', '--', process.execPath, '-e', CHECK];
  const { stdout } = await workshop.run(apply);
  return stdout
    .split('\n')
    .filter((line) => /^(got|none)/.test(line))
    .toSorted();
}

const GOT = 'got from the Pod';

describe('COMMAND reaches each address that it gets', () => {
  it('in the network of this machine', async () => {
    expect(await check(['--network', 'host'], POD)).toEqual([GOT, GOT, 'none', 'none']);
  });

  it.each([
    ['a cluster, without a Service', ['--network', 'cluster'], [POD], [GOT, GOT, 'none', 'none']],
    ['a cluster, with a Service', [], [SERVICE, POD], [GOT, GOT, GOT, 'none']],
    ['a cluster, with an Ingress', [], [SERVICE, INGRESS, POD], [GOT, GOT, GOT, GOT]],
    ['the network of a Pod alone', ['--network', 'pod'], [POD], [GOT, GOT, 'none', 'none']],
  ])('in %s', needs('networks'), async (_, flags, objects, expected) => {
    expect(await check(flags, ...objects)).toEqual(expected);
  });
});
