import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfigFile, readConfigFile } from '../../../src/settings/config/config-file.ts';
import { PodrunError } from '../../../src/api/base/errors.ts';
import { DEFAULT_IMAGE_SETTINGS } from '../../../src/lifecycle/images/settings.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'podrun-config-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string): ConfigFile | undefined {
  writeFileSync(join(folder, 'podrun.yaml'), text);
  return readConfigFile({ cwd: folder });
}

function problemOf(text: string): PodrunError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof PodrunError) return error;
    throw error;
  }
  throw new Error(`no error for ${text}`);
}

describe('readConfigFile()', () => {
  it('finds podrun.yaml in the nearest folder above', async () => {
    const inner = join(folder, 'a/b');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(folder, 'podrun.yaml'), 'images: { outer: x }');
    expect(readConfigFile({ cwd: inner })?.path).toBe(join(folder, 'podrun.yaml'));
    writeFileSync(join(folder, 'a/podrun.yaml'), 'images: { inner: x }');
    expect(readConfigFile({ cwd: inner })?.path).toBe(join(folder, 'a/podrun.yaml'));
  });

  it('reads the file that was asked for, wherever it is', async () => {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc/local.yaml'), 'images: { api: { workingDir: ../api, folder: models } }');
    const config = readConfigFile({ cwd: folder, path: 'etc/local.yaml' });
    expect(config?.images[0]).toMatchObject({ workingDir: join(folder, 'api'), folder: join(folder, 'etc/models') });
  });

  it('says when the file that was asked for cannot be read', async () => {
    const read = (file: string) => () => readConfigFile({ cwd: folder, path: file });
    const message = 'cannot read config file no.yaml: no such file';
    expect(read('no.yaml')).toThrow(expect.objectContaining({ message, exitCode: 2 }));
    expect(read('..')).toThrow('it is a folder');
  });

  it('understands every way to say what an image runs', async () => {
    const config = read(`
# what production's images run here
images:
  ghcr.io/acme/api:*: { command: [node, dist/server.js], workingDir: ./api, env: { LOG: debug, PORT: 8080 } }
  nginx:*:
    command: nginx -g 'daemon off;'
    args: [-q]
  sleeper: [sleep, 1.50]
  worker: python -m worker --name "the worker"
  tools: { env: { A: true }, workingDir: /srv }
node:
  labels: { disk: ssd, example.com/rack: 7 }
  taints: [ dedicated=gpu:NoSchedule, example.com/old:NoExecute ]
runtime: process
runtimeHandlers: { apart: { type: namespace } }
watch: [web=./src, jobs]
`);
    const none = { args: undefined, env: {}, workingDir: undefined };
    expect(config).toEqual({
      path: join(folder, 'podrun.yaml'),
      images: [
        {
          ...none,
          pattern: 'ghcr.io/acme/api:*',
          command: ['node', 'dist/server.js'],
          env: { LOG: 'debug', PORT: '8080' },
          workingDir: join(folder, 'api'),
        },
        { ...none, pattern: 'nginx:*', command: ['nginx', '-g', 'daemon off;'], args: ['-q'] },
        { ...none, pattern: 'sleeper', command: ['sleep', '1.50'] },
        { ...none, pattern: 'worker', command: ['python', '-m', 'worker', '--name', 'the worker'] },
        { ...none, pattern: 'tools', command: undefined, env: { A: 'true' }, workingDir: '/srv' },
      ],
      nodeLabels: { disk: 'ssd', 'example.com/rack': '7' },
      nodeTaints: [
        { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
        { key: 'example.com/old', effect: 'NoExecute' },
      ],
      runtime: 'process',
      runtimeHandlers: { apart: { type: 'namespace' } },
      watch: [`web=${join(folder, 'src')}`, join(folder, 'jobs')],
      imageSettings: DEFAULT_IMAGE_SETTINGS,
    });
  });

  it('takes a file that says nothing', async () => {
    const nothing = {
      path: join(folder, 'podrun.yaml'),
      images: [],
      nodeLabels: {},
      nodeTaints: [],
      runtimeHandlers: {},
      imageSettings: DEFAULT_IMAGE_SETTINGS,
    };
    expect(read('')).toEqual(nothing);
    expect(read('# later\n')).toEqual(nothing);
    expect(read('images:\nnode:\n')).toEqual(nothing);
  });

  it('takes a limit of processes as a kubelet does', async () => {
    expect(read('podPidsLimit: 1024\n')?.podPidsLimit).toBe(1024);
    expect(read('maxPods: 1000\n')?.maxPods).toBe(1000);
    const thresholds = ['0', '100'].map(
      (value) => read(`terminatedPodGCThreshold: ${value}\n`)?.terminatedPodGCThreshold,
    );
    expect(thresholds).toEqual([0, 100]);
    expect(read('overcommit: true\n')?.overcommit).toBe(true);
    expect(read('podPidsLimit: -1\n')?.podPidsLimit).toBeUndefined();
  });

  it('follows anchors', async () => {
    const config = read('images:\n  a: &run [node, a.js]\n  b: *run\n');
    expect(config?.images.map(({ command }) => command)).toEqual([
      ['node', 'a.js'],
      ['node', 'a.js'],
    ]);
  });

  it('reads the eviction thresholds of a kubelet', () => {
    const config = read(`
evictionHard: { memory.available: 500Mi, nodefs.available: 10% }
evictionSoft: { memory.available: 1Gi, nodefs.available: 0% }
evictionSoftGracePeriod: { memory.available: 1m30s }
evictionMaxPodGracePeriod: 60
`);
    expect(config?.eviction).toEqual({
      thresholds: [
        { signal: 'memory.available', least: { quantity: '500Mi' } },
        { signal: 'nodefs.available', least: { share: 0.1 } },
        { signal: 'memory.available', least: { quantity: '1Gi' }, graceMs: 90_000 },
      ],
      maxPodGraceSeconds: 60,
    });
    expect(read('evictionHard: { memory.available: 0% }')?.eviction).toBeUndefined();
  });

  it('reads the settings for pulls as a kubelet does', () => {
    expect(read('maxParallelImagePulls: 3')?.imageSettings.parallelPulls).toBe(3);
    expect(read('serializeImagePulls: false')?.imageSettings.parallelPulls).toBeUndefined();
    const registries = 'registries: { "127.0.0.1:5000": { caFile: ca.crt, plainHttp: true } }';
    expect(read(`registryPullQPS: 0\n${registries}`)?.imageSettings).toMatchObject({
      pullQps: 0,
      registries: { '127.0.0.1:5000': { caFile: join(folder, 'ca.crt'), plainHttp: true, mirrors: [] } },
    });
  });

  it.each([
    [
      'serializeImagePulls: true\nmaxParallelImagePulls: 2',
      'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to',
    ],
    ['maxParallelImagePulls: 0', 'must be a positive number'],
    ['registryBurst: -1', 'must not be a negative number'],
    ['imageSource: node', 'must be one of auto, host, registry'],
    ['images: { a: { pull: yes } }', 'must be true or false'],
    ['imageGCHighThresholdPercent: 101', 'must be between 0 and 100, inclusive'],
    ['imageGCLowThresholdPercent: 85', '85 must be less than imageGCHighThresholdPercent, which is 85'],
    ['imageMaximumGCAge: 1m', 'imageMaximumGCAge must be greater than imageMinimumGCAge'],
    ['imageMinimumGCAge: soon', 'must be a duration such as 2m or 720h'],
    ['alwaysPullImages: maybe', 'must be true or false'],
    ['imagePullCredentialsVerificationPolicy: Never', 'must be one of NeverVerify, NeverVerifyPreloadedImages'],
    ['preloadedImagesVerificationAllowlist: [a/b]', 'can only be set if imagePullCredentialsVerificationPolicy is'],
  ])('refuses the settings for images %j', (text, want) => {
    expect(problemOf(text).message).toContain(want);
  });

  it('has the settings of a kubelet for the verification and the garbage of images', () => {
    const text =
      'imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages\n' +
      'preloadedImagesVerificationAllowlist: [docker.io/library/nginx, ghcr.io/acme/*]\n' +
      'imageMaximumGCAge: 0\nimageMinimumGCAge: 5m\nimageGCHighThresholdPercent: 100\nalwaysPullImages: true\n';
    expect(read(text)?.imageSettings).toMatchObject({
      alwaysPull: true,
      verification: {
        policy: 'NeverVerifyAllowlistedImages',
        allowlist: ['docker.io/library/nginx', 'ghcr.io/acme/*'],
      },
      garbage: { minimumAgeMs: 300_000, maximumAgeMs: 0, highPercent: 100, lowPercent: 80 },
    });
  });

  it('has the ports for Ingresses', () => {
    expect(read('ingressPort: 80,443')?.ingressPort).toEqual({ http: 80, https: 443 });
  });

  it.each([
    [
      'runtimeHandlers: { A: { type: process } }',
      /^podrun.yaml:1:20: runtimeHandlers\[A\]: a lowercase RFC 1123 label .*/,
    ],
    ['runtimeHandlers: { process: { type: namespace } }', /: podrun has a handler of this name$/],
    ['runtimeHandlers: { a: {} }', /1:23: runtimeHandlers\[a\]: must have a type$/],
    ['runtimeHandlers: { a: { type: process, images: x } }', /images: must be one of auto, host, registry$/],
    [
      'runtimeHandlers: { a: { type: vm } }',
      /1:31: runtimeHandlers\[a\].type: must be one of process, namespace, oci$/,
    ],
    ['runtimeHandlers: { a: { type: oci } }', /: must have the path of its program$/],
    ['runtimeHandlers: { a: { type: oci, path: crun } }', /: must be an absolute path$/],
    ['runtimeHandlers: { a: { type: process, path: /x } }', /: goes with type oci only$/],
    ['runtimeHandlers: { a: { type: process, network: x } }', /network: must be one of host, pod$/],
  ])('refuses the handlers of %j', (text, want) => {
    expect(problemOf(text).message).toMatch(want);
  });

  it.each([
    [
      'evictionHard: { memory: 1Gi }',
      '1:17: evictionHard.memory: unknown field, allowed are memory.available, nodefs.available',
    ],
    [
      'evictionHard: { memory.available: -1Gi }',
      '1:35: evictionHard.memory.available: must be a quantity above 0 such as 500Mi, or a percentage such as 10%',
    ],
    ['evictionHard: { memory.available: 101% }', '1:35: evictionHard.memory.available: must not be above 100%'],
    [
      'evictionSoft: { memory.available: 1Gi }',
      '1:35: evictionSoft.memory.available: needs a grace period: evictionSoftGracePeriod.memory.available',
    ],
    [
      'evictionSoft: { memory.available: 1Gi }\nevictionSoftGracePeriod: { memory.available: soon }',
      '2:46: evictionSoftGracePeriod.memory.available: must be a duration such as 90s or 1m30s',
    ],
    ['evictionMaxPodGracePeriod: 1m', '1:28: evictionMaxPodGracePeriod: must be a number of seconds'],
    [
      'image: {}',
      '1:1: image: unknown field, allowed are evictionHard, evictionMaxPodGracePeriod, evictionSoft, ' +
        'evictionSoftGracePeriod, alwaysPullImages, imageGCHighThresholdPercent, imageGCLowThresholdPercent, ' +
        'imageMaximumGCAge, imageMinimumGCAge, imagePullCredentialsVerificationPolicy, maxParallelImagePulls, ' +
        'preloadedImagesVerificationAllowlist, registries, registryBurst, registryPullQPS, ' +
        'serializeImagePulls, autoscalerPeriod, imageSource, images, ingressPort, maxPods, metricsInterval, network, ' +
        'node, nodes, overcommit, podPidsLimit, proxy, runtime, runtimeHandlers, ' +
        'terminatedPodGCThreshold, watch',
    ],
    ['ingressPort: 80', '1:14: ingressPort: must be two ports: HTTP,HTTPS'],
    ['terminatedPodGCThreshold: -1', '1:27: terminatedPodGCThreshold: must be a whole number, or 0 for any number'],
    ['maxPods: 0', '1:10: maxPods: must be a whole number above 0'],
    ['podPidsLimit: 0', '1:15: podPidsLimit: must be a whole number above 0, or -1 for none'],
    ['podPidsLimit: many', '1:15: podPidsLimit: must be a whole number above 0, or -1 for none'],
    ['- a', '1:1: must be a map'],
    ['images: [a]', '1:9: images: must be a map'],
    [
      'images:\n  a:\n',
      '2:3: images[a]: must be a command, or a map with command, args, env, workingDir, folder, pull',
    ],
    [
      'images:\n  a: { comand: [x] }',
      '2:8: images[a].comand: unknown field, allowed are command, args, env, workingDir, folder, pull',
    ],
    ['images:\n  a: []', '2:6: images[a]: must have at least one word'],
    ["images:\n  a: ''", '2:6: images[a]: must have at least one word'],
    ['images:\n  a: [x, [y]]', '2:10: images[a][1]: must be a text'],
    ['images:\n  a: [x, null]', '2:10: images[a][1]: must be a text'],
    [`images:\n  a: sh -c "x`, '2:6: images[a]: has no closing "'],
    [
      'images:\n  a: { command: { x: y } }',
      '2:17: images[a].command: must be a list of words, or a text that is split into words',
    ],
    ['images:\n  a: { env: { A: [1] } }', '2:18: images[a].env[A]: must be a text'],
    ['images:\n  a: { env: [A=1] }', '2:13: images[a].env: must be a map'],
    ['images:\n  a: { workingDir: [x] }', '2:20: images[a].workingDir: must be a text'],
    ['images:\n  a b: x', '2:3: images[a b]: the key is no image name or pattern, such as nginx or ghcr.io/acme/*'],
    ['images:\n  a: *none', '2:6: images[a]: there is no anchor &none'],
    ['images:\n  a: x\n  a: y', '3:3: Map keys must be unique'],
    ['images: {', '1:10: Flow map in block collection must be sufficiently indented and end with a }'],
    ['runtime: docker', '1:10: runtime: must be one of auto, process, namespace'],
    ['runtime: [auto]', '1:10: runtime: must be a text'],
    ['nodes: 3', '1:8: nodes: must be a list of nodes'],
    ['nodes: [ { zone: a } ]', '1:10: nodes[0]: must have a name'],
    [
      'nodes: [ { name: a_b } ]',
      '1:18: nodes[0].name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or ' +
        "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    ['nodes: [ { name: a }, { name: a } ]', '1:23: nodes[1]: another node has the name a'],
    ['nodes: [ { name: a, count: 0 } ]', '1:28: nodes[0].count: must be a whole number from 1 to 1000'],
    [
      'nodes: [ { name: a, capacity: { cpu: much } } ]',
      '1:38: nodes[0].capacity[cpu]: must be a quantity, such as 4 or 8Gi',
    ],
    ['node: { name: x }', '1:9: node.name: unknown field, allowed are labels, taints'],
    [
      'node: { taints: [ gpu=yes ] }',
      '1:17: node.taints: "gpu=yes" is not KEY=VALUE:EFFECT or KEY:EFFECT, ' +
        'with one of NoSchedule, PreferNoSchedule, NoExecute',
    ],
  ])('refuses %j', async (text, want) => {
    const { message, exitCode } = problemOf(text);
    expect([message, exitCode]).toEqual([`podrun.yaml:${want}`, 2]);
  });

  it('checks names of variables and labels', async () => {
    expect(problemOf('images:\n  a: { env: { "A=B": x } }').message).toContain('2:15: images[a].env[A=B]: a valid');
    expect(problemOf('node: { labels: { a/b/c: x } }').message).toContain('node.labels[a/b/c]: a valid label key');
    expect(problemOf('node: { labels: { a: x y } }').message).toContain('node.labels[a]: a valid label must be');
  });

  it('helps with a star that is not quoted', async () => {
    expect(problemOf('images:\n  *: sleep 1\n').hint).toBe("A pattern that starts with * must be in quotes: '*'.");
  });
});
