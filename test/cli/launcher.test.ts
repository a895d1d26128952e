import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source.ts';
import { type Podrun, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

interface OwnPodrun {
  readonly program: string;
  readonly start: (args: readonly string[], env?: Readonly<Record<string, string>>) => Podrun;
}

/** A copy of podrun without a code cache, whose program the test can change. */
function ownPodrun(): OwnPodrun {
  const launcher = path.join(workshop.folderNamed('bin'), 'podrun.js');
  const program = path.join(workshop.folderNamed('dist'), 'podrun.cjs');
  copyFileSync(path.join(root, 'bin/podrun.js'), launcher);
  copyFileSync(path.join(root, 'dist/podrun.cjs'), program);
  return { program, start: (args, env = {}) => workshop.start(args, env, undefined, { program: launcher }) };
}

it('reports that podrun is not built', async () => {
  const podrun = ownPodrun();
  rmSync(podrun.program);
  const { exitCode, stderr } = await podrun.start(['version']).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'podrun is not built yet: run npm run build.\n' });
});

it('runs to its end when podrun is reinstalled meanwhile', async () => {
  const { program, start } = ownPodrun();
  const file = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
  const podrun = start(['apply', file, '--report', 'report']);
  await podrun.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
  rmSync(program);
  writeFileSync(program, 'something else');
  podrun.signal('SIGTERM');
  const { exitCode, stderr } = await podrun.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 143, stderr: '' });
});

/** Ends podrun when it loads the data of all languages, or the CAs of the world. */
const REFUSALS = `
  Intl.Segmenter = class { constructor() { throw new Error('what measures texts was loaded'); } };
  const tls = require('node:tls');
  const make = tls.createSecureContext;
  tls.createSecureContext = (options) => {
    if (options?.ca === undefined) throw new Error('what reads all CAs was loaded');
    return make(options);
  };
`;

it('without a terminal, loads nothing that takes 30 ms of each start, and that few starts need', async () => {
  const env = { NODE_OPTIONS: `--require ${workshop.file('refusals.cjs', REFUSALS)}` };
  const pod = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
  const serve = ['serve', '--once', '--network', 'host', '--', 'true'];
  for (const args of [['validate', pod], ['apply', pod], ['get', 'pods'], serve]) {
    const { exitCode, stderr } = await workshop.start(args, env).ended;
    expect({ exitCode, causes: stderr.match(/.*was loaded/g) }).toEqual({ exitCode: 0, causes: null });
  }
});

describe('the code cache', () => {
  it('is made by the build', () => {
    const [hash] = /[0-9a-f]{16}/.exec(readFileSync(path.join(root, 'dist/podrun.cjs'), 'latin1')) ?? [];
    // Another version of Node.js than this one may have built it.
    const made = (kind: string): RegExp => new RegExp(`^podrun\\.cjs\\.${hash}-v[\\d.]+-${process.arch}\\.${kind}$`);
    const names = readdirSync(path.join(root, 'dist'));
    for (const kind of ['apply', 'first']) expect(names).toContainEqual(expect.stringMatching(made(kind)));
  });

  const cacheHome = (): string => path.join(workshop.folder, 'cache');

  /** The files of the cache by their kind, `first` and `apply`. */
  function kept(): Readonly<Record<string, string>> {
    const folder = path.join(cacheHome(), 'podrun');
    return Object.fromEntries(
      readdirSync(folder).map((file) => [path.extname(file).slice(1), path.join(folder, file)]),
    );
  }

  async function run({ start }: OwnPodrun, ...args: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await start(args, { XDG_CACHE_HOME: cacheHome() }).ended;
    expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: '' });
  }

  it('is written by the first start, read by the next, and written once more by apply', async () => {
    const podrun = ownPodrun();
    await run(podrun, 'version');
    const { first = '' } = kept();
    const written = statSync(first);
    expect((written.mode & 0o777).toString(8)).toBe('600');
    await run(podrun, 'version');
    expect(statSync(first).ino).toBe(written.ino);
    const manifest = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: ['true'] }],
    });
    await run(podrun, 'apply', manifest);
    const { apply = '' } = kept();
    const last = statSync(apply);
    await run(podrun, 'apply', manifest);
    expect([statSync(first).ino, statSync(apply).ino]).toEqual([written.ino, last.ino]);
  });

  it('of a small command is read by small commands only, also beside the cache of an apply', async () => {
    const podrun = ownPodrun();
    await run(podrun, 'version');
    await run(
      podrun,
      'apply',
      workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'a', command: ['true'] }] }),
    );
    const { first = '' } = kept();
    // Its reader notices that it is damaged, and writes it anew.
    writeFileSync(first, 'damaged');
    await run(podrun, 'label', 'pod', 'web', 'tried=true');
    expect(statSync(first).size).toBe('damaged'.length);
    await run(podrun, 'version');
    expect(statSync(first).size).toBeGreaterThan(100_000);
  });

  it('is rewritten when it is damaged, of another program, or writable by other users', async () => {
    const podrun = ownPodrun();
    await run(podrun, 'version');
    const { first = '' } = kept();
    const { size } = statSync(first);
    writeFileSync(first, readFileSync(first).subarray(0, 5000));
    await run(podrun, 'version');
    expect(statSync(first).size).toBeGreaterThan(size / 2);
    chmodSync(first, 0o666);
    await run(podrun, 'version');
    expect((statSync(first).mode & 0o777).toString(8)).toBe('600');
    const program = readFileSync(podrun.program, 'latin1');
    writeFileSync(podrun.program, program.replace(/^\/\/.{16}/, '//0123456789abcdef'), 'latin1');
    await run(podrun, 'version');
    expect(Object.values(kept()).map((file) => path.basename(file).slice(0, 16))).toEqual(['0123456789abcdef']);
  });

  it('is optional: podrun starts without a writable folder', async () => {
    const { exitCode, stderr } = await ownPodrun().start(['version'], { XDG_CACHE_HOME: '/dev/null/cache' }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
