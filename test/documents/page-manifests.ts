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

/** A workload that may use the port of a Pod behind a Service. All other connections to Pods are denied. */
/** Two nodes. */
export const NODES: string = ['node-1', 'node-2']
  .map((name) =>
    stringify({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    }),
  )
  .join('---\n');

export const SHOP = `\
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web }] }
---
apiVersion: v1
kind: Pod
metadata: { name: db, labels: { app: db } }
spec: { containers: [{ name: db, image: db }] }
---
apiVersion: v1
kind: Service
metadata: { name: db }
spec: { selector: { app: db }, ports: [{ port: 5432 }] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed }
spec: { podSelector: {}, policyTypes: [Ingress] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: db }
spec:
  podSelector: { matchLabels: { app: db } }
  ingress:
    - from: [{ podSelector: { matchLabels: { app: api } } }]
    - from: [{ podSelector: { matchLabels: { app: web } } }]
      ports: [{ port: 5432 }]
`;

/** A Service `web` at port 8000, whose Pods have the label `app: web`. */
export const SERVICE: string = stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 8000 }] },
});
