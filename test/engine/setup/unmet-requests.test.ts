import { expect, it } from 'vitest';
import { refuseWithoutEffect, unmetRequests } from '../../../src/engine/setup/refuse-without-effect.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';
import type { PlannedPod } from '../../../src/engine/setup/open-runtime.ts';
import type { PodSpec, Volume, VolumeMount } from '../../../src/api/generated/types.ts';

const why = { type: 'platform', platform: 'darwin' } as const;
const features = { tier: 'process', namespaces: undefined } as const;
const LACKING = { features, lack: { of: 'namespaces', why } } as const;

function planned(spec: Partial<PodSpec>, kind = 'Pod'): PlannedPod {
  const containers = [{ name: 'main', image: 'busybox' }];
  return { kind, namespace: 'shop', name: 'web', file: 'web.yaml', spec: { containers, ...spec } };
}

const mounting = (volumeMounts: VolumeMount[], volumes: Volume[]): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'busybox', volumeMounts }],
  volumes,
});
const data = { name: 'data', emptyDir: {} };
const looking = (command: string): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', command] }],
});

it.each<[string, PlannedPod, string[]]>([
  ['nothing', planned({}), []],
  [
    'the place of a volume',
    planned(mounting([{ name: 'data', mountPath: '/opt/' }], [data])),
    [
      'pod/web: /opt is a path of this machine itself: volume "data" is at ' +
        '/state/pods/shop/web/volumes/data ($PODRUN_VOLUME_DATA)',
    ],
  ],
  [
    'the places of volumes of a workload, each once',
    planned(
      {
        ...mounting(
          [{ name: 'data', mountPath: '/opt' }],
          [data, { name: 'db', persistentVolumeClaim: { claimName: 'c' } }],
        ),
        initContainers: [
          {
            name: 'init',
            image: 'busybox',
            volumeMounts: [
              { name: 'data', mountPath: '/opt' },
              { name: 'db', mountPath: '/db' },
            ],
          },
        ],
      },
      'Job',
    ),
    [
      'job/web: /opt, /db are paths of this machine itself: volume "data" is at ' +
        '/state/pods/shop/web-*/volumes/data ($PODRUN_VOLUME_DATA), volume "db" is at $PODRUN_VOLUME_DB',
    ],
  ],
  [
    'nothing about a hostPath at its own path',
    planned(mounting([{ name: 'src', mountPath: '/src' }], [{ name: 'src', hostPath: { path: '/src/' } }])),
    [],
  ],
  [
    'a part of a hostPath',
    planned(
      mounting([{ name: 'src', mountPath: '/src', subPath: 'a' }], [{ name: 'src', hostPath: { path: '/src' } }]),
    ),
    ['volume "src" is at /src ($PODRUN_VOLUME_SRC)'],
  ],
  [
    'nothing about the runtime of a RuntimeClass',
    planned({ ...mounting([{ name: 'data', mountPath: '/opt' }], [data]), runtimeClassName: 'crun' }),
    [],
  ],
  [
    'a look-up of a Service',
    planned(looking('until nslookup db; do sleep 1; done')),
    ['pod/web: names of Services do not resolve in it'],
  ],
  [
    'the whole name of a Service',
    planned(looking('curl http://db.default.svc/')),
    ['pod/web: names of Services do not resolve in it'],
  ],
])('without namespaces, podrun says before the start: %s', (_, pod, lines) => {
  const expected = lines.map((line) => expect.stringContaining(line) as string);
  const ofPod = unmetRequests(LACKING, [pod], '/state').filter((line) => !line.startsWith('runtime: process ('));
  expect(ofPod).toEqual(expected);
  expect(unmetRequests({ features, lack: undefined }, [pod], '/state')).toEqual([]);
});

it('refuses a volume that is not at its mountPath, for --strict', () => {
  const run = { store: openStore(temporaryFolder()), features, objects: [] };
  const pod = planned(mounting([{ name: 'data', mountPath: '/opt' }], [data]));
  expect(() => refuseWithoutEffect([pod], run)).toThrow(
    /^error: web\.yaml: Pod "web": \/opt is a path of this machine/,
  );
});
