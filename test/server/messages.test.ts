import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;

const CORE = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const SCALERS = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const YAML = { 'content-type': 'application/yaml' };
const JSON_TYPE = { 'content-type': 'application/json' };

const CONFIGS = `${CORE}/configmaps`;
const UNRECOGNIZED = 'the object provided is unrecognized (must be of type ConfigMap): ';
const NO_KIND = `${UNRECOGNIZED}couldn't get version/kind; json parse error: `;
const TYPE_META =
  String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; ` +
  String.raw`Kind string "json:\"kind,omitempty\"" }`;

const metadata = { name: 'a' };
const containers = [{ name: 'm', image: 'busybox' }];
const selector = { matchLabels: { app: 'a' } };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };
const event = {
  metadata,
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  type: 'Normal',
  note: 'n',
  regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
};

beforeAll(async () => {
  server = await startServer();
  await server.post(`${APPS}/deployments`, { metadata, spec: { selector, template } });
  await server.post(`${CORE}/pods`, { metadata, spec: { containers, nodeSelector: { none: 'such' } } });
  const schedulingGates = [{ name: 'example.com/g' }];
  await server.post(`${CORE}/pods`, { metadata: { name: 'gated' }, spec: { containers, schedulingGates } });
  await server.post(EVENTS, event);
});

afterAll(() => server.close());

interface Case {
  readonly about: string;
  readonly to: readonly [method: string, path: string];
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly message: string;
}

// The words are those that kube-apiserver 1.36 responds with.
const CASES: readonly Case[] = [
  {
    about: 'an Event of events.k8s.io is invalid by its kind of the core group',
    to: ['POST', EVENTS],
    body: { ...event, metadata: { name: 'b' }, action: '' },
    code: 422,
    message: 'Event "b" is invalid: action: Required value',
  },
  {
    about: 'and so is a changed one',
    to: ['PATCH', `${EVENTS}/a`],
    body: { note: 'other' },
    headers: MERGE,
    code: 422,
    message: 'Event "a" is invalid: message: Invalid value: "other": field is immutable',
  },
  {
    about: 'a time with microseconds has all of them',
    to: ['POST', LEASES],
    body: { metadata, spec: { renewTime: '2026-01-01T00:00:00Z' } },
    code: 400,
    message:
      'Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z" as ' +
      '"2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  },
  {
    about: 'a negative scale is a mistake of the scale',
    to: ['PATCH', `${APPS}/deployments/a/scale`],
    body: { spec: { replicas: -3 } },
    headers: MERGE,
    code: 422,
    message: 'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
  },
  {
    about: 'an eviction has the name of its Pod',
    to: ['POST', `${CORE}/pods/a/eviction`],
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'b' } },
    code: 400,
    message: 'name in URL does not match name in Eviction object',
  },
  {
    about: 'a binding has a node',
    to: ['POST', `${CORE}/pods/a/binding`],
    body: { metadata, target: { kind: 'Node', name: '' } },
    code: 500,
    message: 'target.name: Required value',
  },
  {
    about: 'a binding waits for the gates of its Pod',
    to: ['POST', `${CORE}/pods/gated/binding`],
    body: { metadata: { name: 'gated' }, target: { kind: 'Node', name: 'n' } },
    code: 409,
    message: 'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates',
  },
  {
    about: 'an empty body',
    to: ['POST', CONFIGS],
    body: '',
    headers: JSON_TYPE,
    code: 400,
    message: `${NO_KIND}unexpected end of JSON input (<empty>)`,
  },
  {
    about: 'a body that is cut off is shown',
    to: ['POST', CONFIGS],
    body: '{"apiVersion":"v1",',
    headers: JSON_TYPE,
    code: 400,
    message: `${NO_KIND}unexpected end of JSON input ({"apiVersion":"v1",)`,
  },
  {
    about: 'a body that is no object is shown as bytes',
    to: ['POST', CONFIGS],
    body: '[1]',
    headers: JSON_TYPE,
    code: 400,
    message: `${NO_KIND}json: cannot unmarshal array into Go value of type ${TYPE_META} (5b315d)`,
  },
  {
    about: 'the beginning of a long body is enough',
    to: ['POST', CONFIGS],
    body: `\u{FEFF}{"apiVersion":"v1","kind":"ConfigMap"}`,
    headers: JSON_TYPE,
    code: 400,
    message:
      `${NO_KIND}invalid character 'ï' looking for beginning of value ` +
      '(efbbbf7b2261706956657273696f6e223a227631222c226b696e64223a22 ...)',
  },
  {
    about: 'YAML that is none',
    to: ['POST', CONFIGS],
    body: 'metadata: [\n',
    headers: YAML,
    code: 400,
    message: `${UNRECOGNIZED}yaml: line 1: did not find expected node content (6d657461646174613a205b0a)`,
  },
  {
    about: 'a repeated key of YAML has its line',
    to: ['POST', `${CONFIGS}?fieldValidation=Strict`],
    body: 'metadata:\n  name: a\n  name: b\n',
    headers: YAML,
    code: 400,
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
      'yaml: unmarshal errors:\n  line 3: key "name" already set in map',
  },
  {
    about: 'YAML is read with sorted keys',
    to: ['POST', CONFIGS],
    body: 'metadata:\n  name: y\ndata:\n  a: yes\n',
    headers: YAML,
    code: 400,
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
      'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
  },
  {
    about: 'an integer has no fraction in JSON',
    to: ['POST', `${APPS}/replicasets`],
    body: '{"metadata":{"name":"a"},"spec":{"replicas":1.0}}',
    headers: JSON_TYPE,
    code: 400,
    message:
      'ReplicaSet in version "v1" cannot be handled as a ReplicaSet: ' +
      'json: cannot unmarshal number 1.0 into Go struct field ReplicaSetSpec.spec.replicas of type int32',
  },
  {
    about: 'a form that an object does not have',
    to: ['GET', CONFIGS],
    headers: { accept: 'application/json;as=Foo;v=v1;g=meta.k8s.io' },
    code: 406,
    message:
      'only the following media types are accepted: ' +
      'application/json, application/yaml, application/vnd.kubernetes.protobuf',
  },
  {
    about: 'the mistakes of a policy and of its expressions are told at once',
    to: ['POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'],
    body: {
      metadata,
      spec: {
        paramKind: { apiVersion: 'x/y/z', kind: 'K' },
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        },
        variables: [{ name: 'user', expression: 'request.userInfo' }],
        validations: [{ expression: '1 + 1' }, { expression: 'variables.user.nosuch == namespaceObject.nosuch' }],
      },
    },
    code: 422,
    message:
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io "a" is invalid: ' +
      '[spec.paramKind.apiVersion: Invalid value: "x/y/z": unexpected GroupVersion string: x/y/z, ' +
      'spec.validations[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int, ' +
      'spec.validations[1].expression: Invalid value: "variables.user.nosuch == namespaceObject.nosuch": ' +
      "compilation failed: ERROR: <input>:1:41: undefined field 'nosuch'\n" +
      ` | variables.user.nosuch == namespaceObject.nosuch\n | ${'.'.repeat(40)}^]`,
  },
  {
    about: 'exec needs a node, whatever else is missing',
    to: ['POST', `${CORE}/pods/a/exec`],
    code: 400,
    message: 'pod a does not have a host assigned',
  },
];

it.each(CASES)('$about', async ({ to: [method, path], body, headers, code, message }) => {
  const response = await server.request(method, path, body, headers);
  expect({ code: response.code, message: response.body.message }).toEqual({ code, message });
});

it('a body of another type has no details, and its response no warning', async () => {
  const headers = { 'content-type': 'text/plain' };
  const { body } = await server.request('POST', CONFIGS, '{}', headers);
  expect([body.code, body.details]).toEqual([415, undefined]);
  const patched = await server.request('PATCH', `${CORE}/endpoints/kubernetes`, '{}', headers);
  expect([patched.code, patched.headers['warning']]).toEqual([415, undefined]);
});

it('a Job is made with its own selector, and one with the labels of another Job is refused', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const spec = (labels: object): object => ({
    template: { metadata: { labels }, spec: { ...template.spec, restartPolicy: 'Never' } },
  });
  const made = await server.post(jobs, { metadata, spec: spec({}) });
  const { uid } = made.body.metadata;
  expect(made.body.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
  const { body } = await server.post(jobs, { metadata: { name: 'b' }, spec: spec({ 'controller-uid': uid }) });
  expect(body.message).toMatch(
    /^Job.batch "b" is invalid: spec.template.metadata.labels\[controller-uid\]: .*: must be '/,
  );
  const deleted = await server.request('DELETE', `${jobs}/a?dryRun=All`);
  expect(deleted.headers['warning']).toContain('child pods are preserved by default when jobs are deleted');
  const cleared = await server.request('DELETE', `${jobs}/a?propagationPolicy=Background`);
  expect(cleared.headers['warning']).toBeUndefined();
});

it('an Event has a row in either group', async () => {
  const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const { body } = await server.get(`${EVENTS}/a`, accept);
  expect(body.rows[0].cells).toEqual(expect.arrayContaining(['Normal', 'R', 'pod/p', 'n']));
});

it('some objects are created without a name, by an update, and in a dry run with a version', async () => {
  const limits = [{ type: 'Container', max: { cpu: '1' } }];
  const range = await server.post(`${CORE}/limitranges?dryRun=All`, { spec: { limits } });
  expect([range.code, range.body.metadata.name]).toEqual([201, expect.stringMatching(/^[-0-9a-f]{36}$/)]);
  const classes = '/apis/node.k8s.io/v1/runtimeclasses/new?dryRun=All';
  expect((await server.request('PUT', classes, { metadata: { name: 'new' }, handler: 'h' })).code).toBe(201);
  const versioned = { metadata: { name: 'v', resourceVersion: '5' } };
  expect((await server.post(`${CONFIGS}?dryRun=All`, versioned)).body.metadata).toMatchObject({ resourceVersion: '5' });
  expect((await server.post(CONFIGS, versioned)).code).toBe(400);
});

it('an Ingress with the class in an annotation is warned of', async () => {
  const annotations = { 'kubernetes.io/ingress.class': 'x' };
  const spec = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
  const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  const { headers } = await server.post(`${ingresses}?dryRun=All`, { metadata: { name: 'i', annotations }, spec });
  expect(headers['warning']).toContain("is deprecated, please use 'spec.ingressClassName' instead");
});

it('a patch with a wrong type is refused with the object in the version of the request', async () => {
  const { body } = await server.request('PATCH', `${EVENTS}/a`, { metadata: { labels: 'x' } }, MERGE);
  expect(body.message).toMatch(/^ "" is invalid: patch: Invalid value: "{\\"action\\":\\"A\\".*\\"note\\":\\"n\\"/);
  const scale = await server.request('PATCH', `${APPS}/deployments/a/scale`, { spec: { replicas: 'x' } }, MERGE);
  expect(scale.body.message).toContain('cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type');
});

it.each([
  {
    kind: 'Event',
    path: `${EVENTS}/applied`,
    manifest: { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...event },
  },
  {
    kind: 'HorizontalPodAutoscaler',
    path: `${SCALERS}/applied`,
    manifest: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 5,
      },
    },
  },
])('a second apply of a $kind in another version than it is stored is permitted', async ({ path, manifest }) => {
  const apply = (object: object): ReturnType<TestServer['request']> =>
    server.request('PATCH', `${path}?fieldManager=m`, JSON.stringify(object), APPLY);
  const wanted = { ...manifest, metadata: { name: 'applied' } };
  const [first, second] = [await apply(wanted), await apply({ ...wanted, metadata: { labels: { a: 'b' } } })];
  expect([first.code, first.headers['warning'] ?? '']).toEqual([201, expect.not.stringContaining('unknown field')]);
  expect(second.body).toMatchObject({ apiVersion: manifest.apiVersion, metadata: { labels: { a: 'b' } } });
});
