import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Podrun, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const SLEEP = 'echo "$0 $(cat /etc/config/key 2>/dev/null)"; exec sleep 100';

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
        command: ['sh', '-c', 'echo "key $KEY"; exec sleep 100'],
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

function change(name: string, text: string): void {
  writeFileSync(path.join(workshop.folder, name), text);
}

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
  const program = workshop.file('server.sh', '#!/bin/sh\necho first; exec sleep 100\n');
  chmodSync(program, 0o755);
  workshop.file('podrun.yaml', 'images: { app: ./server.sh }\n');
  const podrun = workshop.start(['apply', '--watch', 'deploy', '--network', 'host']);
  let at = await until(podrun, 0, ' | one', ' | first', ' | key a');

  change('deploy/pod.yaml', yaml(pod('two'), config('a')));
  at = await until(podrun, at, 'deploy/pod.yaml changed: pod/bare is replaced\n', ' | two');

  change('deploy/pod.yaml', yaml(pod('two'), config('b')));
  const followed = 'deploy/pod.yaml changed: configmap/settings is applied, pod/reader is replaced\n';
  at = await until(podrun, at, followed, ' | key b');

  change('server.sh', '#!/bin/sh\necho second; exec sleep 100\n');
  at = await until(podrun, at, 'server.sh changed: deployment.apps/web restarts\n', ' | second');

  change('deploy/web.yaml', 'spec: [');
  at = await until(
    podrun,
    at,
    'deploy/web.yaml changed: the run goes on as before',
    'Warning: error parsing deploy/web.yaml: ',
  );

  change('deploy/web.yaml', yaml(config('c')).replace('settings', 'others'));
  at = await until(podrun, at, 'configmap/others is applied, deployment.apps/web ends\n');

  podrun.signal('SIGINT');
  expect((await podrun.ended).exitCode).toBe(130);
  // Each container has printed one line when it started.
  const restarted = podrun.stdout.match(/^.*main +\| .*$/gm)?.map((line) => line.replace(/^.*\| /, '').trim());
  expect(restarted).toEqual(expect.arrayContaining(['one', 'key a', 'first', 'two', 'key b', 'second']));
  expect(restarted).toHaveLength(6);
});

it.each([
  [['pod.yaml', '--until', 'ready', '--detach'], '--watch cannot be used with --until, --detach'],
  [['pod.yaml', '--', 'true'], '--watch cannot be used with a COMMAND'],
  [['-'], '--watch needs a manifest in a file'],
])('apply --watch refuses %j', async (args, message) => {
  const { exitCode, stderr } = await workshop.start(['apply', '--watch', ...args]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) as unknown });
});
