import { expect, it } from 'vitest';
import { takePull } from '../../../src/lifecycle/images/settings.ts';
import { containerSource, volumeSource } from '../../../src/lifecycle/images/source.ts';

const entry = { args: undefined, env: {}, workingDir: undefined, folder: undefined, command: undefined };
const images = {
  commandLine: [],
  configFile: [
    { ...entry, pattern: 'mapped', command: ['true'] },
    { ...entry, pattern: 'wanted', pull: true },
    { ...entry, pattern: 'folder', folder: '/models' },
  ],
};

it.each([
  ['mapped', {}, 'host', 'host', 'host'],
  ['wanted', {}, 'image', 'image', 'image'],
  ['busybox', { args: ['true'] }, 'host', 'host', 'image'],
  ['nginx', { command: ['true'] }, 'host', 'host', 'image'],
  ['nginx', {}, 'unknown', 'image', 'image'],
])('the image %s with %j', (image, program, host, auto, registry) => {
  const container = { name: 'a', image, ...program };
  const sources = (['host', 'auto', 'registry'] as const).map(
    (choice) => containerSource(container, images, { choice, tier: 'namespace' }).type,
  );
  expect(sources).toEqual([host, auto, registry]);
});

it.each([
  ['folder', 'host', 'host', 'host'],
  ['wanted', 'image', 'image', 'image'],
  ['models', 'unknown', 'image', 'image'],
])('the volume of the image %s', (reference, host, auto, registry) => {
  const sources = (['host', 'auto', 'registry'] as const).map(
    (choice) => volumeSource(reference, images, { choice, tier: 'namespace' }).type,
  );
  expect(sources).toEqual([host, auto, registry]);
});

it('an image without a program says how podrun would pull it', () => {
  const error = (choice: 'host' | 'auto', tier: 'process' | 'namespace'): unknown =>
    containerSource({ name: 'a', image: 'nginx' }, images, { choice, tier });
  expect(error('host', 'namespace')).toMatchObject({ pullError: expect.stringMatching(/: --images=auto$/) });
  expect(error('auto', 'process')).toMatchObject({ pullError: expect.stringMatching(/needs namespaces: see/) });
});

it('auto pulls nothing where an image cannot be the root of a container', () => {
  const rules = { choice: 'auto', tier: 'process' } as const;
  expect(containerSource({ name: 'a', image: 'nginx' }, images, rules).type).toBe('unknown');
});

it('an image that the user asks for needs namespaces', () => {
  const rules = { choice: 'registry', tier: 'process' } as const;
  const refused = { type: 'unknown', pullError: expect.stringMatching(/^image "nginx" .*needs namespaces/) as string };
  expect(containerSource({ name: 'a', image: 'nginx', command: ['true'] }, images, rules)).toEqual(refused);
  expect(volumeSource('nginx', images, rules)).toEqual(refused);
  expect(containerSource({ name: 'a', image: 'mapped' }, images, rules)).toEqual({ type: 'host' });
});

it('pulls have a rate', () => {
  const rule = { pullQps: 2, pullBurst: 3 };
  let rate = takePull(undefined, rule, 0);
  for (const atMs of [0, 0]) rate = takePull(rate, rule, atMs);
  expect(takePull(rate, rule, 100)).toBeUndefined();
  expect(takePull(rate, rule, 500)).toBeDefined();
  expect(takePull(rate, { ...rule, pullQps: 0 }, 0)).toBeDefined();
});
