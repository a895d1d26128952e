import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GoalError, TimeoutError } from '../../src/library/index.ts';
import { needs } from '../needs.ts';
import { emptyFolder, run, shellPod } from './pods.ts';

const FOREVER = 'exec sleep 600';

/** A Deployment of one container that runs a script. */
function deployment(name: string, script: string, replicas = 1): object {
  const { spec } = shellPod(name, script, {}, { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  };
}

function job(name: string, script: string, more: object = {}): object {
  const { spec } = shellPod(name, script);
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { ...more, template: { spec } } };
}

describe('a Deployment', () => {
  it('runs its Pods, is changed, and goes with them', async () => {
    await using pods = await run(deployment('web', FOREVER), { settle: 0 });
    await pods.until('Available');
    expect(pods.names).toEqual([expect.stringMatching(/^web-\w+-\w+$/)]);
    expect(pods.get('deployment/web').metadata.name).toBe(pods.names[0]);
    expect(pods.workload()).toMatchObject({ kind: 'Deployment', status: { readyReplicas: 1 } });
    expect((await pods.exec('main', ['echo', 'hello'], { pod: 'deployment/web' })).stdout).toBe('hello\n');
    pods.patchWorkload({ spec: { replicas: 2 } });
    await pods.until('Ready', { pod: 'deployment/web' });
    expect(pods.names).toHaveLength(2);
    await pods.until(({ status }) => status.phase === 'Running');
    expect(pods.events('deployment/web').map(({ reason }) => reason)).toContain('ScalingReplicaSet');
    expect(pods.describe().match(/^Name: /gm)).toHaveLength(2);
    expect(pods.describe('deployment/web')).toMatch(/^Replicas: +2 desired \| 2 updated/m);
    expect(() => pods.describe('service/web')).toThrow('services "web" not found');
    await pods.delete('deployment/web');
    expect(pods.names).toEqual([]);
    await expect(pods.until('Ready')).rejects.toThrow('deployment "web" cannot become Ready: it was deleted');
  });

  it('cannot succeed, and is known by name', async () => {
    await using pods = await run([deployment('web', FOREVER, 0), deployment('db', FOREVER, 0)]);
    await expect(pods.until('Succeeded')).rejects.toThrow('until() cannot wait for Succeeded: no Deployment can');
    expect(() => pods.workload()).toThrow('this run has several workloads: name one of deployment/web, deployment/db');
    expect(() => pods.workload('web')).toThrow('this run has no workload "web": it has deployment/web, deployment/db');
    expect(() => pods.logs('main', { pod: 'deployment/web' })).toThrow('deployment/web has no Pods now');
    expect(() => pods.get()).toThrow('this run has no Pods now');
    expect(pods.workloads.map(({ metadata }) => metadata.name)).toEqual(['web', 'db']);
  });

  it('says what its Pods were waiting for when the time is up', async () => {
    const late = deployment('web', 'echo no database; exit 3');
    await using pods = await run(late);
    await pods.until(({ status }) => status.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff');
    const error = await pods.until('Ready', { timeout: '10ms', allowRestarts: true }).catch((why: unknown) => why);
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as TimeoutError).message).toMatch(
      /^timed out after 10ms, waiting for Ready\ndeployment\/web: .*\/1 ready.*\npod\/web-.*\n(.*\n)* +no database\n/,
    );
    expect((error as TimeoutError).objects).toMatchObject([{ kind: 'Deployment' }]);
  });
});

it('cannot become Ready while its Service leads to no port, which a warning says before', async () => {
  const ports = [{ port: 80, targetPort: 'nowhere' }];
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports },
  };
  await using pods = await run([deployment('web', FOREVER), service], { settle: 0 });
  const message = 'service/web: spec.ports[0].targetPort: no Pod of the Service has a port "nowhere" here';
  expect(pods.warnings).toContain(message);
  await pods.until(({ status }) => status.phase === 'Running');
  await expect(pods.until('Ready')).rejects.toMatchObject({ code: 'GoalNotReached', message });
});

it('cannot become Ready while another program has the address of its Service (Linux)', needs('Linux'), async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '0.0.0.0', () => resolve()));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const spec = { selector: { app: 'web' }, ports: [{ port }] };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
  await using pods = await run([deployment('web', FOREVER), service], { network: 'host' });
  const error = await pods.until('Ready').catch((why: unknown) => why);
  expect(error).toMatchObject({ code: 'GoalNotReached' });
  expect((error as Error).message).toMatch(/^service\/web: cannot serve 127\.96\.\S+: \S+ \(pid \d+\) listens on this/);
});

