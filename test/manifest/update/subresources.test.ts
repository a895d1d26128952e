import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { container, object, pod } from '../objects.ts';
import { changed, outcomeOf, respecified, stored, type Fields } from './changes.ts';

const sized = (requests: Fields, limits?: Fields): Fields => ({
  resources: { requests, ...(limits === undefined ? {} : { limits }) },
});

describe('resize', () => {
  const old = stored(pod({ containers: [container(sized({ cpu: '100m' }, { cpu: '200m', memory: '64Mi' }))] }));
  const resized = (resources: Fields, more: Fields = {}): KubeObject =>
    respecified(old, { containers: [container({ ...resources, ...more })] });

  it('changes cpu and memory and nothing else', () => {
    const wanted = resized(sized({ cpu: '150m' }, { cpu: '300m', memory: '32Mi' }), { image: 'other:2', tty: true });
    const outcome = outcomeOf(old, { ...wanted, metadata: { ...old.metadata, labels: { a: '1' } } }, 'resize');
    expect(outcome).toMatchObject({
      metadata: { generation: 2 },
      spec: {
        containers: [
          {
            image: 'registry.example/app:1',
            resources: { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '300m', memory: '32Mi' } },
          },
        ],
      },
    });
    expect(outcome).not.toHaveProperty('metadata.labels');
    expect(outcome).not.toHaveProperty('spec.containers[0].tty');
  });

  it('reaches sidecars and init containers', () => {
    const inits = (cpu: string): Fields[] => [
      container({ name: 'sidecar', restartPolicy: 'Always', ...sized({ cpu }) }),
      container({ name: 'init', ...sized({ cpu }) }),
    ];
    const before = stored(pod({ initContainers: inits('100m') }));
    expect(outcomeOf(before, respecified(before, { initContainers: inits('200m') }), 'resize')).toMatchObject({
      spec: {
        initContainers: [{ resources: { requests: { cpu: '200m' } } }, { resources: { requests: { cpu: '200m' } } }],
      },
    });
  });

  it('reaches the Pod as a whole', () => {
    const before = stored(pod({ resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }));
    const after = respecified(before, { resources: { requests: { cpu: '1' }, limits: { cpu: '3' } } });
    expect(outcomeOf(before, after, 'resize')).toMatchObject({ spec: { resources: { limits: { cpu: '3' } } } });
  });

  const refused: Array<{ what: string; after: KubeObject; lines: string[] }> = [
    {
      what: 'the class of service',
      after: resized(sized({ cpu: '200m', memory: '64Mi' }, { cpu: '200m', memory: '64Mi' })),
      lines: ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    },
    {
      what: 'the number of limits',
      after: resized(sized({ cpu: '100m', memory: '64Mi' }, { cpu: '200m' })),
      lines: ['spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed'],
    },
    {
      what: 'the number of requests',
      after: resized(sized({}, { cpu: '200m', memory: '64Mi' })),
      lines: ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    },
    {
      what: 'other resources',
      after: resized(sized({ cpu: '100m' }, { cpu: '200m', memory: '64Mi', 'ephemeral-storage': '1Gi' })),
      lines: ['spec: Forbidden: only cpu and memory resources are mutable'],
    },
    {
      what: 'the policy of resizing',
      after: resized(sized({ cpu: '100m' }, { cpu: '200m', memory: '64Mi' }), {
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
      }),
      lines: ['spec: Forbidden: only cpu and memory resources are mutable'],
    },
    {
      what: 'a request beyond its limit',
      after: resized(sized({ cpu: '1' }, { cpu: '200m', memory: '64Mi' })),
      lines: [
        'spec.containers[0].resources.requests: Invalid value: "1": must be less than or equal to cpu limit of 200m',
      ],
    },
  ];

  it.each(refused)('does not change $what', ({ after, lines }) => {
    expect(outcomeOf(old, after, 'resize')).toEqual(lines);
  });
});

