import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const FOREVER = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000 & wait'];
const ACTIONS = { GITHUB_ACTIONS: 'true' };

/** The commands for GitHub Actions and the other relevant lines, without times. */
const commands = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('::') || /^running |\|/.test(line))
    .map((line) => line.replaceAll(/\d+(\.\d+)?m?s\b/g, 'Ns'));

it('folds the output before and after COMMAND, but not that of COMMAND', async () => {
  const manifest = workshop.pod('web', {
    containers: [{ name: 'main', command: ['sh', '-c', `echo "::error::not ours"; exec ${FOREVER.join(' ')}`] }],
  });
  workshop.pod('web', { containers: [{ name: 'main', command: FOREVER }] });
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
    'app | ::error::not ours',
    '::warning file=shop.yaml,line=12,col=9,title=shop/app::exited with code 3 after Ns',
    '::error file=shop.yaml,line=12,col=9,title=pod shop failed::container app exited with code 3',
  ]);
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
  const { stdout, exitCode } = await workshop.run(['apply', manifest, '--timeout', '2s', '--until', 'ready'], ACTIONS);
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