it('reports the address of a Service when the address in its manifest is not available', async () => {
  const spec = { clusterIP: '10.43.0.7', selector: { app: 'web' }, ports: [{ port: 80 }] };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
  const warnings: string[] = [];
  await using pods = await run([deployment('web', FOREVER), service], { onWarning: (text) => warnings.push(text) });
  const replaced = expect.stringMatching(
    /^service\/web: clusterIP 10\.43\.0\.7 is taken or of another network; it is \d+\.96\.\d+\.\d+ here$/,
  ) as string;
  expect(warnings).toContainEqual(replaced);
  await pods.stop();
});

describe('a Job', () => {
  it('is Complete beside a server that it prepares, with the variables of the run', async () => {
    await using pods = await run([deployment('db', FOREVER), job('migrate', 'echo "to $LEVEL"')], {
      env: { LEVEL: 'seven' },
    });
    await pods.until('Succeeded');
    expect(pods.logs('main', { pod: 'job/migrate' })).toBe('to seven\n');
    await pods.until('Ready');
    await pods.stop();
    expect(pods.workload('job/migrate')).toMatchObject({ status: { succeeded: 1 } });
  });

  it('fails the wait as soon as it has failed', async () => {
    await using pods = await run(job('broken', 'echo no database; exit 3', { backoffLimit: 1 }), {
      jobBackoff: { initial: 10, max: 20 },
    });
    const error = await pods.until('Succeeded').catch((rejected: unknown) => rejected);
    expect(error).toBeInstanceOf(GoalError);
    expect((error as GoalError).message).toMatch(
      /^job "broken" cannot become Complete: BackoffLimitExceeded, 2 Pods failed \(.*\)\n(.*\n)* +no database/,
    );
    expect((error as GoalError).object).toMatchObject({ kind: 'Job', metadata: { name: 'broken' } });
  });

  it('runs again in a folder that has its record', async () => {
    const stateDir = emptyFolder();
    for (const warnings of [[], ['job.batch/once is replaced: it was Complete']]) {
      await using pods = await run(job('once', 'echo done'), { stateDir });
      await pods.until('Succeeded');
      expect(pods.logs()).toBe('done\n');
      expect(pods.warnings).toEqual(warnings);
    }
  });
});

describe('the URLs of a run', () => {
  const serving = (host: string): string =>
    `exec ${process.execPath} -e "require('http').createServer((_, r) => r.end('hello')).listen(8765, ${host})"`;
  const objects = (host: string): object[] => {
    const web = deployment('web', serving(host)) as { spec: { template: { spec: { containers: object[] } } } };
    const [container] = web.spec.template.spec.containers;
    Object.assign(container ?? {}, {
      ports: [{ name: 'http', containerPort: 8765 }],
      readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 1 },
      env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
    });
    const ports = [
      { name: 'http', port: 80, targetPort: 'http' },
      { name: 'other', port: 81, targetPort: 'http' },
    ];
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports },
    };
    const headless = { ...service, metadata: { name: 'peers' }, spec: { ...service.spec, clusterIP: 'None' } };
    const backend = { service: { name: 'web', port: { name: 'http' } } };
    const paths = [{ path: '/', pathType: 'Prefix', backend }];
    const rules = [{ host: 'shop.localhost', http: { paths } }];
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'shop' },
      spec: { rules },
    };
    return [web, service, headless, ingress];
  };
  const get = async (url: string): Promise<string> => (await fetch(url)).text();

  it('lead to Services, Ingresses and workloads, and say what to pass', async () => {
    await using pods = await run(objects('process.env.IP'), { network: 'host' });
    await pods.until('Ready');
    expect(await get(pods.url('service/web', { port: 'http' }))).toBe('hello');
    expect(await get(pods.url('deployment/web'))).toBe('hello');
    expect(pods.url('deployment/web')).toBe(pods.url('http', { pod: 'deployment/web' }));
    expect(pods.url('ingress/shop')).toMatch(/^http:\/\/shop\.localhost:\d+/);
    expect(() => pods.url('svc/web')).toThrow(
      'service/web has several ports: pass one of "http", "other", as in { port:',
    );
    expect(() => pods.url('svc/web', { port: 82 })).toThrow('service/web has no port 82: pass one of "http", "other"');
    expect(() => pods.url('service/peers')).toThrow('service/peers has no URL on this machine');
    expect(() => pods.url('service/none')).toThrow('this run has no service/none: it has service/web, ingress/shop');
  });

  it('lead into networks of their own after an until', needs('networks'), async () => {
    await using pods = await run(objects("'0.0.0.0'"), { network: 'cluster' });
    await pods.until('Ready');
    expect(await get(pods.url('http'))).toBe('hello');
    expect(await get(pods.url('service/web', { port: 81 }))).toBe('hello');
    expect(() => pods.url(9)).toThrow(/port 9 of pod "web-\S+", which has a network of its own, does not lead to this/);
  });
});
