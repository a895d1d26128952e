import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const workshop = workshopForEach();
const FOREVER = ['sh', '-c', 'trap "exit 0" TERM; : >up; sleep 1000 & wait'];
/** The program has set its handler of signals. */
const UP = { exec: { command: ['test', '-e', 'up'] }, periodSeconds: 1 };
const ACTIONS = { GITHUB_ACTIONS: 'true' };

/** The commands for GitHub Actions and the other relevant lines, without times. */
const commands = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('::') || /· running |│/.test(line))
    .map((line) => line.replace(/^ *\S* *[·│] (?:app +)?/, (head) => (head.includes('app') ? 'app ' : '')).trim())
    .map((line) => line.replaceAll(/\d+(\.\d+)?m?s\b/g, 'Ns'));

it('folds the output before and after COMMAND, but not the output of COMMAND', async () => {
  const manifest = workshop.pod('web', { containers: [{ name: 'main', command: FOREVER, readinessProbe: UP }] });
  const { stdout, exitCode } = await workshop.run(['apply', manifest, '--', 'echo', '::notice::from COMMAND'], ACTIONS);
  expect(exitCode).toBe(0);
  expect(commands(stdout)).toEqual([
    '::group::Starting web',
    '::endgroup::',
    'running echo ::notice::from COMMAND',
    '::notice::from COMMAND',
    '::group::Ending web',
    '::endgroup::',
  ]);
});

it('annotates each wrong field of the manifest once', async () => {
  workshop.file(
    'shop.yaml',
    `# A comment, so that lines count.
apiVersion: v1
kind: Pod
metadata:
  name: shop
spec:
  restartPolicy: Never
  containers:
    - name: app
      image: busybox
      command:
        - sh
        - -c
        - echo '::error::not ours'; sleep 1; exit 3
`,
  );
  const { stdout, exitCode } = await workshop.run(['apply', 'shop.yaml'], ACTIONS);
  expect(exitCode).toBe(1);
  expect(commands(stdout)).toEqual([
    '::group::Starting shop',
    '::endgroup::',
    'app ::error::not ours',
    '::warning file=shop.yaml,line=12,col=9,title=shop/app::exited with code 3 after Ns',
    '::error file=shop.yaml,line=12,col=9,title=pod shop failed::container app exited with code 3',
  ]);
});

it('annotates the template of a Deployment whose Pods cannot start', async () => {
  workshop.file(
    'shop.yaml',
    `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      containers:
        - name: app
          image: busybox
          command: [/nosuch/program]
`,
  );
  const failing = await untilTimeIsUp(
    (more) => workshop.run(['apply', 'shop.yaml', '--until', 'ready', '--timeout', LIMIT], ACTIONS, more),
    (shown) => /^::warning file=shop.yaml/m.test(shown),
  );
  expect(failing.exitCode).toBe(124);
  expect(failing.stdout).toMatch(/^::warning file=shop.yaml,line=12,col=20,title=shop-\S+\/app::/m);
  expect(failing.stdout).toMatch(/^::error file=shop.yaml,line=12,col=20,title=pod shop-\S+ timed out::/m);
});

it.each([
  { what: 'a Pod of a Deployment', deletes: 'delete pods -l app=shop', title: /pod shop-\S+/ },
  { what: 'a Deployment', deletes: 'delete deployment shop', title: /deployment shop/ },
])('annotates $what that a person deletes while COMMAND runs, at its manifest', async ({ deletes, title }) => {
  const template = {
    metadata: { labels: { app: 'shop' } },
    spec: { containers: [{ name: 'main', image: 'busybox', command: FOREVER }] },
  };
  const spec = { selector: { matchLabels: { app: 'shop' } }, template };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' }, spec };
  workshop.file('shop.json', JSON.stringify(object, undefined, 2));
  // podrun without the mark of COMMAND, as in another terminal.
  const command = `env -u PODRUN_CONTAINER_ID ${workshop.commandLine(deletes.split(' ')).join(' ')}`;
  const { stdout, exitCode } = await workshop.run(['apply', 'shop.json', '--', 'sh', '-c', command], ACTIONS);
  expect(exitCode).toBe(1);
  const position = String.raw`file=shop.json,line=\d+,col=\d+`;
  const text = '(pod|deployment) "shop[^"]*" was deleted while COMMAND was running: by ';
  expect(stdout).toMatch(new RegExp(`^::error ${position},title=${title.source} was deleted::${text}`, 'm'));
});

