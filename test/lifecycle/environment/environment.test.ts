import { describe, expect, it } from 'vitest';
import type { Container, EnvVar } from '../../../src/api/generated/types.ts';
import {
  commandLine,
  type EnvironmentInput,
  type EnvironmentOutcome,
  makeEnvironment,
} from '../../../src/lifecycle/environment/environment.ts';
import { node, podWith } from '../base-objects.ts';

const configMaps = new Map([
  ['settings', { data: { mode: 'fast', level: '3' }, binaryData: { logo: 'AAEC' } }],
  ['others', { data: { mode: 'slow' } }],
]);
const secrets = new Map([['login', { data: { user: btoa('ada'), ключ: 'w6TDtg==' } }]]);
const files = new Map([['cfg/app.env', "TOKEN='t0'\nBLANK= 'x'\n"]]);

function environmentOf(container: Partial<Container>, rest: Partial<EnvironmentInput> = {}): EnvironmentOutcome {
  return makeEnvironment({
    pod: podWith({ volumes: [{ name: 'cfg', emptyDir: {} }] }),
    container: { name: 'main', ...container },
    node,
    services: undefined,
    configMap: (name) => configMaps.get(name),
    secret: (name) => secrets.get(name),
    envFile: (volumeName, path) => files.get(`${volumeName}/${path}`),
    ...rest,
  });
}

function variablesOf(container: Partial<Container>): Record<string, string> | string {
  const outcome = environmentOf(container);
  return outcome.ok ? Object.fromEntries(outcome.env) : outcome.message;
}

const fromConfigMap = (key: string, optional?: boolean, name = 'settings'): EnvVar => {
  return { name: 'V', valueFrom: { configMapKeyRef: { name, key, optional } } };
};
const fromSecret = (key: string, optional?: boolean, name = 'login'): EnvVar => {
  return { name: 'V', valueFrom: { secretKeyRef: { name, key, optional } } };
};
const fromFile = (key: string, rest: { optional?: boolean; volumeName?: string; path?: string } = {}): EnvVar => {
  return { name: 'V', valueFrom: { fileKeyRef: { volumeName: 'cfg', path: 'app.env', key, ...rest } } };
};

