import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { type Ended, Workshop } from './workshop.ts';

/** Characters that a terminal obeys: a title, a cleared screen, a bell, C1, a carriage return, a changed direction. */
const HOSTILE = 'a\u001B]0;owned\u0007\u001B[2J\u001B[31mb\u009B5mc\rd\u202Ee\u2066f\u007Fg';
const OBEYED = new RegExp(
  String.raw`[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]`,
  'g',
);

/** A manifest in ASCII: YAML allows the hostile characters only as escapes. */
const inAscii = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\u007F-\uFFFF]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

const metadata = { name: 'web', annotations: { note: HOSTILE } };
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'main',
        image: 'busybox',
        // The container runs until its hook has failed.
        command: ['sh', '-c', 'trap "exit 3" TERM; sleep 60 & wait'],
        args: [HOSTILE],
        env: [{ name: 'TEXT', value: HOSTILE }],
        lifecycle: { postStart: { exec: { command: ['sh', '-c', 'printf "$TEXT"; exit 1'] } } },
        readinessProbe: { exec: { command: ['sh', '-c', 'printf "$TEXT"; exit 1'] }, periodSeconds: 1 },
      },
    ],
  },
};
/** An object from another program, which podrun did not check. */
const SAVED = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      ...POD,
      metadata: { ...metadata, name: HOSTILE, namespace: 'default', uid: HOSTILE, labels: { [HOSTILE]: HOSTILE } },
      spec: { ...POD.spec, nodeName: HOSTILE, containers: [{ name: HOSTILE, image: HOSTILE }] },
      status: {
        phase: HOSTILE,
        reason: HOSTILE,
        message: HOSTILE,
        conditions: [{ type: HOSTILE, status: 'False', reason: HOSTILE, message: HOSTILE }],
        containerStatuses: [
          {
            name: HOSTILE,
            image: HOSTILE,
            imageID: '',
            ready: false,
            restartCount: 1,
            state: { waiting: { reason: HOSTILE, message: HOSTILE } },
            lastState: { terminated: { exitCode: 1, reason: HOSTILE, message: HOSTILE } },
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'Pod', name: HOSTILE, namespace: 'default', uid: HOSTILE },
      reason: HOSTILE,
      message: HOSTILE,
      type: 'Warning',
      source: { component: HOSTILE },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { [HOSTILE]: HOSTILE } },
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: HOSTILE, labels: { [HOSTILE]: HOSTILE } },
      status: { conditions: [{ type: HOSTILE, status: 'False', message: HOSTILE }] },
    },
  ],
};
const INVALID = inAscii({
  ...POD,
  metadata: { ...metadata, labels: { [HOSTILE]: HOSTILE }, [HOSTILE]: 1 },
  spec: { ...POD.spec, restartPolicy: HOSTILE, containers: [{ name: HOSTILE, image: HOSTILE, ports: HOSTILE }] },
});

const FILE = `${HOSTILE.replaceAll('/', '')}.yaml`;
const SAVED_FROM = ['--from', 'saved.json'];