it('annotates the selector of a Service that selects no Pod', async () => {
  workshop.file(
    'service.yaml',
    `apiVersion: v1
kind: Service
metadata: { name: shop }
spec:
  selector: { app: shp }
  ports: [{ port: 80 }]
`,
  );
  const pod = workshop.pod('web', { containers: [{ name: 'main', command: FOREVER }] });
  const { stdout, exitCode } = await workshop.run(['apply', pod, 'service.yaml', '--until', 'ready'], ACTIONS);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^::error file=service.yaml,line=5,col=13,title=service\/shop cannot serve::service\/shop: spec.selector: /m,
  );
});

it('appends a summary of the run to the file that GitHub names, with the output of COMMAND', async () => {
  const file = workshop.file('summary.md', 'before\n');
  const pod = workshop.pod('web', { containers: [{ name: 'main', command: FOREVER }] });
  const env = { ...ACTIONS, GITHUB_STEP_SUMMARY: file };
  await workshop.run(['apply', pod, '--', 'sh', '-c', 'echo "<broken>"; exit 7'], env);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^before\n### podrun: failed with exit code 7\n\n/);
  expect(text).toMatch(/^\| ✅ \| pod\/web \| Running \| [\d.]+s \| 0 \|$/m);
  expect(text).toMatch(/<pre>\n&lt;broken&gt;\n<\/pre>/);
  await workshop.run(['apply', pod, '--annotations', 'none', '--', 'true'], env);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('names files from the root of the repository', async () => {
  const containers = [{ name: 'Not_a_label', command: ['true'] }];
  const manifest = workshop.pod('bad', { containers });
  const env = { ...ACTIONS, GITHUB_WORKSPACE: `${workshop.folder}/..` };
  const { stdout, exitCode } = await workshop.run(['apply', manifest, '--annotations', 'github'], env);
  expect(exitCode).toBe(2);
  const [first = ''] = stdout.split('\n');
  expect(first).toMatch(
    /^::error file=podrun-cli-\w+\/bad.yaml,line=\d+,col=\d+,title=Pod bad is invalid::spec.containers\[0\].name: /,
  );
});

it('names the reason of each waiting Pod after a timeout', async () => {
  const probe = { exec: { command: ['false'] }, periodSeconds: 30 };
  const manifest = workshop.pod('slow', { containers: [{ name: 'main', command: FOREVER, readinessProbe: probe }] });
  const { stdout, exitCode } = await untilTimeIsUp(
    (more) => workshop.run(['apply', manifest, '--timeout', LIMIT, '--until', 'ready'], ACTIONS, more),
    () => existsSync(path.join(workshop.folder, 'up')),
  );
  expect(exitCode).toBe(124);
  expect(commands(stdout)).toEqual([
    '::group::Starting slow',
    '::endgroup::',
    expect.stringMatching(
      /^::error file=slow.yaml,line=\d+,col=\d+,title=pod slow timed out::waiting for container main/,
    ),
    '::group::Ending slow',
    '::endgroup::',
  ]);
});

it.each<[args: string[], env: Record<string, string>]>([
  [['--annotations', 'none'], ACTIONS],
  [['-o', 'json'], ACTIONS],
  [[], {}],
])('prints no workflow command with %j and %j', async (args, env) => {
  const manifest = workshop.pod('plain', {
    restartPolicy: 'Never',
    containers: [{ name: 'main', command: ['false'] }],
  });
  const { stdout } = await workshop.run(['apply', manifest, ...args], env);
  expect(stdout).not.toMatch(/^::/m);
});
