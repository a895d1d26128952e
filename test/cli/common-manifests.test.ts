import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/index.ts';
import { type KubernetesServer, serve } from '../../src/library/index.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { post } from './corpus.ts';
import { runHere } from './in-process.ts';
import { storeOf } from './prepared-store.ts';
import { Workshop, workshopFor } from './workshop.ts';

/*
 * Manifests whose outcome is more than what is stored, by `apply` and by the API of a server.
 */

const HOST = { runtime: 'process', network: 'host', imageSource: 'host', config: false } as const;
const FLAGS = ['--runtime', 'process', '--network', 'host'];

const served = new Workshop();
let server: KubernetesServer;
beforeAll(async () => {
  server = await serve({ ...HOST, stateDir: served.stateDir });
});
afterAll(async () => {
  await server.close();
  await served.close();
});

/** A rule asks for a field of an item of a list. */
const ROUTES = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: routes.corpus.example.com}
spec:
  group: corpus.example.com
  scope: Namespaced
  names: {plural: routes, singular: route, kind: Route}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: "size(self.matches) != 1 || has(self.matches[0].path)", message: "one match needs a path"}
            properties:
              matches: {type: array, maxItems: 4, items: {type: object, properties: {path: {type: string}}}}
`;
const ROUTE = `
apiVersion: corpus.example.com/v1
kind: Route
metadata: {name: bare}
spec: {matches: [{}]}
`;
const QUOTA = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: one-pod, namespace: tight}
spec: {hard: {pods: "1", requests.cpu: 200m}}
`;
const TWO_PODS = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: two, namespace: tight}
spec:
  replicas: 2
  progressDeadlineSeconds: 5
  selector: {matchLabels: {a: two}}
  template:
    metadata: {labels: {a: two}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: busybox, command: [sleep, "600"], resources: {requests: {cpu: 100m}}}]
`;
const APART = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: apart}
spec:
  replicas: 2
  selector: {matchLabels: {a: apart}}
  template:
    metadata: {labels: {a: apart}}
    spec:
      terminationGracePeriodSeconds: 0
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: apart}}}
      containers: [{name: c, image: busybox, command: [sleep, "600"]}]
`;
const MIGRATION = `
apiVersion: batch/v1
kind: Job
metadata: {name: migration}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: busybox, command: [sh, -c, "sleep 1; echo no such table; exit 2"]}]
`;
const large = (annotation: string): string =>
  ROUTES.replaceAll('routes', 'larges')
    .replaceAll('oute', 'arge')
    .replace('.com}', `.com, annotations: {blob: ${annotation}}}`);

const objectsOf = (text: string): KubeObject[] => parseAllDocuments(text).map((each) => each.toJS() as KubeObject);

/** The first condition of a type in the status of an object. */
function conditionOf(workshop: Workshop, [storage, namespace, name]: readonly string[], type: string): object {
  const object = storeOf(workshop).get<never>(storage!, namespace!, name!) as
    | { status?: { conditions?: { type: string }[] } }
    | undefined;
  return object?.status?.conditions?.find((condition) => condition.type === type) ?? {};
}

describe('a custom resource that a rule of its definition refuses', () => {
  const why = 'Route.corpus.example.com "bare" is invalid: spec: Invalid value: one match needs a path';

  it('has the words of the API server, by apply', async (context) => {
    const workshop = workshopFor(context);
    const ended = await runHere(workshop, ['apply', workshop.file('all.yaml', `${ROUTE}---${ROUTES}`)]);
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) });
  });

  it('has the same words by the API', async () => {
    const [definition, route] = objectsOf(`${ROUTES}---${ROUTE}`);
    await post(server, definition!);
    expect((await post(server, route!)).body.message).toBe(why);
  });
});