describe('ephemeralcontainers', () => {
  const debug = (fields: Fields = {}): Fields => container({ name: 'debug', ...fields });
  const old = stored(pod());
  const withDebug = outcomeOf(
    old,
    respecified(old, { ephemeralContainers: [debug({ targetContainerName: 'app' })] }),
    'ephemeralcontainers',
  ) as KubeObject;

  it('are added, with their defaults', () => {
    expect(withDebug).toMatchObject({
      metadata: { generation: 2 },
      spec: { ephemeralContainers: [{ name: 'debug', imagePullPolicy: 'IfNotPresent', targetContainerName: 'app' }] },
    });
  });

  it('are all that is taken', () => {
    const wanted = respecified(old, { restartPolicy: 'Never', ephemeralContainers: [debug()] });
    expect(outcomeOf(old, wanted, 'ephemeralcontainers')).toMatchObject({ spec: { restartPolicy: 'Always' } });
  });

  it('stay where they are when another one comes', () => {
    const spec = withDebug['spec'] as { ephemeralContainers: Fields[] };
    const more = respecified(withDebug, { ephemeralContainers: [...spec.ephemeralContainers, debug({ name: 'two' })] });
    expect(outcomeOf(withDebug, more, 'ephemeralcontainers')).toMatchObject({ metadata: { generation: 3 } });
  });

  const PATH = 'spec.ephemeralContainers';
  const refused: Array<{ what: string; containers: Fields[] | undefined; lines: string[] }> = [
    {
      what: 'removed',
      containers: undefined,
      lines: [`${PATH}: Forbidden: existing ephemeral containers "debug" may not be removed`],
    },
    {
      what: 'changed',
      containers: [debug({ targetContainerName: 'app', tty: true })],
      lines: [
        `${PATH}: Forbidden: existing ephemeral containers "debug" may not be changed\n` +
          `  ${PATH}[0].tty: unset -> true`,
      ],
    },
    {
      what: 'given the name of a container',
      containers: [debug({ targetContainerName: 'app' }), debug({ name: 'app' })],
      lines: [`${PATH}[1].name: Duplicate value: "app"`],
    },
    {
      what: 'given the name of each other',
      containers: [debug({ targetContainerName: 'app' }), debug({ name: 'two' }), debug({ name: 'two' })],
      lines: [`${PATH}[2].name: Duplicate value: "two"`],
    },
    {
      what: 'aimed at nothing',
      containers: [debug({ targetContainerName: 'app' }), debug({ name: 'two', targetContainerName: 'debug' })],
      lines: [`${PATH}[1].targetContainerName: Not found: "debug"`],
    },
    {
      what: 'made something to rely on',
      containers: [
        debug({ targetContainerName: 'app' }),
        debug({ name: 'two', ports: [{ containerPort: 80 }], livenessProbe: { exec: { command: ['true'] } } }),
      ],
      lines: [
        `${PATH}[1].ports: Forbidden: cannot be set for an Ephemeral Container`,
        `${PATH}[1].livenessProbe: Forbidden: cannot be set for an Ephemeral Container`,
      ],
    },
  ];

  it.each(refused)('may not be $what', ({ containers, lines }) => {
    const wanted = respecified(withDebug, { ephemeralContainers: containers });
    expect(outcomeOf(withDebug, wanted, 'ephemeralcontainers')).toEqual(lines);
  });
});

describe('status', () => {
  const status = {
    phase: 'Running',
    qosClass: 'BestEffort',
    containerStatuses: [{ name: 'app', state: { terminated: { exitCode: 1 } } }],
  };
  const old: KubeObject = { ...stored(pod({ restartPolicy: 'Never' })), status };

  it('is taken, the rest is kept, and the generation stays', () => {
    const conditions = [{ type: 'example.com/ready', status: 'True' }];
    const wanted = { ...respecified(old, { restartPolicy: 'Always' }), status: { ...status, conditions } };
    // A condition has its times, even null, as on a node.
    const timed = conditions.map((one) => ({ ...one, lastProbeTime: null, lastTransitionTime: null }));
    expect(outcomeOf(old, wanted, 'status')).toEqual({ ...old, status: { ...status, conditions: timed } });
  });

  it('keeps the class of service when it is left out', () => {
    expect(
      outcomeOf(old, { ...old, status: { ...status, qosClass: undefined, phase: 'Failed' } }, 'status'),
    ).toMatchObject({
      status: { phase: 'Failed', qosClass: 'BestEffort' },
    });
  });

  const refused: Array<{ what: string; after: Fields; lines: string[] }> = [
    {
      what: 'a condition without a proper name',
      after: { conditions: [{ type: 'Ready' }, { type: '-x', status: 'True' }] },
      lines: [
        'metadata.conditions[1].Type: Invalid value: "-x": name part must consist of alphanumeric characters, ' +
          "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  " +
          "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      what: 'another class of service',
      after: { qosClass: 'Burstable' },
      lines: ['status.qosClass: Invalid value: "Burstable": field is immutable'],
    },
    {
      what: 'a container that ended and runs again',
      after: { containerStatuses: [{ name: 'app', state: { running: {} } }] },
      lines: ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    },
  ];

  it.each(refused)('is not taken with $what', ({ after, lines }) => {
    expect(outcomeOf(old, { ...old, status: { ...status, ...after } }, 'status')).toEqual(lines);
  });

  it('lets a container run again that is restarted', () => {
    const before = respecified(old, { restartPolicy: 'OnFailure' });
    const after = { ...status, containerStatuses: [{ name: 'app', state: { running: {} } }] };
    expect(outcomeOf(before, changed(before, { status: after }), 'status')).toMatchObject({ status: after });
  });

  it('of other kinds is theirs to say', () => {
    const job = stored(
      object('Job', { spec: { template: { spec: { containers: [container()], restartPolicy: 'Never' } } } }),
    );
    expect(outcomeOf(job, { ...job, status: { succeeded: 1 } }, 'status')).toEqual({
      ...job,
      status: { succeeded: 1 },
    });
  });
});

it.each([
  ['ConfigMap', 'status'],
  ['ConfigMap', 'resize'],
  ['Job', 'ephemeralcontainers'],
] as const)('%s has no %s', (kind, subresource) => {
  const old = stored(object(kind, { apiVersion: 'v1' }));
  expect(() => outcomeOf(old, old, subresource)).toThrow(
    'Error from server (NotFound): the server could not find the requested resource',
  );
});
