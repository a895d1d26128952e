import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HostPathVolumeSource, PodSpec } from '../../src/api/generated/types.ts';
import { needTier, TIERS } from './tiers.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

type HostPathType = NonNullable<HostPathVolumeSource['type']>;

describe.each(TIERS)('volumes in the tier %s', (tier) => {
  beforeEach((test) => needTier(test, tier));

  const env = { PODRUN_RUNTIME: tier };

  it('never lead to where links of a container point', async () => {
    const outside = workshop.folderNamed('outside');
    writeFileSync(path.join(outside, 'precious'), 'kept');
    const links =
      `cd "\${PODRUN_VOLUME_V:-/v}" && ln -s ${outside} out && ln -s ${outside}/none dangling && ` +
      `ln -s loop loop && ln -s ../../../../../../../../../../../../../..${outside} climb`;
    const volumeMounts = [{ name: 'v', mountPath: '/v' }];
    const paths = ['out', 'out/new/deeper', 'dangling', 'dangling/x', 'climb/precious', 'loop'];
    const spec: PodSpec = {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', emptyDir: {} }],
      initContainers: [{ name: 'links', image: 'busybox', command: ['sh', '-c', links], volumeMounts }],
      containers: paths.map((subPath, index) => ({
        name: `main-${index}`,
        command: ['sh', '-c', 'cd "${PODRUN_VOLUME_V:-/data}" && echo x >written'],
        volumeMounts: [{ name: 'v', mountPath: '/data', subPath }],
      })),
    };
    const podrun = workshop.begin(['apply', workshop.pod('x', spec)], env);
    const failed = (index: number): RegExp =>
      new RegExp(
        `failed to (prepare subPath|create subPath directory) for volumeMount "v" of container "main-${index}"`,
      );
    await podrun.until(({ stdout }) => paths.every((_, index) => failed(index).test(stdout)));
    podrun.signal('SIGINT');
    const { stdout } = await podrun.ended;
    expect(stdout).not.toMatch(/main-\d +started/);
    expect(readdirSync(outside)).toEqual(['precious']);
    expect(readFileSync(path.join(outside, 'precious'), 'utf8')).toBe('kept');
  });

  it('check the type of hostPath, and name the type that they find', async () => {
    const folder = workshop.folderNamed('host');
    writeFileSync(path.join(folder, 'file'), '');
    mkdirSync(path.join(folder, 'dir'));
    const types = [
      ['dir', 'Directory'],
      ['file', 'File'],
      ['made/deep', 'DirectoryOrCreate'],
      ['made-file', 'FileOrCreate'],
      ['dir', ''],
    ] as const;
    const spec = (volumes: readonly (readonly [string, HostPathType])[]): PodSpec => ({
      restartPolicy: 'Never',
      volumes: volumes.map(([name, type], at) => ({
        name: `v${at}`,
        hostPath: { path: name.startsWith('/') ? name : path.join(folder, name), type },
      })),
      containers: [{ name: 'main', command: ['true'] }],
    });
    expect((await workshop.run(['apply', workshop.pod('fine', spec(types))], env)).exitCode).toBe(0);
    expect([lstatSync(`${folder}/made/deep`).isDirectory(), lstatSync(`${folder}/made-file`).isFile()]).toEqual([
      true,
      true,
    ]);
    const wrong = [
      ['file', 'Directory'],
      ['dir', 'File'],
      ['dir', 'Socket'],
      ['file', 'CharDevice'],
      ['file', 'BlockDevice'],
      ['none', 'Directory'],
      ...(existsSync('/proc/self') ? [['/proc/none/deep', 'DirectoryOrCreate'] as const] : []),
    ] as const;
    const podrun = workshop.begin(['apply', '-o', 'json', workshop.pod('wrong', spec(wrong))], env);
    const failures = () =>
      new Set(
        podrun.lines.flatMap(({ object }) =>
          'reason' in object && object.reason === 'FailedMount' ? object.message : [],
        ),
      );
    await podrun.until(() => failures().size === wrong.length);
    podrun.signal('SIGINT');
    await podrun.ended;
    expect([...failures()].join('\n')).toMatch(/hostPath type check failed: .*\/dir is not a socket file/);
  });

  it('hold a Secret of the largest size', async () => {
    const data = { large: Buffer.alloc(1024 * 1024 - 5, 'x').toString('base64') };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'large' }, data };
    workshop.file('secret.json', JSON.stringify(secret));
    const spec: PodSpec = {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', secret: { secretName: 'large' } }],
      containers: [
        {
          name: 'main',
          command: ['sh', '-c', 'cat "${PODRUN_VOLUME_V:-/data}/large" | wc -c'],
          volumeMounts: [{ name: 'v', mountPath: '/data' }],
        },
      ],
    };
    const { stdout, exitCode } = await workshop.run(['apply', 'secret.json', workshop.pod('x', spec)], env);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`│ main +${1024 * 1024 - 5}$`, 'm'));
  });
});