describe('a definition whose annotations are nearly as large as they may be', () => {
  const text = large('x'.repeat(200_000));

  it('is applied, without what podrun would add, and applied again', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('large.yaml', text);
    const line = 'customresourcedefinition.apiextensions.k8s.io/larges.corpus.example.com';
    for (const how of ['created', 'unchanged']) {
      const ended = await runHere(workshop, ['apply', file]);
      expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${line} ${how}\n`) });
    }
  });

  it('is stored by the API', async () => {
    expect((await post(server, objectsOf(text)[0]!)).body.kind).toBe('CustomResourceDefinition');
  });
});

/** Manifests that are refused, in the same words by each door. */
const REFUSED: ReadonlyArray<{ readonly what: string; readonly text: string; readonly why: string }> = [
  {
    what: 'a key that no ConfigMap may have',
    text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\ndata: {with.dot: x, has=eq: q}\n',
    why: 'data[has=eq]: Invalid value: "has=eq": a valid config key must consist of',
  },
  {
    what: 'a policy of admission that matches no resource',
    text: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-match}
spec: {failurePolicy: Ignore, validations: [{expression: "true"}], matchConstraints: {}}
`,
    why: 'spec.matchConstraints.resourceRules: Required value',
  },
];

describe.each(REFUSED)('$what is refused', ({ text, why }) => {
  it('by apply', async (context) => {
    const workshop = workshopFor(context);
    const ended = await runHere(workshop, ['apply', workshop.file('wrong.yaml', text)]);
    expect(ended.stderr).toContain(why);
    expect([1, 2]).toContain(ended.exitCode);
  });

  it('by the API', async () => {
    expect((await post(server, objectsOf(text)[0]!)).body.message).toContain(why);
  });
});

describe('a Pod beside an object that nothing defines', { timeout: 4 * PATIENCE_MS }, () => {
  const text = `
apiVersion: v1
kind: Pod
metadata: {name: app}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [echo, ran]}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: app}
spec: {selector: {matchLabels: {app: app}}, endpoints: [{port: web}]}
`;

  it('runs, with a warning about that object, by apply', async (context) => {
    const workshop = workshopFor(context);
    const ended = await workshop.begin(['apply', workshop.file('all.yaml', text), ...FLAGS]).ended;
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ran') });
    expect(ended.stderr).toMatch(/^Warning: no matches for kind "ServiceMonitor" .*ignored \(.*:7:1\)$/m);
  });

  it('runs by the API, which does not know that object', async () => {
    const [pod, monitor] = objectsOf(text);
    expect((await post(server, pod!)).body.kind).toBe('Pod');
    expect((await post(server, monitor!)).body).toMatchObject({ message: '404 page not found\n' });
    const logs = async (): Promise<string> => (await runHere(served, ['logs', 'app'])).stdout;
    await vi.waitFor(async () => expect(await logs()).toBe('ran\n'), PATIENT);
  });
});

describe('a quota that leaves out a Pod of a Deployment', { timeout: 4 * PATIENCE_MS }, () => {
  const why = 'exceeded quota: one-pod, requested: pods=1, used: pods=1, limited: pods=1';
  const deployment = ['deployments', 'tight', 'two'];
  const failure = { status: 'True', reason: 'FailedCreate', message: expect.stringContaining(why) };

  it('fails the goal with its words, by apply', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', `${TWO_PODS}---${QUOTA}`);
    const ended = await workshop.begin(['apply', file, '--until', 'ready', ...FLAGS]).ended;
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) });
  });

  it('is a condition, by the API', async () => {
    await post(server, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tight' } });
    for (const object of objectsOf(`${QUOTA}---${TWO_PODS}`)) await post(server, object);
    await vi.waitFor(() => expect(conditionOf(served, deployment, 'ReplicaFailure')).toMatchObject(failure), PATIENT);
    expect((await runHere(served, ['delete', 'deployment', 'two', '-n', 'tight'])).exitCode).toBe(0);
  });
});

describe('a second replica that may not be beside the first one', { timeout: 4 * PATIENCE_MS }, () => {
  const why = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.";

  it('fails the goal in the words of the scheduler, with advice, by apply', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('apart.yaml', APART);
    const ended = await workshop.begin(['apply', file, '--until', 'ready', ...FLAGS]).ended;
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) });
    expect(ended.stderr).toContain(
      'its required podAntiAffinity asks for another node, and there is one node: podrun apply --nodes 2',
    );
  });

  it('stays Pending, by the API', async () => {
    await post(server, objectsOf(APART)[0]!);
    const phases = async (): Promise<string> => {
      const args = ['get', 'pods', '-l', 'a=apart', '-o', 'jsonpath={.items[*].status.phase}'];
      return (await runHere(served, args)).stdout.split(' ').toSorted().join(' ');
    };
    await vi.waitFor(async () => expect(await phases()).toBe('Pending Running'), PATIENT);
    await vi.waitFor(async () => expect((await runHere(served, ['events'])).stdout).toContain(why), PATIENT);
    expect((await runHere(served, ['delete', 'deployment', 'apart'])).exitCode).toBe(0);
  });
});

describe('a Job that fails', { timeout: 4 * PATIENCE_MS }, () => {
  it('ends the wait at once, with the last line of its log, by apply', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('job.yaml', MIGRATION);
    const ended = await workshop.begin(['apply', file, '--until', 'complete', ...FLAGS]).ended;
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no such table') });
  });

  it('has the reason in its condition, by the API', async () => {
    await post(server, objectsOf(MIGRATION)[0]!);
    const failed = { status: 'True', reason: 'BackoffLimitExceeded' };
    const job = ['jobs', 'default', 'migration'];
    await vi.waitFor(() => expect(conditionOf(served, job, 'Failed')).toMatchObject(failed), PATIENT);
    expect((await runHere(served, ['logs', 'job/migration'])).stdout).toBe('no such table\n');
  });
});
