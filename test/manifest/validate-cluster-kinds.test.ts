import { describe, expect, it } from 'vitest';
import { linesOf, type Fields } from './objects.ts';
import { mistakesOf, table } from './kind-table.ts';

const FLOW = 'flowcontrol.apiserver.k8s.io/v1';
const rule = { verbs: ['*'], nonResourceURLs: ['*'] };

table(FLOW, 'FlowSchema', { priorityLevelConfiguration: { name: 'workload-low' } }, [
  {
    why: 'has an empty rule',
    spec: { rules: [{}] },
    want: [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  },
  {
    why: 'names no level',
    spec: { priorityLevelConfiguration: {}, matchingPrecedence: 1 },
    want: [
      `spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1`,
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
  },
  {
    why: 'has wrong subjects',
    spec: {
      rules: [{ subjects: [{ kind: 'Foo' }, { kind: 'User', group: { name: 'g' } }], nonResourceRules: [rule] }],
    },
    want: [
      'spec.rules[0].subjects[0].kind: Unsupported value: "Foo": supported values: "Group", "ServiceAccount", "User"',
      `spec.rules[0].subjects[1].user: Required value: user is required when subject kind is 'User'`,
      `spec.rules[0].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'`,
    ],
  },
  {
    why: 'tells flows apart by nothing known',
    spec: { distinguisherMethod: { type: 'Foo' } },
    want: [
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"Foo"}: supported values: "ByNamespace", "ByUser"',
    ],
  },
]);

table(FLOW, 'PriorityLevelConfiguration', { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }, [
  {
    why: 'queues without settings',
    spec: { limited: { limitResponse: { type: 'Queue' } } },
    want: [
      'spec.limited.limitResponse.queuing: Required value: ' +
        'must not be empty if limited.limitResponse.type is Limited',
    ],
  },
  {
    why: 'rejects with a queue',
    spec: { limited: { limitResponse: { type: 'Reject', queuing: {} } } },
    want: ['spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited'],
  },
  {
    why: 'is exempt under another name',
    spec: { type: 'Exempt' },
    want: [
      `spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if \`name\` is 'exempt'`,
      'spec.limited: Forbidden: must be nil if the type is not Limited',
    ],
  },
  {
    why: 'has an unknown type',
    spec: { type: 'Foo' },
    want: ['spec.type: Unsupported value: "Foo": supported values: "Exempt", "Limited"'],
  },
]);

const RESOURCE = 'resource.k8s.io/v1';
const request = (fields: Fields): Fields => ({ devices: { requests: [{ name: 'r', ...fields }] } });
const exactly = (fields: Fields): Fields => request({ exactly: { deviceClassName: 'c', ...fields } });

table(RESOURCE, 'ResourceClaim', exactly({}), [
  {
    why: 'has an unknown mode',
    spec: exactly({ allocationMode: 'Foo' }),
    want: [
      'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Foo": ' +
        'supported values: "All", "ExactCount"',
    ],
  },
  {
    why: 'asks for no device',
    spec: request({}),
    want: ['spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required'],
  },
  {
    why: 'counts below zero',
    spec: exactly({ count: -1 }),
    want: ['spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero'],
  },
  {
    why: 'has a request twice',
    spec: { devices: { requests: ['r', 'r'].map((name) => ({ name, exactly: { deviceClassName: 'c' } })) } },
    want: ['spec.devices.requests[1]: Duplicate value: "r"'],
  },
]);

const slice = { driver: 'd.example.com', nodeName: 'n', pool: { name: 'n', resourceSliceCount: 1 } };

table(RESOURCE, 'ResourceSlice', slice, [
  { why: 'has no driver', spec: { driver: '' }, want: ['spec.driver: Required value'] },
  {
    why: 'belongs to a node and to all',
    spec: { allNodes: true },
    want: [
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, ' +
        '`perDeviceNodeSelection` is required, but multiple fields are set',
    ],
  },
  {
    why: 'has wrong devices',
    spec: { devices: [{ name: 'd', attributes: { a: { string: 'x', int: 1 } } }, { name: 'd' }] },
    want: [
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":"x",' +
        '"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: ' +
        'exactly one value must be specified',
      'spec.devices[1]: Duplicate value: "d"',
    ],
  },
]);

const pem = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\n').toString('base64');
const signing = { request: pem, signerName: 'example.com/s', usages: ['client auth'] };

table('certificates.k8s.io/v1', 'CertificateSigningRequest', signing, [
  {
    why: 'has no request',
    spec: { request: 'YQ==', expirationSeconds: 1 },
    want: [
      'spec.request: Invalid value: "YQ==": PEM block type must be CERTIFICATE REQUEST',
      'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  },
  {
    why: 'names no signer',
    spec: { signerName: 'foo', usages: ['client auth', 'client auth', 'foo'] },
    want: [
      /^spec\.usages\[2\]: Unsupported value: "foo": supported values: "any", .*"timestamping"$/,
      'spec.usages[1]: Duplicate value: "client auth"',
      `spec.signerName: Invalid value: "foo": must be a fully qualified domain and path of the form ` +
        `'example.com/signer-name'`,
    ],
  },
]);

const service = { group: 'g.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };

table(
  'apiregistration.k8s.io/v1',
  'APIService',
  service,
  [
    {
      why: 'is another group',
      spec: { group: 'h.example.com', versionPriority: 2000 },
      want: [
        'metadata.name: Invalid value: "v1.g.example.com": must be `spec.version+"."+spec.group`: "v1.h.example.com"',
        'spec.versionPriority: Invalid value: 2000: must be positive and less than 1000',
      ],
    },
    {
      why: 'trusts anyone here',
      spec: { insecureSkipTLSVerify: true },
      want: ['spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify'],
    },
    {
      why: 'is behind a Service without a name',
      spec: { service: { namespace: 'n', port: 99_999 }, insecureSkipTLSVerify: true, caBundle: 'YQ==' },
      want: [
        'spec.service.name: Required value',
        'spec.service.port: Invalid value: 99999: port is not valid: must be between 1 and 65535, inclusive',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
      ],
    },
  ],
  'v1.g.example.com',
);

const STORAGE = 'storage.k8s.io/v1';

table(STORAGE, 'CSIDriver', {}, [
  {
    why: 'has an unknown mode',
    spec: {
      volumeLifecycleModes: ['Foo'],
      tokenRequests: [{ audience: 'a' }, { audience: 'a', expirationSeconds: 5 }],
    },
    want: [
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[1].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      'spec.volumeLifecycleModes: Unsupported value: "Foo": supported values: "Persistent", "Ephemeral"',
    ],
  },
]);

table(STORAGE, 'CSINode', { drivers: [{ name: 'd', nodeID: 'n' }] }, [
  {
    why: 'has a driver twice',
    spec: { drivers: ['d', 'd'].map((name) => ({ name, nodeID: 'n', allocatable: { count: -1 } })) },
    want: [
      'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[1].name: Duplicate value: "d"',
    ],
  },
]);

table(STORAGE, 'VolumeAttachment', { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } }, [
  { why: 'has no attacher', spec: { attacher: '' }, want: ['spec.attacher: Required value'] },
  {
    why: 'has no source',
    spec: { source: {} },
    want: ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  },
]);

describe('kinds without a spec', () => {
  it.each([
    {
      kind: 'VolumeAttributesClass',
      fields: {},
      want: ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
    },
    {
      kind: 'CSIStorageCapacity',
      fields: { storageClassName: 's', capacity: '-1' },
      want: ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
    },
    {
      kind: 'StorageClass',
      fields: {
        provisioner: 'p',
        parameters: { '': 'x' },
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'a' }, { key: 'b', values: ['c', 'c'] }] }],
      },
      want: [
        'parameters: Invalid value: "": field can not be empty.',
        'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
        'allowedTopologies[0].matchLabelExpressions[1].values[1]: Duplicate value: "c"',
      ],
    },
  ])('$kind', ({ kind, fields, want }) => {
    expect(mistakesOf(STORAGE, kind, fields)).toEqual(want);
  });
});

describe('Nodes and namespaces', () => {
  it('have taints that differ, and no negative capacity', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'Foo' },
    ];
    expect(mistakesOf('v1', 'Node', { spec: { taints }, status: { capacity: { cpu: '-1' } } })).toEqual([
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: ' +
        'taints must be unique by key and effect pair',
      'metadata.taints[2].effect: Unsupported value: "Foo": ' +
        'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it('have known levels of Pod Security, and finalizers of a domain', () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'foo', 'pod-security.kubernetes.io/warn-version': '1.3' };
    const metadata = { name: 'demo', labels };
    expect(linesOf({ apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: ['foo'] } })).toEqual([
      'spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "foo": ' +
        'must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.3": must be "latest" or "v1.x"',
    ]);
  });
});
