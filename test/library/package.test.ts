import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { NODE_MAJORS, nodeFor } from '../nodes.ts';

const root = path.join(import.meta.dirname, '../..');
const modules = path.join(root, 'node_modules');
const folder = mkdtempSync(path.join(tmpdir(), 'podrun-package-'));
const consumer = path.join(folder, 'consumer');

/** The environment of a user's shell, without variables of the test runner. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|npm_|NODE_ENV$|NODE_OPTIONS$|TEST$|DEV$|PROD$|MODE$)/i.test(name),
  ),
);

/** Rejects with the whole output when the exit code is not 0. */
async function call(argv: readonly [string, ...string[]], cwd: string = consumer): Promise<string> {
  const [program, ...args] = argv;
  const cache = path.join(folder, 'cache');
  try {
    // Without the settings of a user.
    const npm = { npm_config_cache: cache, npm_config_userconfig: '/dev/null' };
    const options = { cwd, env: { ...env, ...npm } };
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    // Node warns of leaked descriptors, of too many listeners and the like.
    expect(stderr).not.toMatch(/Warning:|npm warn/i);
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${argv.join(' ')}:\n${stdout}${stderr}`, { cause: error });
  }
}

function write(name: string, text: string): string {
  mkdirSync(path.dirname(path.join(consumer, name)), { recursive: true });
  writeFileSync(path.join(consumer, name), text);
  return name;
}

/** The package as npm packs and installs it, without a network. */
beforeAll(async () => {
  mkdirSync(consumer);
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  await call(['npm', 'pack', '--ignore-scripts', '--offline', '--pack-destination', folder], stage());
  await call(['npm', 'install', ...OFFLINE, '--no-package-lock', tarball()]);
});

const OFFLINE = ['--offline', '--omit=optional', '--no-audit', '--no-fund'] as const;
const tarball = (): string => path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');

/** Makes a copy of what npm packs, as it is while npm packs it: others read the checkout meanwhile. */
function stage(): string {
  const copy = path.join(folder, 'stage');
  mkdirSync(copy);
  const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] };
  const folders = new Set(files.map((name) => name.replace(/^!/, '').replace(/\/.*/, '')));
  for (const name of [...folders, 'package.json', 'pack.mjs', 'README.md', 'LICENSE']) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  execFileSync(process.execPath, [path.join(copy, 'pack.mjs'), 'strip']);
  return copy;
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const POD = `{
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['echo', 'hello'] }] },
}`;

it('package.json is whole again when npm has packed it', () => {
  const copy = path.join(folder, 'packed');
  mkdirSync(copy);
  for (const name of ['package.json', 'pack.mjs']) copyFileSync(path.join(root, name), path.join(copy, name));
  const file = path.join(copy, 'package.json');
  const before = statSync(file);
  const pack = (word: string): Buffer => execFileSync(process.execPath, [path.join(copy, 'pack.mjs'), word]);
  pack('strip');
  expect(JSON.parse(readFileSync(file, 'utf8'))).not.toHaveProperty('scripts');
  pack('strip');
  pack('restore');
  expect(readFileSync(file)).toEqual(readFileSync(path.join(root, 'package.json')));
  expect(statSync(file).mtimeMs).toBe(before.mtimeMs);
  expect(readdirSync(copy).toSorted()).toEqual(['pack.mjs', 'package.json']);
});

it('the tarball is installed without a word of npm', async () => {
  const install = [
    'npm',
    'install',
    '--global',
    '--prefix',
    path.join(folder, 'global'),
    ...OFFLINE,
    tarball(),
  ] as const;
  // Newer versions of npm warn of scripts in it.
  expect(await call(install)).toMatch(/^\nadded 1 package in \S+\n$/);
});

describe('the package, installed', () => {
  it('shows exactly the types that its functions take and return', () => {
    const types = path.join(consumer, 'node_modules/podrun/dist/types');
    const files = readdirSync(types, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map((entry) => path.relative(types, path.join(entry.parentPath, entry.name))).toSorted()).toEqual([
      'api/base/errors.d.ts',
      'api/base/objects.d.ts',
      'api/generated/types.d.ts',
      'api/workloads/stored-workloads.d.ts',
      'library/base/envtest-types.d.ts',
      'library/base/errors.d.ts',
      'library/base/types.d.ts',
      'library/envtest.d.ts',
      'library/index.d.ts',
      'library/run.d.ts',
      'library/serve.d.ts',
    ]);
  });

  it('has what it needs, and nothing else', () => {
    const installed = path.join(consumer, 'node_modules/podrun');
    const own = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
      .filter((file) => !/^(docs\/.*\.(md|svg)|dist\/(types|library)\/.*)$/.test(file))
      .map((file) => file.replace(/[0-9a-f]{16}-v.*(?=\.(apply|first))/, 'CACHE'));
    expect(own.toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/package.json',
      'bin/podrun.js',
      'dist/THIRD_PARTY_LICENSES',
      'dist/clusters.cjs',
      'dist/descriptions.json',
      'dist/etcd.cjs',
      'dist/image-puller.cjs',
      'dist/network-helper.cjs',
      'dist/podrun.cjs',
      'dist/podrun.cjs.CACHE.apply',
      'dist/podrun.cjs.CACHE.first',
      'dist/server.cjs',
      'dist/server.cjs.CACHE.apply',
      'package.json',
    ]);
  });

  it.each([
    ['module', 'main.mjs', "import { run } from 'podrun';"],
    ['CommonJS program', 'main.cjs', "const { run } = require('podrun');"],
  ])('is used by a %s', async (_, file, importing) => {
    const text = `${importing}
      run(${POD}).then(async (pods) => {
        await pods.until('Succeeded');
        console.log(pods.logs() + pods.stateDir);
        await pods.close();
      });`;
    const node = [process.execPath, '--disable-warning=ExperimentalWarning'] as const;
    expect(await call([...node, write(file, text)])).toMatch(/^hello\n.*podrun-run-/);
  });

  it.for(NODE_MAJORS)('runs Pods and serves them, with Node.js %i', async (major, context) => {
    const node = nodeFor(context, major);
    const text = `import { get } from 'node:https';
      import { text } from 'node:stream/consumers';
      import { envtest, run, serve } from 'podrun';
      const server = await serve({ network: 'host' });
      const headers = { authorization: 'Bearer ' + server.token };
      const ask = (path) => new Promise((resolve, reject) => {
        const options = { ca: server.ca, headers, agent: false };
        get(server.url + path, options, (answer) => resolve(text(answer))).on('error', reject);
      });
      console.log(JSON.parse(await ask('/api/v1/namespaces/default')).metadata.name);
      const pods = await run(${POD});
      await pods.until('Succeeded');
      console.log(pods.logs());
      await pods.close();
      await server.close();
      const suite = await envtest({ users: [{ name: 'jane' }] });
      const { certificate: cert, key } = suite.user('jane');
      const { ca } = suite;
      get(suite.url + '/api/v1/pods', { ca, cert, key, agent: false }, async (answer) => {
        console.log(JSON.parse(await text(answer)).message.split(' cannot')[0]);
        await suite.close();
      });`;
    expect(await call([node, write(`main-${major}.mjs`, text)])).toBe(
      'default\nhello\n\npods is forbidden: User "jane"\n',
    );
  });

  it('has the command line, too', async () => {
    expect(await call([path.join(consumer, 'node_modules/.bin/podrun'), 'version'])).toMatch(/^podrun v/);
  });

  it('is typed', async () => {
    const text = `
      import { type Event, type Pod, type PodChange, type Pods, run, type Workload } from 'podrun';
      import { type KubernetesServer, serve } from 'podrun';
      import { type Envtest, envtest, type EnvtestUser } from 'podrun';
      import { GoalError, ManifestError, TimeoutError } from 'podrun';
      await using pods: Pods = await run([new URL('pod.yaml', import.meta.url), 'more', { yaml: '' }, ${POD}], {
        timeout: '60s',
        images: { 'a:*': 'b c', d: ['e'], f: { command: ['g'], env: { H: 'i' } } },
        onTransition: ({ pod }) => console.log(pod.status.phase),
        logs: (line) => console.log(line.text),
        backoff: { initial: 10 },
      });
      await pods.until('Ready');
      await pods.until('example.com/lb=True', { timeout: 1000 });
      await pods.until((pod) => pod.status.containerStatuses?.[0]?.restartCount === 2);
      const pod: Pod = pods.get('web');
      const workload: Workload = pods.workload('deployment/web');
      const phase: string | undefined = pod.status.phase;
      const { stdout, exitCode }: { stdout: string; exitCode: number } = await pods.exec('main', ['ls']);
      const seen: PodChange[] = [];
      for await (const change of pods.changes()) seen.push(change);
      const events: Event[] = pods.events();
      pods.condition('example.com/lb', true);
      await using forwarding = await pods.forward(80);
      const url: string = forwarding.url + pods.url('http');
      const messages = (error: unknown): unknown =>
        error instanceof ManifestError ? error.problems.map(({ line, field }) => [line, field])
        : error instanceof GoalError ? error.object.metadata.name + error.reason
        : error instanceof TimeoutError ? error.timeoutMs : error;
      // @ts-expect-error there is no such option
      await run('pod.yaml', { timout: 1 });
      // @ts-expect-error no such state
      pods.condition('a', 'Maybe');
      // @ts-expect-error a Pod has no such field
      void pod.spec.container;
      // @ts-expect-error there is no other way to Pods than run
      new Pods();
      await using server: KubernetesServer = await serve({ network: 'host', port: 0 });
      void server.kubeconfig;
      await using api: Envtest = await envtest({ mode: 'api', crds: ['config/crd'], users: [{ name: 'jane' }] });
      const jane: EnvtestUser = api.user('jane');
      const port: number = api.webhookServer.port;
      // @ts-expect-error there is no such mode
      await envtest({ mode: 'all' });
      void [jane.certificate, await api.addUser('joe', ['devs']), port];
      void [workload, phase, stdout, exitCode, events, url, messages];
    `;
    write('typed.ts', text);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      typeRoots: [path.join(modules, '@types')],
      types: ['node'],
    };
    write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    const compiler = path.join(modules, 'typescript/bin/tsc');
    expect(await call([process.execPath, compiler, '-p', 'tsconfig.json'])).toBe('');
  });
});

/** A test that finds the API server of the global setup. */
const SHARED = `
  import { expect, test } from 'vitest';
  import { ApiextensionsV1Api, KubeConfig } from '@kubernetes/client-node';
  test('knows the kind of the global setup', async () => {
    const config = new KubeConfig();
    config.loadFromDefault();
    const { items } = await config.makeApiClient(ApiextensionsV1Api).listCustomResourceDefinition();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['greetings.example.com']);
  });`;

const port = String(await freePort());

describe('docs/library.md', () => {
  const page = readFileSync(path.join(root, 'docs/library.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(?<language>\w+)\n(?<text>.*?)^```$/gms)].map(({ groups }) => groups ?? {});
  const blockWith = (language: string, words: string): string =>
    blocks.find((block) => block['language'] === language && block['text']?.includes(words))?.['text'] ?? '';

  // By default vitest uses processes. Threads with vm contexts differ most from these.
  it.each(['forks', 'vmThreads'])('shows tests that pass, in %s of vitest', async (pool) => {
    const vitest = path.join(consumer, 'node_modules/vitest');
    if (!existsSync(vitest)) symlinkSync(path.join(modules, 'vitest'), vitest);
    write('pod.yaml', blockWith('yaml', 'kind: Pod').replaceAll('8080', port));
    write(
      'server.js',
      `import { createServer } from 'node:http';
         createServer((_, answer) => answer.end('ok')).listen(${port}, () => console.log('listening'));`,
    );
    write('web.test.ts', blockWith('ts', 'await using'));
    cpSync(path.join(root, 'test/envtest/config'), path.join(consumer, 'config'), { recursive: true });
    const client = path.join(consumer, 'node_modules/@kubernetes');
    if (!existsSync(client)) symlinkSync(path.join(modules, '@kubernetes'), client);
    write('greeting.test.ts', blockWith('ts', '// greeting.test.ts'));
    write('global-setup.ts', blockWith('ts', '// global-setup.ts'));
    write('vitest.config.ts', blockWith('ts', '// vitest.config.ts'));
    write('shared.test.ts', SHARED);
    const last =
      "import { expect, test } from 'vitest'; test('is up', () => expect(pods.get().status.phase).toBe('Running'));";
    write('all.test.ts', `${blockWith('ts', 'beforeAll')}${last}`);
    const flags = ['--reporter=json', '--testTimeout=300000', '--hookTimeout=300000', `--pool=${pool}`];
    // One run at a time: the server needs its port.
    flags.push('--no-file-parallelism');
    const report = await call([process.execPath, path.join(vitest, 'vitest.mjs'), 'run', ...flags]);
    expect(JSON.parse(report)).toMatchObject({ numPassedTests: 4, numFailedTests: 0, success: true });
  });
});
