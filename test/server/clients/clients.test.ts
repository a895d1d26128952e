import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quietly } from '../../../src/quietly.ts';
import { helm, helm3, HOW_TO_FETCH, kubectl, kubectl129 } from './programs.ts';
import { Stage } from './stage.ts';
import { needs } from '../../needs.ts';

const CLIENT_NODE = createRequire(import.meta.url).resolve('@kubernetes/client-node');

const CHART = path.join(import.meta.dirname, 'chart');
const PYTHON = '/usr/bin/python3';
const hasPython = existsSync('/usr/lib/python3/dist-packages/kubernetes') && existsSync(PYTHON);
const RUBY = '/usr/bin/ruby';
const GEMS = '/usr/share/rubygems-integration/all/specifications';
const hasRuby =
  existsSync(RUBY) && (quietly(() => readdirSync(GEMS)) ?? []).some((file) => file.startsWith('kubeclient-'));
/** Debian's kubectl, the oldest that the server is tested with. */
const OLD_KUBECTL = process.env['PODRUN_OLD_KUBECTL'] ?? '/usr/bin/kubectl';
const isOld = /v1\.20\./.test(
  quietly(() => execFileSync(OLD_KUBECTL, ['version', '--client'], { encoding: 'utf8', stdio: 'pipe' })) ?? '',
);

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open({ authorization: 'rbac' });
});

afterAll(() => stage.close());

/** Runs a client to its end. Answers what it has printed, with its exit code when that is not 0. */
async function run(program: string | undefined, args: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.start(program ?? '', args, input).ended;
  return exitCode === 0 ? stdout : `${stdout}${stderr}exit code ${exitCode}`;
}

/** The data of the settings in the store. */
const greeting = (): unknown => stage.server.store.get('configmaps', 'default', 'mine-settings')?.['data'];

describe.each([
  ['helm 4', helm],
  ['helm 3', helm3],
])(`%s (${HOW_TO_FETCH})`, (name, program) => {
  it(
    'installs, upgrades, rolls back, uninstalls',
    needs({ [`${name}, ${HOW_TO_FETCH}`]: program !== undefined }),
    async () => {
      const { store } = stage.server;
      expect(await run(program, ['install', 'mine', CHART])).toContain('STATUS: deployed');
      expect(greeting()).toEqual({ greeting: 'hello' });
      expect(store.get('wares.shop.example.com', 'default', 'mine-apple')).toMatchObject({ spec: { price: 3 } });
      expect(await run(program, ['upgrade', 'mine', CHART, '--set', 'greeting=welcome,replicas=2'])).toContain(
        'REVISION: 2',
      );
      expect([greeting(), store.get('deployments', 'default', 'mine')]).toMatchObject([
        { greeting: 'welcome' },
        { spec: { replicas: 2 } },
      ]);
      expect(await run(program, ['rollback', 'mine', '1'])).toContain('Rollback was a success');
      expect([greeting(), store.get('deployments', 'default', 'mine')]).toMatchObject([
        { greeting: 'hello' },
        { spec: { replicas: 1 } },
      ]);
      expect(await run(program, ['uninstall', 'mine'])).toBe('release "mine" uninstalled\n');
      expect([greeting(), store.list('services'), store.list('wares.shop.example.com')]).toEqual([undefined, [], []]);
    },
  );
});

describe(
  `kubectl as another user (${HOW_TO_FETCH})`,
  needs({ [`kubectl, ${HOW_TO_FETCH}`]: kubectl !== undefined }),
  () => {
    const pods = (verb: string): string[] => ['auth', 'can-i', verb, 'pods'];

    it('may do what the default ClusterRoles permit', async () => {
      expect(await run(kubectl, [...pods('list'), '--as', 'jane'])).toBe('no\nexit code 1');
      const role = ['create', 'rolebinding', 'jane', '--clusterrole', 'view', '--user', 'jane'];
      expect(await run(kubectl, role)).toBe('rolebinding.rbac.authorization.k8s.io/jane created\n');
      expect(await run(kubectl, [...pods('list'), '--as', 'jane'])).toBe('yes\n');
      expect(await run(kubectl, [...pods('delete'), '--as', 'jane'])).toBe('no\nexit code 1');
    });

    it('gets an error for what it may not do', async () => {
      const account = 'system:serviceaccount:default:default';
      const why = `User "${account}" cannot list resource "secrets" in API group "" in the namespace "default"`;
      const token = (await run(kubectl, ['create', 'token', 'default'])).trim();
      // The kubeconfig has a token of its own, which comes first.
      const said = await run(kubectl, ['get', 'secrets', '--as', account]);
      expect(said).toBe(`Error from server (Forbidden): secrets is forbidden: ${why}\nexit code 1`);
      expect(token.split('.')).toHaveLength(3);
    });
  },
);