/** The arguments for each command. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  init: [[HOSTILE], ['web', '--image', HOSTILE]],
  validate: [
    ['bad.yaml'],
    [FILE],
    ['bad.yaml', '-o', 'json'],
    ['bad.yaml', '-o', 'sarif'],
    ['bad.yaml', '-o', 'github'],
  ],
  apply: [
    ['-f', 'bad.yaml'],
    ['-f', FILE],
    ['-f', HOSTILE],
    ['-f', 'web.yaml', '--until', HOSTILE],
    ['-f', 'web.yaml', '--dry-run', '-o', 'yaml'],
    ['-f', 'web.yaml', '-o', 'json', '--no-logs'],
    ['-f', 'image.yaml', '--timeout', '1s'],
    ['-f', 'web.yaml', '--no-logs', '--', HOSTILE],
  ],
  simulate: [
    ['-f', 'web.yaml', '--for', '1s'],
    ['-f', FILE],
    ['-f', 'web.yaml', '--program', HOSTILE],
    ['-f', 'web.yaml', '--nodes', '2', '--inject', HOSTILE],
  ],
  matrix: [
    ['-f', 'web.yaml', '--seeds', '1'],
    ['-f', FILE, '--seeds', '1'],
    ['-f', 'web.yaml', '--inject', HOSTILE],
  ],
  'pull-manifest': [[HOSTILE], ['web', '--context', HOSTILE]],
  compare: [['-f', 'web.yaml', '--context', HOSTILE]],
  wait: [
    ['pod/web', '--for', `condition=${HOSTILE}`, '--timeout', '1s'],
    [`pod/${HOSTILE}`, '--for', 'condition=Ready'],
  ],
  get: [
    ['pods', '-o', 'wide', '--show-labels'],
    ['pods', '-o', 'yaml'],
    ['pods', '-o', 'json'],
    ['pods', '-o', 'custom-columns=A:.metadata.annotations.note'],
    ['pods,cm,events', ...SAVED_FROM],
    ['pods', '-o', 'yaml', ...SAVED_FROM],
    [HOSTILE],
    ['pod', HOSTILE],
    ['pods', '-o', HOSTILE],
    ['pods', '-l', HOSTILE],
  ],
  describe: [
    ['pod', 'web'],
    ['pods', ...SAVED_FROM],
    ['nodes', ...SAVED_FROM],
    ['pod', HOSTILE],
  ],
  logs: [['web'], ['web', '-c', HOSTILE], [HOSTILE]],
  events: [[], SAVED_FROM, ['-o', 'yaml'], ['--for', HOSTILE]],
  probes: [['web'], ['web', '-o', 'json'], [HOSTILE]],
  top: [['pods'], ['pod', HOSTILE]],
  history: [[], [HOSTILE], ['web', '-o', 'json']],
  timeline: [['web'], ['web', '-o', 'html'], ['web', '-o', 'trace'], ['web', '-o', 'json'], [HOSTILE]],
  diff: [
    ['web', 'web@1'],
    [HOSTILE, 'web'],
    ['web@1', 'web', '-o', 'json'],
  ],
  expect: [['expected.yaml'], [HOSTILE]],
  advise: [['web'], ['web', '-o', 'json'], [HOSTILE]],
  exec: [
    [HOSTILE, '--', 'true'],
    ['web', '-c', HOSTILE, '--', 'true'],
  ],
  attach: [[HOSTILE], ['web', '-c', HOSTILE]],
  debug: [
    [HOSTILE, '--image', HOSTILE],
    ['web', '--image', 'busybox', '-c', HOSTILE],
  ],
  cp: [
    [`web:/tmp/${HOSTILE}`, HOSTILE],
    [HOSTILE, 'web:/tmp'],
  ],
  dashboard: [['--port', HOSTILE]],
  serve: [['--port', HOSTILE]],
  envtest: [
    ['-p', HOSTILE],
    ['--version', HOSTILE],
    ['serve', '--json', '--crds', HOSTILE],
  ],
  'port-forward': [
    [HOSTILE, '80'],
    ['web', HOSTILE],
  ],
  patch: [
    ['pod', 'web', '-p', HOSTILE],
    ['pod', HOSTILE, '-p', '{}'],
    ['pod', 'web', '-p', '{"spec":{"x":1}}', '-o', 'yaml'],
  ],
  replace: [
    ['-f', 'bad.yaml'],
    ['-f', 'web.yaml', '--dry-run=server', '-o', 'yaml'],
  ],
  label: [
    ['pod', 'web', `a=${HOSTILE}`],
    ['pod', HOSTILE, 'a=b'],
  ],
  annotate: [
    ['pod', 'web', '--list'],
    ['pod', 'web', `${HOSTILE}=a`],
    ['pod', 'web', `b=${HOSTILE}`],
  ],
  condition: [
    ['pod/web', `example.com/x=True`, '--message', HOSTILE],
    ['pod/web', `${HOSTILE}=True`],
  ],
  run: [
    [HOSTILE, '--image', HOSTILE],
    ['again', '--image', HOSTILE, '--env', HOSTILE, '--dry-run=client', '-o', 'yaml'],
  ],
  create: [
    ['configmap', HOSTILE],
    ['configmap', 'text', `--from-literal=a=${HOSTILE}`],
    ['deployment', 'web', '--image', HOSTILE, '--dry-run=client', '-o', 'yaml'],
    ['job', 'try', `--from=cronjob/${HOSTILE}`],
  ],
  edit: [['pod', HOSTILE]],
  netpol: [
    ['check', HOSTILE, 'web:80'],
    ['check', '-f', FILE, 'web', `${HOSTILE}:80`],
  ],
  why: [[HOSTILE], ['-f', FILE], ['-f', FILE, HOSTILE]],
  autoscale: [
    [HOSTILE, '--max=2'],
    ['deployment/web', '--max=2', `--name=${HOSTILE}`],
  ],
  scale: [
    [`deployment/${HOSTILE}`, '--replicas=2'],
    ['deployment', 'web', `--replicas=${HOSTILE}`],
  ],
  rollout: [
    ['status', `deployment/${HOSTILE}`],
    ['history', `deployment/${HOSTILE}`],
    [HOSTILE, 'deployment/web'],
  ],
  set: [
    ['image', 'pod/web', `main=${HOSTILE}`],
    ['env', 'pod/web', `A=${HOSTILE}`],
    ['env', 'pod/web', '--list'],
    [HOSTILE, 'pod/web'],
  ],
  dev: [[HOSTILE]],
  cordon: [[HOSTILE]],
  uncordon: [[HOSTILE]],
  drain: [[HOSTILE]],
  node: [[HOSTILE], ['crash', HOSTILE], [HOSTILE, 'node-1']],
  taint: [['nodes', HOSTILE, 'a=b:NoSchedule']],
  expose: [
    ['pod', 'web', '--port=80', `--name=${HOSTILE}`],
    ['pod', HOSTILE, '--port=80'],
  ],
  gc: [['--dry-run'], ['--keep', HOSTILE]],
  pull: [[HOSTILE], ['-f', HOSTILE]],
  images: [[HOSTILE], ['-o', HOSTILE]],
  image: [[HOSTILE], ['rm', HOSTILE], ['inspect', HOSTILE], ['load', '-i', HOSTILE], ['prune', HOSTILE]],
  explain: [[HOSTILE], [`pod.${HOSTILE}`]],
  doctor: [[HOSTILE], ['--state-dir', HOSTILE]],
  completion: [[HOSTILE]],
  __complete: [
    ['get', 'pods', ''],
    ['logs', 'web', '-c', ''],
  ],
  version: [[HOSTILE], ['-o', HOSTILE]],
  help: [[HOSTILE]],
  [HOSTILE]: [[]],
  delete: [
    ['pod', HOSTILE],
    ['-f', 'bad.yaml'],
    ['pod', 'web'],
  ],
};

describe('the output of podrun contains no terminal sequences of manifests or containers', () => {
  const workshop = new Workshop();
  /** Runs podrun and collects output that a terminal would obey. */
  const obeyed: string[] = [];
  const run = async (...args: string[]): Promise<Ended> => {
    const ended = await workshop.begin(args).ended;
    const found = (ended.stdout + ended.stderr).match(OBEYED);
    if (found !== null) obeyed.push(JSON.stringify([args, found]));
    return ended;
  };

  beforeAll(() => {
    workshop.file('web.yaml', inAscii(POD));
    workshop.file('bad.yaml', INVALID);
    workshop.file('saved.json', JSON.stringify(SAVED));
    workshop.file('expected.yaml', inAscii({ pod: 'web', steps: [{ started: HOSTILE }, { exited: 'main', code: 0 }] }));
    workshop.file(
      'image.yaml',
      inAscii({
        ...POD,
        metadata: { name: 'image' },
        spec: { containers: [{ name: 'main', image: 'nowhere.example/x:1', command: [`/nowhere/${HOSTILE}`] }] },
      }),
    );
    copyFileSync(path.join(workshop.folder, 'bad.yaml'), path.join(workshop.folder, FILE));
  });

  afterAll(() => workshop.close());

  it('the Pod of these commands runs twice', async () => {
    // Output of containers and hooks goes into a pipe unchanged.
    const apply = ['apply', '-f', 'web.yaml', '--no-logs'];
    for (const _ of ['web@1', 'web']) expect((await run(...apply)).stderr).toContain('pod "web" failed');
    expect(obeyed.splice(0)).toEqual([]);
  });

  it.each(Object.keys(LINES))('%j', async (command) => {
    for (const words of LINES[command] ?? []) await run(command, ...words);
    expect(obeyed.splice(0)).toEqual([]);
  });

  it('every command of podrun was tried', async () => {
    const { stdout } = await run('--help');
    const commands = [...stdout.matchAll(/^ {2}([a-z][\w-]+) {2,}[A-Z]/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(25);
    expect(commands.filter((name) => LINES[name!] === undefined)).toEqual([]);
  });

  it('JSON and YAML keep the data unchanged', async () => {
    const annotation = (text: string, read: (text: string) => unknown): unknown =>
      (read(text) as typeof SAVED).items[2]!.data![HOSTILE];
    const { stdout: json } = await run('get', 'pods,events,cm', '-o', 'json', ...SAVED_FROM);
    const { stdout: yaml } = await run('get', 'pods,events,cm', '-o', 'yaml', ...SAVED_FROM);
    expect(annotation(json, JSON.parse)).toBe(HOSTILE);
    expect(annotation(yaml, parse)).toBe(HOSTILE);
  });

  it('a template writes values byte for byte into a pipe', async () => {
    const { stdout } = await workshop.run(['get', 'cm', '-o', 'jsonpath={.items[0].data}', ...SAVED_FROM]);
    expect(JSON.parse(stdout)).toEqual({ [HOSTILE]: HOSTILE });
    const jsonPath = '{.items[0].status.message}';
    expect((await workshop.run(['get', 'pods', '-o', `jsonpath=${jsonPath}`, ...SAVED_FROM])).stdout).toBe(HOSTILE);
  });

  it('a termination message is escaped when shown, and stored byte for byte', async () => {
    const script = 'printf %s "$TEXT" > /dev/termination-log; printf %s "$TEXT"; exit 3';
    const main = {
      name: 'main',
      image: 'busybox',
      command: ['sh', '-c', script],
      env: [{ name: 'TEXT', value: HOSTILE }],
    };
    const spec = { restartPolicy: 'Never', containers: [main] };
    workshop.file('bye.yaml', inAscii({ ...POD, metadata: { name: 'bye' }, spec }));
    const { stderr } = await run('apply', '-f', 'bye.yaml', '--no-logs', '--report', 'report');
    const message = '{.status.containerStatuses[0].state.terminated.message}';
    const template = await workshop.run(['get', 'pod', 'bye', '-o', `jsonpath=${message}`]);
    expect(template.stdout).toBe(HOSTILE);
    const described = await run('describe', 'pod', 'bye');
    const shown = String.raw`a^[]0;owned^G^[[2J^[[31mb\u009b5mc\rd\u202ee\u2066f\u007fg`;
    expect([stderr, described.stdout].map((text) => text.includes(shown))).toEqual([true, true]);
    expect(obeyed).toEqual([]);

    const report = (file: string): string => readFileSync(path.join(workshop.folder, 'report', file), 'utf8');
    const files = ['events.json', 'junit.xml', 'pods.json', 'timeline.html'];
    expect(files.filter((file) => report(file).match(OBEYED) !== null)).toEqual([]);
    expect(report('junit.xml')).toContain(String.raw`b\u009b5mc`);
    const [pod] = (JSON.parse(report('pods.json')) as { items: StoredPod[] }).items;
    expect(pod?.status.containerStatuses?.[0]?.state?.terminated?.message).toBe(HOSTILE);
    expect(report('logs/bye/main/0.log')).toContain(HOSTILE.replace(/\r.*/s, ''));
  });

  it('with colours, the only sequences are colours of podrun', async () => {
    for (const args of [
      ['validate', 'bad.yaml'],
      ['timeline', 'web'],
      ['advise', 'web'],
      ['describe', 'pod', 'web'],
    ]) {
      const { stdout, stderr } = await workshop.run([...args, '--color', 'always'], { NO_COLOR: '', CI: '' });
      const colours = new RegExp(String.raw`\u001B\[(?:0|3[1-6]|39|9[0-6])m`, 'g');
      expect((stdout + stderr).replaceAll(colours, '').match(OBEYED)).toBeNull();
    }
  });
});
