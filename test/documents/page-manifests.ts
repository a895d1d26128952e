import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { PodSpec } from '../../src/api/generated/types.ts';

/** A program that runs until SIGTERM. */
export const SERVE = 'trap "exit 0" TERM; echo listening; sleep 1000 & wait';

export function pod(name: string, spec: PodSpec): string {
  const containers = spec.containers.map((container) => ({ image: 'app:1', ...container }));
  return stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 2, ...spec, containers },
  });
}

export function serving(...names: string[]): string {
  return pod('web', { containers: names.map((name) => ({ name, command: ['sh', '-c', SERVE] })) });
}

/** A Deployment of two Pods. */
export function deployed(name: string): string {
  const labels = { app: name };
  return stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels, annotations: { 'kubernetes.io/change-cause': 'first version' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 2,
          containers: [{ name: 'main', image: 'app:1', command: ['sh', '-c', SERVE] }],
        },
      },
    },
  });
}

/** A manifest of fixtures/workloads. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/workloads/${name}`, import.meta.url), 'utf8');
}

/** A Pod that ends with its program. */
export function ending(program: string): string {
  return pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', command: [program] }] });
}

/** A Pod that no machine has room for. */
export const TOO_LARGE: string = pod('big', {
  containers: [{ name: 'main', command: ['sleep', '60'], resources: { requests: { memory: '900Ti' } } }],
});