describe('makeEnvironment()', () => {
  it.each<{ name: string; container: Partial<Container>; want: Record<string, string> | string }>([
    {
      name: 'lets later entries of envFrom win, and env over both',
      container: {
        envFrom: [
          { configMapRef: { name: 'settings' } },
          { configMapRef: { name: 'others' } },
          { prefix: 'DB_', secretRef: { name: 'login' } },
        ],
        env: [{ name: 'level', value: '4' }],
      },
      want: { mode: 'slow', level: '4', DB_user: 'ada', DB_ключ: 'äö' },
    },
    {
      name: 'takes the last of several variables of one name',
      container: {
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '$(A)2' },
        ],
      },
      want: { A: '12' },
    },
    {
      name: 'keeps an earlier value where a later optional one is missing',
      container: { env: [{ name: 'V', value: 'here' }, fromConfigMap('nope', true)] },
      want: { V: 'here' },
    },
    { name: 'reads a key of a ConfigMap', container: { env: [fromConfigMap('mode')] }, want: { V: 'fast' } },
    { name: 'reads and decodes a key of a Secret', container: { env: [fromSecret('user')] }, want: { V: 'ada' } },
    { name: 'reads a key of a file in a volume', container: { env: [fromFile('TOKEN')] }, want: { V: 't0' } },
    {
      name: 'does not take methods of objects for keys',
      container: { env: [fromConfigMap('constructor', true), fromSecret('toString', true)] },
      want: {},
    },
    {
      name: 'knows binary data of a ConfigMap as no variable',
      container: { env: [fromConfigMap('logo')] },
      want: "couldn't find key logo in ConfigMap shop/settings",
    },
    {
      name: 'names the Secret whose key is missing',
      container: { env: [fromSecret('password')] },
      want: "couldn't find key password in Secret shop/login",
    },
    {
      name: 'names the ConfigMap that is missing',
      container: { env: [fromConfigMap('mode', false, 'gone')] },
      want: 'configmap "gone" not found',
    },
    {
      name: 'names the Secret that is missing',
      container: { env: [fromSecret('user', false, 'gone')] },
      want: 'secret "gone" not found',
    },
    {
      name: 'names the ConfigMap that envFrom misses',
      container: { envFrom: [{ configMapRef: { name: 'gone' } }] },
      want: 'configmap "gone" not found',
    },
    {
      name: 'skips an optional ConfigMap that is missing',
      container: {
        env: [fromConfigMap('mode', true, 'gone')],
        envFrom: [{ secretRef: { name: 'no', optional: true } }],
      },
      want: {},
    },
    {
      name: 'takes an empty value of a file for a missing one',
      container: { env: [fromFile('BLANK')] },
      want: 'environment variable key "BLANK" not found in file "app.env"',
    },
    { name: 'skips an optional key of a file', container: { env: [fromFile('NO', { optional: true })] }, want: {} },
    {
      name: 'fails on a missing file, optional or not',
      container: { env: [fromFile('TOKEN', { optional: true, path: 'no.env' })] },
      want: "couldn't parse env file",
    },
    {
      name: 'fails on a volume that the Pod does not have',
      container: { env: [fromFile('TOKEN', { volumeName: 'none' })] },
      want: 'cannot find the volume "none" referenced by FileKeyRef',
    },
    {
      name: 'passes on what is wrong with a resource field',
      container: {
        env: [{ name: 'V', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', containerName: 'other' } } }],
      },
      want: 'container other not found',
    },
    {
      name: 'passes on that a field is unknown',
      container: { env: [{ name: 'V', valueFrom: { fieldRef: { fieldPath: 'spec.tolerations' } } }] },
      want: 'unsupported fieldPath: spec.tolerations',
    },
  ])('$name', ({ container, want }) => {
    expect(variablesOf(container)).toEqual(want);
  });

  it('announces several ports of a Service, its name in capitals', () => {
    const ports = [
      { name: 'pg', port: 5432, protocol: 'TCP' },
      { name: 'stats-v2', port: 9000, protocol: 'UDP' },
    ];
    const services = [
      { namespace: 'shop', name: 'my-db', clusterIP: 'fd00::5', ports },
      { namespace: 'shop', name: 'headless', clusterIP: 'None', ports },
      { namespace: 'shop', name: 'external', clusterIP: undefined, ports },
    ];
    const outcome = environmentOf({ env: [{ name: 'URL', value: '$(MY_DB_PORT)/x' }] }, { services });
    expect(outcome.ok && Object.fromEntries(outcome.env)).toEqual({
      URL: 'tcp://[fd00::5]:5432/x',
      MY_DB_SERVICE_HOST: 'fd00::5',
      MY_DB_SERVICE_PORT: '5432',
      MY_DB_SERVICE_PORT_PG: '5432',
      MY_DB_SERVICE_PORT_STATS_V2: '9000',
      MY_DB_PORT: 'tcp://[fd00::5]:5432',
      MY_DB_PORT_5432_TCP: 'tcp://[fd00::5]:5432',
      MY_DB_PORT_5432_TCP_PROTO: 'tcp',
      MY_DB_PORT_5432_TCP_PORT: '5432',
      MY_DB_PORT_5432_TCP_ADDR: 'fd00::5',
      MY_DB_PORT_9000_UDP: 'udp://[fd00::5]:9000',
      MY_DB_PORT_9000_UDP_PROTO: 'udp',
      MY_DB_PORT_9000_UDP_PORT: '9000',
      MY_DB_PORT_9000_UDP_ADDR: 'fd00::5',
    });
  });

  it('announces a Service of the namespace in place of the API server when it bears its name', () => {
    const services = [
      { namespace: 'shop', name: 'kubernetes', clusterIP: '10.0.0.2', ports: [{ port: 80 }] },
      { namespace: 'default', name: 'kubernetes', clusterIP: '10.0.0.1', ports: [{ port: 443 }] },
    ];
    const hostWith = (enableServiceLinks: boolean): string | false | undefined => {
      const outcome = environmentOf({}, { services, pod: podWith({ enableServiceLinks }) });
      return outcome.ok && outcome.env.get('KUBERNETES_SERVICE_HOST');
    };
    expect([hostWith(true), hostWith(false)]).toEqual(['10.0.0.2', '10.0.0.1']);
  });
});

describe('commandLine()', () => {
  it('puts variables into words without splitting or joining them', () => {
    const env = new Map([
      ['A', 'two words'],
      ['B', ''],
    ]);
    expect(commandLine(['echo', '$(A)', '$(B)', '$$(A)', '$(C)'], env)).toEqual([
      'echo',
      'two words',
      '',
      '$(A)',
      '$(C)',
    ]);
  });
});
