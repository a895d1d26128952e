import { describe, expect, it } from 'vitest';
import { container, fitted, linesOf, object, pod, podOf, template } from './objects.ts';

const C = 'spec.containers[0]';

describe('ports', () => {
  it.each([
    { name: 'a name that breaks every rule but one', port: { name: '-A--', containerPort: 80 }, want: 4 },
    { name: 'a long name', port: { name: 'a'.repeat(16), containerPort: 80 }, want: 1 },
    { name: 'a host port out of range', port: { containerPort: 80, hostPort: 70_000 }, want: 1 },
  ])('$name: $want errors', ({ port, want }) => {
    expect(linesOf(podOf({ ports: [port] }))).toHaveLength(want);
  });

  it('of the host are shared by containers that run together, not by different addresses or protocols', () => {
    const at = (fields: object): object => container({ name: `c${JSON.stringify(fields).length}`, ports: [fields] });
    const port = { containerPort: 80, hostPort: 8080 };
    const others = [
      { ...port, protocol: 'UDP' },
      { ...port, hostIP: '127.0.0.1' },
    ];
    expect(linesOf(pod({ containers: [port, ...others].map(at) }))).toEqual([]);
    expect(
      linesOf(pod({ containers: [container({ ports: [port] }), container({ name: 'b', ports: [port] })] })),
    ).toEqual(['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//8080"']);
  });

  it('of init containers are theirs alone', () => {
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const initContainers = [container({ name: 'a', ports }), container({ name: 'b', ports })];
    expect(linesOf(pod({ initContainers }))).toEqual([]);
  });

  it('may stay open in a template on the network of the host', () => {
    const spec = { hostNetwork: true, containers: [container({ ports: [{ containerPort: 80 }] })] };
    const fields = { spec: { selector: { matchLabels: { app: 'demo' } }, template: template(spec) } };
    expect(linesOf(object('ReplicaSet', fields))).toEqual([]);
    expect(linesOf(pod(spec))).toEqual([]);
  });
});

