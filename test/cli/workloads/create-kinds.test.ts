import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { StoredKubeObject } from '../../../src/api/base/objects.ts';
import { credentialsFile } from '../../../src/store/index.ts';
import { runHere } from '../in-process.ts';
import { workshopForEach } from '../workshop.ts';

// Manifests and messages of kubectl 1.32, without the lines `creationTimestamp: null` that newer ones leave out.
const workshop = workshopForEach();
const run = (line: string) => runHere(workshop, line.split(' '));
const ok = (stdout: string, stderr = '') => ({ exitCode: 0, stdout, stderr });

const service = (spec: string): string => `apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
  name: web
spec:
${spec}
status:
  loadBalancer: {}
`;
const rbac = (kind: string, rest: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: x\n${rest}`;
const port = (name: string, target: string): string =>
  `  - name: ${name}\n    port: 80\n    protocol: TCP\n    targetPort: ${target}\n`;

describe('a dry run prints the manifest as kubectl does', () => {
  it.each([
    [
      'service clusterip web --tcp=80:http --tcp=80',
      service(`  ports:\n${port('80-http', 'http')}${port('"80"', '80')}  selector:\n    app: web\n  type: ClusterIP`),
    ],
    [
      'service clusterip web --clusterip=None',
      service('  clusterIP: None\n  selector:\n    app: web\n  type: ClusterIP'),
    ],
    [
      'service nodeport web --tcp=80 --node-port=30080',
      service(
        '  ports:\n  - name: "80"\n    nodePort: 30080\n    port: 80\n    protocol: TCP\n    targetPort: 80\n' +
          '  selector:\n    app: web\n  type: NodePort',
      ),
    ],
    [
      'service loadbalancer web --tcp=80:8080',
      service(`  ports:\n${port('80-8080', '8080')}  selector:\n    app: web\n  type: LoadBalancer`),
    ],
    [
      'service externalname web --external-name=example.com',
      service('  externalName: example.com\n  selector:\n    app: web\n  type: ExternalName'),
    ],
    [
      'quota x --hard=cpu=1000m,pods=2 --scopes=BestEffort',
      'apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: x\nspec:\n  hard:\n    cpu: "1"\n    pods: "2"\n' +
        '  scopes:\n  - BestEffort\nstatus: {}\n',
    ],
    ['quota x', 'apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: x\nspec: {}\nstatus: {}\n'],
    [
      'pdb x --selector=app=web --min-available=50%',
      'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: x\nspec:\n  minAvailable: 50%\n' +
        '  selector:\n    matchLabels:\n      app: web\nstatus:\n  currentHealthy: 0\n  desiredHealthy: 0\n' +
        '  disruptionsAllowed: 0\n  expectedPods: 0\n',
    ],
    [
      'priorityclass x --value=7 --description=d --global-default',
      'apiVersion: scheduling.k8s.io/v1\ndescription: d\nglobalDefault: true\nkind: PriorityClass\nmetadata:\n' +
        '  name: x\npreemptionPolicy: PreemptLowerPriority\nvalue: 7\n',
    ],
    [
      'role x --verb=get,list --resource=po,deploy,pods/log --verb=get',
      rbac(
        'Role',
        'rules:\n- apiGroups:\n  - ""\n  resources:\n  - pods\n  - pods/log\n  verbs:\n  - get\n  - list\n' +
          '- apiGroups:\n  - apps\n  resources:\n  - deployments\n  verbs:\n  - get\n  - list\n',
      ),
    ],
    [
      'role x --verb=* --resource=rs.apps --resource-name=a --resource-name=b',
      rbac(
        'Role',
        'rules:\n- apiGroups:\n  - apps\n  resourceNames:\n  - a\n  - b\n  resources:\n  - replicasets\n' +
          "  verbs:\n  - '*'\n",
      ),
    ],
    [
      'role x --verb=get --resource=*.apps',
      rbac('Role', "rules:\n- apiGroups:\n  - apps\n  resources:\n  - '*'\n  verbs:\n  - get\n"),
    ],
    [
      'clusterrole x --verb=get --non-resource-url=/logs/* --resource=nodes',
      rbac(
        'ClusterRole',
        'rules:\n- apiGroups:\n  - ""\n  resources:\n  - nodes\n  verbs:\n  - get\n- nonResourceURLs:\n  - /logs/*\n' +
          '  verbs:\n  - get\n',
      ),
    ],
    [
      'clusterrole x --aggregation-rule=a=b,c=d',
      'aggregationRule:\n  clusterRoleSelectors:\n  - matchLabels:\n      a: b\n      c: d\n' +
        rbac('ClusterRole', 'rules: null\n'),
    ],
    [
      'rolebinding x --clusterrole=view --user=u --group=g --serviceaccount=ns:sa',
      rbac(
        'RoleBinding',
        'roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: view\nsubjects:\n' +
          '- apiGroup: rbac.authorization.k8s.io\n  kind: User\n  name: u\n' +
          '- apiGroup: rbac.authorization.k8s.io\n  kind: Group\n  name: g\n' +
          '- kind: ServiceAccount\n  name: sa\n  namespace: ns\n',
      ),
    ],
    [
      'clusterrolebinding x --clusterrole=view',
      rbac(
        'ClusterRoleBinding',
        'roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: view\n',
      ),
    ],
  ])('create %s', async (words, stdout) => {
    expect(await run(`create ${words} --dry-run=client -o yaml`)).toEqual(ok(stdout));
  });
});

it.each([
  [
    'service clusterip web --tcp=80',
    'service/web',
    'failed to create ClusterIP service: services "web" already exists',
  ],
  ['quota x', 'resourcequota/x', 'failed to create quota: resourcequotas "x" already exists'],
  [
    'pdb x --selector=a=b --min-available=1',
    'poddisruptionbudget.policy/x',
    'failed to create poddisruptionbudgets: poddisruptionbudgets.policy "x" already exists',
  ],
  [
    'priorityclass x --value=1',
    'priorityclass.scheduling.k8s.io/x',
    'failed to create priorityclass: priorityclasses.scheduling.k8s.io "x" already exists',
  ],
  [
    'role x --verb=get --resource=pods',
    'role.rbac.authorization.k8s.io/x',
    'Error from server (AlreadyExists): roles.rbac.authorization.k8s.io "x" already exists',
  ],
  [
    'clusterrole x --verb=get --resource=pods',
    'clusterrole.rbac.authorization.k8s.io/x',
    'Error from server (AlreadyExists): clusterroles.rbac.authorization.k8s.io "x" already exists',
  ],
  [
    'rolebinding x --role=r',
    'rolebinding.rbac.authorization.k8s.io/x',
    'failed to create rolebinding: rolebindings.rbac.authorization.k8s.io "x" already exists',
  ],
  [
    'clusterrolebinding x --clusterrole=r',
    'clusterrolebinding.rbac.authorization.k8s.io/x',
    'failed to create clusterrolebinding: clusterrolebindings.rbac.authorization.k8s.io "x" already exists',
  ],
])('create %s stores the object, once', async (words, subject, taken) => {
  expect(await run(`create ${words}`)).toMatchObject(ok(`${subject} created\n`, expect.any(String) as string));
  const prefix = taken.startsWith('Error') ? '' : 'error: ';
  expect(await run(`create ${words}`)).toMatchObject({ exitCode: 1, stderr: `${prefix}${taken}\n` });
  expect(await run(`get ${subject} -o name`)).toEqual(ok(`${subject}\n`));
});

it('an unusual verb of a role gets a warning', async () => {
  const { stderr } = await run('create role x --verb=fly --resource=pods --dry-run=client -o name');
  expect(stderr).toBe("Warning: 'fly' is not a standard resource verb\n");
});

it.each([
  ['service clusterip web', 'at least one tcp port specifier must be provided'],
  ['service clusterip web --tcp=x', 'strconv.ParseUint: parsing "x": invalid syntax'],
  ['service clusterip web --tcp=70000', 'strconv.ParseUint: parsing "70000": value out of range'],
  ['service clusterip web --tcp=80:Bad_', 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
  ['service externalname web --external-name=Bad_', 'invalid service external name Bad_'],
  ['service externalname web', 'required flag(s) "external-name" not set'],
  ['quota x --hard=cpu', 'Invalid argument syntax cpu, expected <resource>=<value>'],
  ['quota x --scopes=a,', 'invalid resource quota scope ""'],
  ['pdb x', 'a selector must be specified'],
  ['pdb x --selector=app=web', 'one of min-available or max-unavailable must be specified'],
  [
    'pdb x --selector=a=b --min-available=1 --max-unavailable=1',
    'min-available and max-unavailable cannot be both specified',
  ],
  ['pdb x --selector=a=b --min-available=x', 'invalid format specified for min-available'],
  ['pdb x --selector=a!=b --max-unavailable=1', '"!=" is not a valid label selector operator'],
  ['role x --resource=pods', 'at least one verb must be specified'],
  ['role x --verb=get', 'at least one resource must be specified'],
  ['role x --verb=get --resource=/x', 'resource must be specified if apiGroup/subresource specified'],
  ['clusterrole x --verb=get --non-resource-url=logs', 'nonResourceURL should start with /'],
  ['clusterrole x --verb=get', 'one of resource or nonResourceURL must be specified'],
  ['clusterrole x --verb=create --non-resource-url=/x', "invalid verb: 'create' for nonResourceURL"],
  [
    'clusterrole x --aggregation-rule=a=b --verb=get',
    'aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames',
  ],
  ['rolebinding x --role=a --clusterrole=b', 'exactly one of clusterrole or role must be specified'],
  ['rolebinding x --role=a --serviceaccount=x', 'serviceaccount must be <namespace>:<name>'],
  ['clusterrolebinding x', 'required flag(s) "clusterrole" not set'],
  ['token default --bound-object-kind=Pod', '--bound-object-name is required if --bound-object-kind is provided'],
  ['token default --bound-object-kind=Foo', 'supported --bound-object-kind values are Node, Pod, Secret'],
  ['token default --bound-object-name=x', '--bound-object-name can only be set if --bound-object-kind is provided'],
])('create %s is refused in the words of kubectl', async (words, message) => {
  expect(await run(`create ${words}`)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
});

describe('create token', () => {
  it('prints a token that the key of the server has signed', async () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    expect((await run('create token default')).stderr).toMatch(/^error: this state folder has no API server yet/);
    mkdirSync(path.dirname(credentialsFile(workshop.stateDir)), { recursive: true });
    writeFileSync(credentialsFile(workshop.stateDir), JSON.stringify({ server: { key: privateKey } }));
    const { stdout } = await run('create token default --duration=20m --audience=vault');
    const claims = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString()) as StoredKubeObject;
    expect(claims).toMatchObject({ aud: ['vault'], sub: 'system:serviceaccount:default:default' });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(1200);
  });

  it.each([
    ['nope', 'serviceaccounts "nope" not found'],
    ['default --bound-object-kind=Pod --bound-object-name=x', 'pods "x" not found'],
    [
      'default --duration=5m',
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 300: may not specify ' +
        'a duration less than 10 minutes',
    ],
  ])('refuses %s', async (words, message) => {
    expect((await run(`create token ${words}`)).stderr).toBe(`error: failed to create token: ${message}\n`);
  });
});
