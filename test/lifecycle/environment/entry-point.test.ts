import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/api/generated/types.ts';
import { commandLine } from '../../../src/lifecycle/environment/environment.ts';
import {
  type EntryPoint,
  imageFolder,
  type ImageMap,
  type ImageMapping,
  resolveEntryPoint,
} from '../../../src/lifecycle/environment/entry-point.ts';

function mapping(pattern: string, rest: Partial<ImageMapping> = {}): ImageMapping {
  return { pattern, command: undefined, args: undefined, env: {}, workingDir: undefined, folder: undefined, ...rest };
}

const map: ImageMap = {
  commandLine: [mapping('redis', { command: ['redis-server'] })],
  configFile: [
    mapping('nginx:*', { command: ['nginx', '-g'], args: ['daemon off;'], env: { LOG: 'x' }, workingDir: '/srv' }),
    mapping('redis:7', { command: ['never'] }),
    mapping('tools', { args: ['sleep', '1'] }),
    mapping('busybox', { env: { KIND: 'box' }, workingDir: '/box' }),
    mapping('literal', { command: ['sh', '-c', 'echo $$ $(A)'] }),
  ],
};

function entryPointOf(container: Partial<Container>): EntryPoint | string {
  const outcome = resolveEntryPoint({ name: 'main', ...container }, map);
  return outcome.ok ? outcome.entryPoint : outcome.message;
}

function wordsOf(container: Partial<Container>): readonly string[] {
  const entryPoint = entryPointOf(container);
  return typeof entryPoint === 'string' ? [entryPoint] : entryPoint.argv;
}

describe('resolveEntryPoint()', () => {
  it.each<{ name: string; container: Partial<Container>; want: string[] }>([
    {
      name: 'runs the command with its args, whatever the image is',
      container: { image: 'nginx:1', command: ['sh', '-c'], args: ['echo $(A)'] },
      want: ['sh', '-c', 'echo $(A)'],
    },
    {
      name: 'does not give the args of the image to a command',
      container: { image: 'nginx:1', command: ['true'] },
      want: ['true'],
    },
    {
      name: 'runs what the image map says',
      container: { image: 'nginx:1' },
      want: ['nginx', '-g', 'daemon off;'],
    },
    {
      name: 'puts the args of the container in place of the args of the image',
      container: { image: 'nginx:1', args: ['$(B)'] },
      want: ['nginx', '-g', '$(B)'],
    },
    {
      name: 'takes empty lists for absent ones',
      container: { image: 'nginx', command: [], args: [] },
      want: ['nginx', '-g', 'daemon off;'],
    },
    {
      name: 'asks the command line before the file, even where the file is more specific',
      container: { image: 'redis:7' },
      want: ['redis-server'],
    },
    { name: 'runs the args of an image without entry point', container: { image: 'tools' }, want: ['sleep', '1'] },
    {
      name: "runs the container's args on an image without entry point",
      container: { image: 'tools', args: ['ls'] },
      want: ['ls'],
    },
    { name: 'runs the args on a base image', container: { image: 'debian:12', args: ['ls', '/'] }, want: ['ls', '/'] },
    {
      name: 'knows a base image that the map only adds to',
      container: { image: 'busybox', args: ['ls'] },
      want: ['ls'],
    },
    {
      name: 'knows the copies of base images that Kubernetes uses',
      container: { image: 'registry.k8s.io/busybox:1.27', args: ['ls'] },
      want: ['ls'],
    },
    {
      name: 'knows mirrors of base images',
      container: { image: 'public.ecr.aws/docker/library/alpine', args: ['ls'] },
      want: ['ls'],
    },
  ])('$name', ({ container, want }) => {
    expect(wordsOf(container)).toEqual(want);
  });

  it.each<Partial<Container>>([
    { image: 'busybox' },
    { image: 'mysql:8', args: ['--verbose'] },
    { image: 'acme/alpine', args: ['ls'] },
    { image: 'ghcr.io/acme/ubuntu', args: ['ls'] },
  ])('knows no program for %o', (container) => {
    expect(wordsOf(container)).toEqual([expect.stringContaining('is not in the manifest')]);
  });

  it('gives advice for an unknown image', () => {
    expect(entryPointOf({ image: 'mysql:8' })).toBe(
      'podrun runs programs of this host, and the entry point of image "mysql:8" is not in the manifest: set command ' +
        "in the manifest, or say what to run with --image 'mysql:8=COMMAND…' or under images: in podrun.yaml",
    );
  });

  it('brings environment and working directory of the image along with a command', () => {
    const container = { image: 'nginx', command: ['env'] };
    expect(entryPointOf(container)).toEqual({ argv: ['env'], env: { LOG: 'x' }, workingDir: '/srv' });
    expect(entryPointOf({ ...container, workingDir: '/own' })).toMatchObject({ workingDir: '/own' });
    expect(entryPointOf({ ...container, workingDir: '' })).toMatchObject({ workingDir: '/srv' });
  });

  it('does not expand the words of the image map', () => {
    const words = wordsOf({ image: 'literal' });
    expect(commandLine(words, new Map([['A', 'a']]))).toEqual(['sh', '-c', 'echo $$ $(A)']);
  });
});

describe('imageFolder()', () => {
  const folders: ImageMap = {
    commandLine: [mapping('acme/models', { command: ['serve'] })],
    configFile: [mapping('acme/*', { folder: '/all' }), mapping('acme/models', { folder: '/models' })],
  };

  it.each([
    ['acme/models:v2', '/models'],
    ['docker.io/acme/models@sha256:' + 'a'.repeat(64), '/models'],
    ['acme/other', '/all'],
    ['other', undefined],
  ])('of %s is %s, whatever runs under that name', (reference, want) => {
    expect(imageFolder(reference, folders)).toBe(want);
  });
});
