import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Event } from '../../../src/api/generated/types.ts';
import { type Ended, type Podrun, watchLines, workshopForEach } from '../../cli/workshop.ts';
import { needs } from '../../needs.ts';

const workshop = workshopForEach();

const eventsIn = (text: string): Event[] =>
  watchLines(text).flatMap(({ object }) => (object.kind === 'Event' ? [object as Event] : []));

const applyConfigMap = (data: Record<string, string>): Promise<Ended> => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data };
  return workshop.run(['apply', workshop.file('cm.yaml', stringify(object))]);
};

const shell = (script: string): { name: string; command: string[] } => ({
  name: 'main',
  command: ['sh', '-c', script],
});

it('a running Pod sees a ConfigMap change that another command has made', async () => {
  await applyConfigMap({ color: 'red\n' });
  const manifest = workshop.pod('watcher', {
    restartPolicy: 'Never',
    volumes: [{ name: 'config', configMap: { name: 'cm' } }],
    containers: [
      {
        ...shell('cat color; until grep -q blue color; do sleep 0.02; done; cat color'),
        workingDir: '/etc/app',
        volumeMounts: [{ name: 'config', mountPath: '/etc/app' }],
      },
    ],
  });
  const running: Podrun = workshop.start(['apply', manifest]);
  await running.until(({ stdout }) => /│ main +red/.test(stdout));
  await applyConfigMap({ color: 'blue\n' });
  const { exitCode, stdout } = await running.ended;
  expect([exitCode, stdout.includes('blue')]).toEqual([0, true]);
});

it('a program learns where its volumes are, once, and finds them', async () => {
  const host = workshop.folderNamed('host');
  const manifest = workshop.pod('finder', {
    restartPolicy: 'OnFailure',
    volumes: [
      { name: 'my-data', emptyDir: {} },
      { name: 'host', hostPath: { path: host } },
    ],
    containers: [
      {
        ...shell(`cd $PODRUN_VOLUME_MY_DATA; echo x >> log; cp log ${host}/; [ $(wc -l < log) = 2 ]`),
        volumeMounts: [
          { name: 'my-data', mountPath: '/data', subPathExpr: 'of/$(WORKER)' },
          { name: 'host', mountPath: host },
        ],
        env: [{ name: 'WORKER', value: 'w1' }],
      },
    ],
  });
  const { exitCode, stdout } = await workshop.run([
    'apply',
    manifest,
    '-o',
    'json',
    '--backoff-initial=10ms',
    '--runtime=process',
  ]);
  expect([exitCode, readFileSync(path.join(host, 'log'), 'utf8')]).toEqual([0, 'x\nx\n']);
  const place = path.join(workshop.stateDir, 'pods/default/finder/volumes/my-data/of/w1');
  const told = eventsIn(stdout).filter(({ reason }) => reason === 'VolumeNotAtMountPath');
  expect(
    told.map((event) => [event.message?.split(',')[0], event.involvedObject.fieldPath, event.source?.component]),
  ).toEqual([[`volume "my-data" is not at /data but at ${place}`, 'spec.containers{main}', 'podrun']]);
});

it('variables come from a file that an init container wrote, and wait for it to be right', async () => {
  const volumeMounts = [{ name: 'share', mountPath: '/share' }];
  const manifest = workshop.pod('reader', {
    restartPolicy: 'Never',
    volumes: [{ name: 'share', emptyDir: {} }],
    initContainers: [
      {
        name: 'init',
        image: 'busybox',
        command: ['sh', '-c', `mkdir env && echo "TOKEN='t 1'" > env/vars`],
        workingDir: '/share',
        volumeMounts,
      },
    ],
    containers: [
      {
        ...shell('echo "token=$TOKEN"'),
        env: [{ name: 'TOKEN', valueFrom: { fileKeyRef: { volumeName: 'share', path: 'env/vars', key: 'TOKEN' } } }],
      },
    ],
  });
  const { exitCode, stdout } = await workshop.run(['apply', manifest]);
  expect(stdout).toContain('token=t 1');
  expect(exitCode).toBe(0);
});

it('deleting a Pod removes its volumes and leaves the folders of the host alone', async () => {
  const host = workshop.folderNamed('host');
  mkdirSync(path.join(host, 'kept'));
  writeFileSync(path.join(host, 'kept/file'), 'text');
  const manifest = workshop.pod('gone', {
    restartPolicy: 'Never',
    volumes: [
      { name: 'own', emptyDir: {} },
      { name: 'host', hostPath: { path: host, type: 'Directory' } },
    ],
    containers: [
      {
        ...shell(`ln -s ${host} link && mkdir shut && chmod 0 shut`),
        workingDir: '/own',
        volumeMounts: [
          { name: 'own', mountPath: '/own' },
          { name: 'host', mountPath: '/host' },
        ],
      },
    ],
  });
  expect((await workshop.run(['apply', manifest])).exitCode).toBe(0);
  expect(existsSync(path.join(workshop.stateDir, 'pods/default/gone/volumes/own/link'))).toBe(true);
  expect((await workshop.run(['delete', 'pod', 'gone'])).exitCode).toBe(0);
  expect(existsSync(path.join(workshop.stateDir, 'pods/default/gone'))).toBe(false);
  expect(readFileSync(path.join(host, 'kept/file'), 'utf8')).toBe('text');
});

it('a volume over the working folder is reported, with what to do', needs('namespaces'), async () => {
  writeFileSync(path.join(workshop.folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const mountPath = path.dirname(workshop.folder);
  const manifest = workshop.pod('hidden', {
    restartPolicy: 'Never',
    volumes: [{ name: 'scratch', emptyDir: {} }],
    containers: [{ name: 'main', command: ['./run.sh'], volumeMounts: [{ name: 'scratch', mountPath }] }],
  });
  const { exitCode, stdout, stderr } = await workshop.run([
    'apply',
    manifest,
    '--report',
    'report',
    '--runtime',
    'namespace',
  ]);
  expect(exitCode).toBe(1);
  const hidden = `volume scratch at ${mountPath} hides the files of ${workshop.folder}, in which container main starts`;
  expect(stdout).toContain(`WorkingFolderHidden: ${hidden}`);
  expect(stderr).toContain(`mount volume scratch elsewhere than at ${mountPath}, or move the files of`);
});
