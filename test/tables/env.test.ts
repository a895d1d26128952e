import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ConfigMap, EnvFromSource, EnvVar, ResourceRequirements } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { makeEnvironment } from '../../src/lifecycle/environment/environment.ts';
import type { ServiceFact } from '../../src/lifecycle/environment/environment-services.ts';
import { node, podWith } from '../lifecycle/base-objects.ts';
import { tableRows } from './table.ts';

type Texts = Record<string, Record<string, string>>;

interface Row {
  readonly id: string;
  readonly namespace: string;
  readonly enableServiceLinks: boolean;
  readonly servicesKnown: boolean;
  readonly env: EnvVar[];
  readonly envFrom?: EnvFromSource[];
  readonly configMaps?: Texts;
  readonly secrets?: Texts;
  readonly resources?: ResourceRequirements;
  readonly pod?: PodFacts;
  readonly expectEnv?: Record<string, string>;
  readonly expectError?: boolean;
}

interface PodFacts {
  readonly name: string;
  readonly nodeName: string;
  readonly serviceAccountName: string;
  readonly hostIPs: [string, ...string[]];
  readonly podIPs?: string[];
}

interface ServiceRow {
  readonly namespace: string;
  readonly name: string;
  readonly ip: string;
  readonly port: number;
}

const file = new URL('../conformance/tables/env.json', import.meta.url);
const { services } = JSON.parse(readFileSync(file, 'utf8')) as { services: ServiceRow[] };
const serviceFacts: ServiceFact[] = services.map(({ namespace, name, ip, port }) => {
  return { namespace, name, clusterIP: ip, ports: [{ port }] };
});

/** The row whose Pod was not defaulted: its field is not false but absent. */
const NOT_DEFAULTED = 'service-links-unset-is-an-error-here';

function podOf({ id, namespace, enableServiceLinks, env, envFrom, resources, pod }: Row): StoredPod {
  const container = { name: 'main', env, envFrom, resources };
  const { name = 'web', nodeName, serviceAccountName, podIPs } = pod ?? {};
  const stored = podWith(
    {
      containers: [container],
      enableServiceLinks: id === NOT_DEFAULTED ? undefined : enableServiceLinks,
      nodeName,
      serviceAccountName,
    },
    { name, namespace },
  );
  return { ...stored, status: { podIPs: podIPs?.map((ip) => ({ ip })) } };
}

function secretOf(texts: Record<string, string>): ConfigMap {
  return { data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(text)])) };
}

it.each(tableRows<Row>('env'))('env: $id', (row) => {
  const pod = podOf(row);
  const [container = { name: 'none' }] = pod.spec.containers;
  const { configMaps = {}, secrets = {} } = row;
  const outcome = makeEnvironment({
    pod,
    container,
    node: { ...node, hostIPs: row.pod?.hostIPs ?? node.hostIPs },
    services: row.servicesKnown ? serviceFacts : undefined,
    configMap: (name) => (configMaps[name] === undefined ? undefined : { data: configMaps[name] }),
    secret: (name) => (secrets[name] === undefined ? undefined : secretOf(secrets[name])),
  });
  const env = outcome.ok ? Object.fromEntries(outcome.env) : 'error';
  expect(env).toEqual(row.expectError === true ? 'error' : row.expectEnv);
});