describe('environment', () => {
  const emptyDir = { volumes: [{ name: 'cfg', emptyDir: {} }] };
  const from = (valueFrom: object, fields: object = {}): object => ({ env: [{ name: 'A', valueFrom, ...fields }] });

  it.each([
    { name: 'the old name of a field', fields: from({ fieldRef: { fieldPath: 'spec.host' } }) },
    { name: 'one label', fields: from({ fieldRef: { fieldPath: "metadata.labels['a.b/c']" } }) },
    { name: 'huge pages', fields: from({ resourceFieldRef: { resource: 'limits.hugepages-2Mi', divisor: '1Mi' } }) },
    { name: 'a file', fields: from({ fileKeyRef: { volumeName: 'cfg', path: 'a/b', key: 'K' } }) },
    { name: 'a source and an empty value', fields: from({ secretKeyRef: { name: 's', key: 'k' } }, { value: '' }) },
    { name: 'all keys, with a prefix', fields: { envFrom: [{ prefix: 'a.', configMapRef: { name: 'c-' } }] } },
  ])('takes $name', ({ fields }) => {
    expect(linesOf(podOf({ ...fields }, emptyDir))).toEqual([]);
  });

  it.each([
    {
      name: 'a value and a source',
      fields: from({ secretKeyRef: { name: 's', key: 'k' } }, { value: 'x' }),
      want: ['env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    },
    {
      name: 'a field that is not in the API',
      fields: from({ fieldRef: { fieldPath: 'spec.cake' } }),
      want: [
        'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.cake": ' +
          'error converting fieldPath: field label not supported: spec.cake',
      ],
    },
    {
      name: 'a bad key of a label',
      fields: from({ fieldRef: { fieldPath: "metadata.labels['a b']" } }),
      want: [/^env\[0\]\.valueFrom\.fieldRef: Invalid value: "a b": name part must consist of/],
    },
    {
      name: 'a field that only files can show',
      fields: from({ fieldRef: { fieldPath: 'metadata.annotations' } }),
      want: [
        /^env\[0\]\.valueFrom\.fieldRef\.fieldPath: Unsupported value: "metadata\.annotations": supported values:/,
      ],
    },
    {
      name: 'a divisor of bytes for bytes only',
      fields: from({ resourceFieldRef: { resource: 'limits.memory', divisor: '10' } }),
      want: [
        'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.memory": ' +
          "only divisor's values 1, 1k, 1M, 1G, " +
          '1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      ],
    },
    {
      name: 'storage by its long name',
      fields: from({ resourceFieldRef: { resource: 'requests.ephemeral-storage', divisor: '3' } }),
      want: [/are supported with the local ephemeral storage resource$/],
    },
    {
      name: 'an empty name of a ConfigMap, which is a bad one',
      fields: from({ configMapKeyRef: { key: 'k' } }),
      want: [/^env\[0\]\.valueFrom\.configMapKeyRef\.name: Invalid value: "": a lowercase RFC 1123 subdomain/],
    },
    {
      name: 'a file outside the volume',
      fields: from({ fileKeyRef: { volumeName: 'cfg', path: '../x', key: 'K' } }),
      want: ['env[0].valueFrom.fileKeyRef.path: Invalid value: "../x": must not contain \'..\''],
    },
    {
      name: 'two sources of all keys',
      fields: { envFrom: [{ configMapRef: { name: 'c' }, secretRef: { name: 's' } }] },
      want: ['envFrom: Invalid value: "": may not have more than one field specified at a time'],
    },
    {
      name: 'a prefix with an equals sign',
      fields: { envFrom: [{ prefix: 'A=', secretRef: { name: 's' } }] },
      want: [/^envFrom\[0\]\.prefix: Invalid value: "A=": a valid environment variable name must consist only/],
    },
  ])('refuses $name', ({ fields, want }) => {
    const lines = linesOf(podOf({ ...fields }, emptyDir)).map((line) => line.replace(`${C}.`, ''));
    expect(fitted(lines, want)).toEqual(want);
  });
});

describe('restart rules', () => {
  const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [1] } };

  it('need a policy of their own container, init containers included', () => {
    const missing = 'Required value: must specify restartPolicy when restart rules are used';
    expect(linesOf(podOf({ restartPolicyRules: [rule] }))).toEqual([`${C}.restartPolicy: ${missing}`]);
    expect(linesOf(podOf({ restartPolicy: 'Never', restartPolicyRules: [rule] }))).toEqual([]);
    const init = container({ name: 'init', restartPolicyRules: [rule] });
    expect(linesOf(pod({ initContainers: [init] }))).toEqual([`spec.initContainers[0].restartPolicy: ${missing}`]);
  });

  it('take 20 rules of 255 codes', () => {
    const long = { ...rule, exitCodes: { operator: 'NotIn', values: Array.from({ length: 256 }, () => 1) } };
    expect(linesOf(podOf({ restartPolicy: 'Never', restartPolicyRules: [long] }))).toEqual([
      `${C}.restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items`,
    ]);
  });
});

describe('init containers', () => {
  it('may have hooks and probes only as sidecars', () => {
    const handlers = { lifecycle: {}, livenessProbe: { exec: { command: ['true'] } } };
    const plain = linesOf(pod({ initContainers: [container({ name: 'a', ...handlers })] }));
    expect(plain).toEqual(
      ['lifecycle', 'livenessProbe'].map(
        (field) =>
          `spec.initContainers[0].${field}: Forbidden: may not be set for init containers without restartPolicy=Always`,
      ),
    );
    const sidecar = container({ name: 'a', restartPolicy: 'Always', ...handlers });
    expect(linesOf(pod({ initContainers: [sidecar] }))).toEqual([]);
  });
});

describe('ephemeral containers', () => {
  it('are refused on create, with everything else that is wrong with them', () => {
    const ephemeralContainers = [container({ name: 'app', ports: [{ containerPort: 1 }], targetContainerName: 'no' })];
    expect(linesOf(pod({ ephemeralContainers }))).toEqual([
      'spec.ephemeralContainers[0].name: Duplicate value: "app"',
      'spec.ephemeralContainers[0].targetContainerName: Not found: "no"',
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
    ]);
  });

  it('do not belong in templates', () => {
    const ephemeralContainers = [container({ name: 'debug' })];
    const fields = {
      spec: { selector: { matchLabels: { app: 'demo' } }, template: template({ ephemeralContainers }) },
    };
    expect(linesOf(object('Deployment', fields))).toEqual([
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });
});

describe('probes and hooks', () => {
  it('count the handlers in the order of the API, whatever the manifest says first', () => {
    const preStop = { sleep: { seconds: 1 }, tcpSocket: { port: 1 }, exec: { command: ['true'] } };
    expect(linesOf(podOf({ lifecycle: { preStop } }))).toEqual([
      `${C}.lifecycle.preStop.tcpSocket: Forbidden: may not specify more than 1 handler type`,
      `${C}.lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler type`,
    ]);
  });

  it('may sleep as long as the Pod has to end', () => {
    const sleeping = (seconds: number): string[] =>
      linesOf(podOf({ lifecycle: { preStop: { sleep: { seconds } } } }, { terminationGracePeriodSeconds: 7 }));
    expect(sleeping(7)).toEqual([]);
    expect(sleeping(8)).toEqual([expect.stringContaining('less than terminationGracePeriodSeconds (7)')]);
  });

  it('may stop the container with a signal of the system that the Pod names', () => {
    const asked = (stopSignal: string, os?: string): string[] =>
      linesOf(podOf({ lifecycle: { stopSignal } }, os === undefined ? {} : { os: { name: os } }));
    expect(['SIGUSR1', 'SIGRTMIN+15', 'SIGRTMAX-14', 'SIGKILL'].flatMap((signal) => asked(signal, 'linux'))).toEqual(
      [],
    );
    expect(asked('SIGUSR1')).toEqual([
      `${C}.lifecycle.stopSignal: Forbidden: may not be set for containers with empty \`spec.os.name\``,
    ]);
    expect(asked('USR1', 'linux')).toEqual([
      expect.stringMatching(
        /stopSignal: Unsupported value: "USR1": supported values: "SIGABRT", .*"SIGRTMAX", .*"SIGXFSZ"$/,
      ),
    ]);
    expect(asked('SIGHUP', 'windows')).toEqual([
      `${C}.lifecycle.stopSignal: Unsupported value: "SIGHUP": supported values: "SIGKILL", "SIGTERM"`,
    ]);
  });

  it('have no grace period of zero', () => {
    const probe = { exec: { command: ['true'] }, terminationGracePeriodSeconds: 0 };
    expect(linesOf(podOf({ livenessProbe: probe }))).toEqual([
      `${C}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
    ]);
  });
});

describe('images', () => {
  it('may be surrounded by blanks in a template only', () => {
    const spec = { containers: [container({ image: ' app ' })] };
    const fields = { spec: { selector: { matchLabels: { app: 'demo' } }, template: template(spec) } };
    expect(linesOf(object('ReplicaSet', fields))).toEqual([]);
    expect(linesOf(pod(spec))).toEqual([
      `${C}.image: Invalid value: " app ": must not have leading or trailing whitespace`,
    ]);
  });
});

it('reports the mistakes of a Pod in the order of the API', () => {
  const broken = pod(
    {
      restartPolicy: 'x',
      tolerations: [{ operator: 'x', key: 'a' }],
      volumes: [{ name: 'V' }],
      containers: [{ resources: { limits: { gpus: '1' } }, ports: [{}], env: [{}], imagePullPolicy: 'x' }],
      initContainers: [{ image: 'i' }],
    },
    { name: 'A' },
  );
  expect(linesOf(broken).map((line) => line.slice(0, line.indexOf(':')))).toEqual([
    'metadata.name',
    'spec.volumes[0].name',
    ...['name', 'image', 'ports[0].containerPort', 'env[0].name', 'imagePullPolicy'].map((field) => `${C}.${field}`),
    ...Array.from({ length: 2 }, () => `${C}.resources.limits[gpus]`),
    ...Array.from({ length: 2 }, () => `${C}.resources.requests[gpus]`),
    'spec.initContainers[0].name',
    'spec.restartPolicy',
    'spec.tolerations[0].operator',
  ]);
});
