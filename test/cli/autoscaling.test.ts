import { describe, expect, it } from 'vitest';
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
const PROCESSOR = '{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}';

describe('an autoscaler in apply', { concurrent: true, timeout: 8 * PATIENCE_MS }, () => {
  it('says in one line that only an API server reaches an adapter', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', [deployment(1), autoscaler(QUEUE)].join('---'));
    const { exitCode, stderr } = await workshop.start(['apply', file, '--until', 'ready']).ended;
    expect(stderr).toContain(
      'Warning: metrics of an adapter need an API server (--api) with its APIService: ' +
        'horizontalpodautoscaler.autoscaling/web\n',
    );
    expect(exitCode).toBe(0);
  });

  it('waits for its window of five minutes in the time of --speed', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', [deployment(4), autoscaler(PROCESSOR)].join('---'));
    // The status follows the event.
    const until = ['wait', 'hpa/web', '--for=jsonpath={.status.desiredReplicas}=1', WAIT];
    const { stdout } = await workshop.start(['apply', file, '--speed', '60x', '--', ...workshop.commandLine(until)])
      .ended;
    // Where the start of a Pod takes seconds of this time, one Pod less may be idle for the whole window.
    expect(stdout).toMatch(/hpa\/web +web [234] → 1: cpu \d+ % of 50 %/);
  });
});
