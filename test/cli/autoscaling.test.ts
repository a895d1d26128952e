import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCertificates } from '../../src/server/http/certificates.ts';
import { PATIENCE_MS } from '../patience.ts';
import { workshopFor } from './workshop.ts';

/** The most that a wait takes: only what never comes fails. */
const WAIT = '--timeout=200s';

const deployment = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: busybox, command: [sleep, '600'], resources: {requests: {cpu: 10m}}}]
`;

const autoscaler = (metric: string): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 4
  metrics: [${metric}]
`;

const QUEUE = '{type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: 10}}}';
const LENGTH = `{type: Object, object: {
  metric: {name: length}, describedObject: {apiVersion: v1, kind: Service, name: adapter},
  target: {type: AverageValue, averageValue: 10}}}`;
const PROCESSOR = '{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}';

/** An adapter for custom metrics as a cluster has it: a Pod behind a Service, and an APIService that leads there. */
async function adapter(length: number): Promise<string> {
  const names = ['adapter.default.svc'];
  const { ca, server } = await makeCertificates({ names, addresses: [] }, Date.now());
  return `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.custom.metrics.k8s.io}
spec:
  group: custom.metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  caBundle: ${Buffer.from(ca.certificate).toString('base64')}
  service: {namespace: default, name: adapter, port: 6443}
---
apiVersion: v1
kind: Service
metadata: {name: adapter}
spec: {selector: {app: adapter}, ports: [{port: 6443}]}
---
apiVersion: v1
kind: Secret
metadata: {name: adapter}
stringData: {CERT: ${JSON.stringify(server.certificate)}, KEY: ${JSON.stringify(server.key)}}
---
apiVersion: v1
kind: Pod
metadata: {name: adapter, labels: {app: adapter}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: c
    image: node
    command: [${process.execPath}, ${path.join(import.meta.dirname, 'in-cluster/queue-adapter.mjs')}]
    env: [{name: LENGTH, value: "${length}"}, {name: PORT, value: "6443"}]
    envFrom: [{secretRef: {name: adapter}}]
    ports: [{containerPort: 6443}]
    readinessProbe: {tcpSocket: {port: 6443}, periodSeconds: 1}
`;
}

describe('an autoscaler in apply', { concurrent: true, timeout: 8 * PATIENCE_MS }, () => {
  it('says in one line that only an API server reaches an adapter', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', [deployment(1), autoscaler(QUEUE)].join('---'));
    const { exitCode, stderr } = await workshop.run(['apply', file, '--until', 'ready']);
    expect(stderr).toContain(
      'Warning: metrics of an adapter need an API server (--api) with its APIService: ' +
        'horizontalpodautoscaler.autoscaling/web\n',
    );
    expect(exitCode).toBe(0);
  });

  it('scales by a metric of an adapter that comes with the same apply, and a goal waits for it', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', [deployment(1), autoscaler(LENGTH), await adapter(30)].join('---'));
    const goal = ['--until', 'jsonpath={.status.readyReplicas}=3', 'deployment/web', '--timeout', '1h'];
    const { exitCode, stdout } = await workshop.run(['apply', file, ...goal, '--speed', '10x']);
    expect(stdout).toContain('asked for adapter');
    expect(stdout).toMatch(/hpa\/web +web 1 → 3: /);
    expect(exitCode).toBe(0);
  });

  it('waits for its window of five minutes in the time of --speed', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', [deployment(4), autoscaler(PROCESSOR)].join('---'));
    // The status follows the event.
    const until = ['wait', 'hpa/web', '--for=jsonpath={.status.desiredReplicas}=1', WAIT];
    const { stdout } = await workshop.begin(['apply', file, '--speed', '60x', '--', ...workshop.commandLine(until)])
      .ended;
    // Where the start of a Pod takes seconds of this time, one Pod less may be idle for the whole window.
    expect(stdout).toMatch(/hpa\/web +web [234] → 1: cpu \d+ % of 50 %/);
  });
});