it(
  'kubectl 1.20, of Debian, applies, reads, patches and deletes',
  needs({ 'kubectl 1.20 of Debian': isOld }),
  async () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: old }\ndata: { a: "1" }\n';
    const file = stage.file('old.yaml', map);
    expect(await run(OLD_KUBECTL, ['apply', '--validate=false', '-f', file])).toBe('configmap/old created\n');
    expect(await run(OLD_KUBECTL, ['get', 'cm', 'old', '-o', 'jsonpath={.data.a}'])).toBe('1');
    expect(await run(OLD_KUBECTL, ['patch', 'cm', 'old', '-p', '{"data":{"a":"2"}}'])).toBe('configmap/old patched\n');
    expect(await run(OLD_KUBECTL, ['get', 'cm', 'old'])).toMatch(/^NAME +DATA +AGE\nold +1 +\d+s\n$/);
    expect(await run(OLD_KUBECTL, ['delete', 'cm', 'old'])).toBe('configmap "old" deleted\n');
  },
);

it(
  `kubectl 1.29 checks, creates lists, applies and describes (${HOW_TO_FETCH})`,
  needs({ [`kubectl 1.29, ${HOW_TO_FETCH}`]: kubectl129 !== undefined }),
  async () => {
    const map = (name: string, data: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n${data}: { a: "1" }\n`;
    const wrong = await run(kubectl129, ['apply', '-f', stage.file('wrong.yaml', map('wrong', 'dta'))]);
    expect(wrong).toMatch(/strict decoding error: unknown field "dta"/);
    const items = ['one', 'two'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
    const list = stage.file('list.yaml', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    expect(await run(kubectl129, ['apply', '-f', list])).toBe('configmap/one created\nconfigmap/two created\n');
    const again = ['apply', '--server-side', '--force-conflicts', '-f', stage.file('one.yaml', map('one', 'data'))];
    expect(await run(kubectl129, again)).toBe('configmap/one serverside-applied\n');
    expect(await run(kubectl129, ['describe', 'cm', 'one'])).toMatch(/^Name: +one\n[^]*\na:\n----\n1\n/);
    expect(await run(kubectl129, ['explain', 'configmap.data'])).toMatch(/^KIND: +ConfigMap\n[^]*FIELD: data </);
    expect(await run(kubectl129, ['delete', 'cm', 'one', 'two'])).toBe(
      'configmap "one" deleted\nconfigmap "two" deleted\n',
    );
  },
);

it(
  'ruby-kubeclient, of Debian, creates, watches by the old paths and deletes',
  needs({ 'ruby-kubeclient of Debian': hasRuby }),
  async () => {
    const script = stage.file(
      'client.rb',
      [
        "require 'kubeclient'",
        "context = Kubeclient::Config.read(ENV['KUBECONFIG']).context",
        'options = { ssl_options: context.ssl_options, auth_options: context.auth_options }',
        "api = Kubeclient::Client.new(context.api_endpoint, 'v1', **options)",
        "meta = { name: 'gem', namespace: 'default', labels: { kind: 'ruby' } }",
        "made = api.create_config_map(Kubeclient::Resource.new(metadata: meta, data: { a: '1' }))",
        "api.patch_config_map('gem', { data: { a: '2' } }, 'default')",
        "api.delete_config_map('gem', 'default')",
        'version = made.metadata.resourceVersion',
        "watch = api.watch_config_maps(namespace: 'default', label_selector: 'kind=ruby', resource_version: version)",
        'watch.each do |notice|',
        '  puts "#{notice.type} #{notice.object.data.a}"',
        "  watch.finish if notice.type == 'DELETED'",
        'end',
      ].join('\n'),
    );
    expect(await run(RUBY, [script])).toBe('MODIFIED 2\nDELETED 2\n');
  },
);

it(
  'python3-kubernetes, of Debian, creates, watches and deletes',
  needs({ 'python3-kubernetes of Debian': hasPython }),
  async () => {
    const script = stage.file(
      'client.py',
      [
        'from kubernetes import client, config, watch',
        'config.load_kube_config()',
        'api = client.CoreV1Api()',
        'meta = client.V1ObjectMeta(name="snake", labels={"kind": "python"})',
        'made = api.create_namespaced_config_map("default", client.V1ConfigMap(metadata=meta, data={"a": "1"}))',
        'version = made.metadata.resource_version',
        'api.patch_namespaced_config_map("snake", "default", {"data": {"a": "2"}})',
        'api.delete_namespaced_config_map("snake", "default")',
        'stream = watch.Watch()',
        'for event in stream.stream(api.list_namespaced_config_map, "default", resource_version=version,',
        '                           label_selector="kind=python"):',
        '    print(event["type"], event["object"].data["a"])',
        '    if event["type"] == "DELETED": stream.stop()',
      ].join('\n'),
    );
    expect(await run(PYTHON, [script])).toBe('MODIFIED 2\nDELETED 2\n');
  },
);

it('@kubernetes/client-node', async () => {
  const script = stage.file(
    'client.mjs',
    [
      `import * as k8s from ${JSON.stringify(pathToFileURL(CLIENT_NODE).href)};`,
      'const config = new k8s.KubeConfig();',
      'config.loadFromDefault();',
      'const core = config.makeApiClient(k8s.CoreV1Api);',
      "const path = '/api/v1/namespaces/default/configmaps';",
      "const options = { namespace: 'default', labelSelector: 'kind=node' };",
      'const list = () => core.listNamespacedConfigMap(options);',
      'const informer = k8s.makeInformer(config, path, list, options.labelSelector);',
      'const seen = [];',
      'const gone = new Promise((resolve) => {',
      "  for (const what of ['add', 'update', 'delete'])",
      '    informer.on(what, ({ data }) => {',
      '      seen.push(`${what} ${data.a}`);',
      "      if (what === 'delete') resolve();",
      '    });',
      '});',
      'await informer.start();',
      "const body = { metadata: { name: 'node', labels: { kind: 'node' } }, data: { a: '1' } };",
      "await core.createNamespacedConfigMap({ namespace: 'default', body });",
      'const objects = k8s.KubernetesObjectApi.makeApiClient(config);',
      "const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...body, data: { a: '2' } };",
      "await objects.patch(applied, undefined, undefined, 'me', true, k8s.PatchStrategy.ServerSideApply);",
      "await core.deleteNamespacedConfigMap({ name: 'node', namespace: 'default' });",
      'await gone;',
      'await informer.stop();',
      "console.log(seen.join('\\n'));",
      CUSTOM,
    ].join('\n'),
  );
  const settings = 'add 1\nupdate 2\ndelete 2\n';
  expect(await run(process.execPath, [script])).toBe(`${settings}ADDED 1\nMODIFIED 2\nDELETED 2\n`);
});

/** A kind of its own, made, watched and changed by the client library. */
const CUSTOM = `{
const definitions = config.makeApiClient(k8s.ApiextensionsV1Api);
const names = { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' };
const size = { type: 'integer', _default: 1 };
const spec = { type: 'object', properties: { size }, _default: {} };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
const version = { name: 'v1', served: true, storage: true, schema };
const definition = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
const body = { metadata: { name: 'gizmos.example.com' }, spec: definition };
await definitions.createCustomResourceDefinition({ body });
const gizmos = config.makeApiClient(k8s.CustomObjectsApi);
const at = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'gizmos' };
// The kind is served a moment later.
let list;
while (list === undefined) list = await gizmos.listNamespacedCustomObject(at).catch(() => undefined);
const { resourceVersion } = list.metadata;
const told = [];
await new Promise((resolve, reject) => {
  const onEvent = (type, { spec }) => {
    told.push(type + ' ' + spec.size);
    if (type === 'DELETED') resolve();
  };
  const path = '/apis/example.com/v1/namespaces/default/gizmos';
  new k8s.Watch(config).watch(path, { resourceVersion }, onEvent, reject).catch(reject);
  const name = 'one';
  const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name } };
  const patch = [{ op: 'replace', path: '/spec/size', value: 2 }];
  gizmos
    .createNamespacedCustomObject({ ...at, body })
    .then(() => gizmos.patchNamespacedCustomObject({ ...at, name, body: patch }))
    .then(() => gizmos.deleteNamespacedCustomObject({ ...at, name }))
    .catch(reject);
});
console.log(told.join('\\n'));
process.exit(0);
}`;
