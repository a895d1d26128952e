import { chmodSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Podrun, workshopForEach } from './workshop.ts';
import { ifThere } from '../live-files.ts';

const workshop = workshopForEach();

const SLEEP = 'echo "$0 $(cat /etc/config/key 2>/dev/null)"; exec sleep 1000';

const pod = (word: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'bare' },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', SLEEP, word] }],
  },
});

/** Prints a variable of the ConfigMap `settings`. */
const reader = (): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'reader' },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: 'busybox',
        command: ['sh', '-c', 'echo "key $KEY"; exec sleep 1000'],
        env: [{ name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'key' } } }],
      },
    ],
  },
});

const deployment = (): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'app' }] },
    },
  },
});

const config = (value: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { key: value },
});

const yaml = (...objects: readonly object[]): string => objects.map((each) => JSON.stringify(each)).join('\n---\n');

/** Writes a file at once, as editors do: a busy machine may look at it between two steps of a write. */
function change(name: string, text: string): void {
  const file = path.join(workshop.folder, name);
  const written = `${workshop.folder}.new`;
  writeFileSync(written, text, { mode: ifThere(() => statSync(file).mode) ?? 0o644 });
  renameSync(written, file);
}

/** The line of the live view with this output of a container. */
const output = (text: string): RegExp => new RegExp(String.raw`^ +│ \S+ +${text} *$`, 'm');

/** Resolves when the output after `mark` has all of these. */
async function until(podrun: Podrun, from: number, ...texts: readonly (string | RegExp)[]): Promise<number> {
  await podrun.until(({ stdout, stderr }) => {
    const seen = stdout.slice(from) + stderr;
    return texts.every((text) => (typeof text === 'string' ? seen.includes(text) : text.test(seen)));
  });
  return podrun.stdout.length;
}

it('apply --watch restarts what a change concerns, and nothing else', async () => {
  workshop.folderNamed('deploy');
  workshop.file('deploy/pod.yaml', yaml(pod('one'), config('a')));
  workshop.file('deploy/reader.yaml', yaml(reader()));
  workshop.file('deploy/web.yaml', yaml(deployment()));
  const program = workshop.file('server.sh', '#!/bin/sh\necho first; exec sleep 1000\n');
  chmodSync(program, 0o755);
  workshop.file('podrun.yaml', 'images: { app: ./server.sh }\n');
  const podrun = workshop.start(['apply', '--watch', 'deploy', '--network', 'host']);
  let at = await until(podrun, 0, output('one'), output('first'), output('key a'));

  change('deploy/pod.yaml', yaml(pod('two'), config('a')));
  at = await until(podrun, at, 'deploy/pod.yaml changed: pod/bare is replaced\n', output('two'));

  change('deploy/pod.yaml', yaml(pod('two'), config('b')));
  const followed = 'deploy/pod.yaml changed: configmap/settings is applied, pod/reader is replaced\n';
  at = await until(podrun, at, followed, output('key b'));

  change('server.sh', '#!/bin/sh\necho second; exec sleep 1000\n');
  at = await until(podrun, at, 'server.sh changed: container main of deployment.apps/web restarts\n', output('second'));

  change('deploy/web.yaml', 'spec: [');
  at = await until(
    podrun,
    at,
    'deploy/web.yaml changed: the run continues unchanged',
    'Warning: error parsing deploy/web.yaml: ',
  );

  change('deploy/web.yaml', yaml(config('c')).replace('settings', 'others'));
  at = await until(podrun, at, 'configmap/others is applied, deployment.apps/web ends\n');

  podrun.signal('SIGINT');
  expect((await podrun.ended).exitCode).toBe(130);
  // Each container has printed one line when it started.
  const restarted = podrun.stdout.match(/^ +│ \S+\/main .*$/gm)?.map((line) => line.replace(/^ +│ \S+ +/, '').trim());
  expect(restarted).toEqual(expect.arrayContaining(['one', 'key a', 'first', 'two', 'key b', 'second']));
  expect(restarted).toHaveLength(6);
});

it('apply --watch follows what a program imports, and folders that the user names', async () => {
  const command = (...words: readonly string[]): object => ({
    ...pod(''),
    metadata: { name: words.at(-1) },
    spec: {
      terminationGracePeriodSeconds: 0,
      initContainers: [{ name: 'first', image: 'busybox', command: ['echo', 'initialized'] }],
      containers: [{ name: 'main', image: 'busybox', command: words }],
    },
  });
  workshop.folderNamed('lib');
  workshop.folderNamed('node_modules');
  workshop.file(
    'server.mjs',
    "import { word } from './lib/word.mjs';\nconsole.log(word);\nsetInterval(() => {}, 1000);\n",
  );
  workshop.file('lib/word.mjs', "export const word = 'one';\n");
  workshop.file('.gitignore', 'made\n');
  workshop.file('pod.yaml', yaml(command(process.execPath, 'server.mjs'), command('sleep', '100')));
  const podrun = workshop.start(['apply', '--watch', 'pod.yaml', '--runtime', 'process']);
  const not = 'not watching for container main of pod/100 (sleep 100): it names no file of this folder';
  let at = await until(podrun, 0, not, 'server.mjs, *.js, *.ts, … below .\n', output('one'), output('initialized'));
  await podrun.until(({ stdout }) => stdout.match(/^ +│ \S+ +initialized *$/gm)?.length === 2);

  change('node_modules/one.mjs', '');
  workshop.folderNamed('made');
  change('made/one.mjs', '');
  change('lib/notes.txt', '');
  change('lib/word.mjs', "export const word = 'two';\n");
  at = await until(podrun, at, 'lib/word.mjs changed: container main of pod/server.mjs restarts\n', output('two'));

  workshop.folderNamed('lib/deep');
  change('lib/deep/new.ts', '');
  at = await until(podrun, at, 'lib/deep/new.ts changed: container main of pod/server.mjs restarts\n', output('two'));
  podrun.signal('SIGINT');
  await podrun.ended;
  expect(podrun.stdout.match(/^ +│ \S+ +initialized *$/gm)).toHaveLength(2);
  expect(podrun.stdout).not.toMatch(/(?:one\.mjs|notes\.txt).* changed/);
});

it('a container restarts in place for --watch-path, also when it waits for its back-off', async () => {
  workshop.folderNamed('src');
  const manifest = workshop.file(
    'pod.yaml',
    yaml({
      ...pod(''),
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: 'main', image: 'busybox', command: ['sh', '-c', 'cat src/word; exit 1'] },
          { name: 'side', image: 'busybox', command: ['sleep', '1000'] },
        ],
      },
    }),
  );
  const podrun = workshop.start(['dev', manifest, '--watch-path', 'main=src', '--runtime', 'process']);
  let at = await until(podrun, 0, 'watching for container main of pod/bare: src\n', /backing off/);
  change('src/word', 'mended\n');
  at = await until(podrun, at, 'src/word changed: container main of pod/bare restarts\n', output('mended'));
  podrun.signal('SIGINT');
  await podrun.ended;
  expect(podrun.stdout.match(/› side +started/g)).toHaveLength(1);
});

it.each([
  [['pod.yaml', '--until', 'ready', '--detach'], '--watch cannot be used with --until, --detach'],
  [['pod.yaml', '--', 'true'], '--watch cannot be used with a COMMAND'],
  [['-'], '--watch needs a manifest in a file'],
])('apply --watch refuses %j', async (args, message) => {
  const { exitCode, stderr } = await workshop.start(['apply', '--watch', ...args]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) as unknown });
});
