import { expect, it } from 'vitest';
import { lintManifests } from '../../../src/manifest/lint/lint.ts';
import { hasParts, type Part, PARTS, STARTER_KINDS, type StarterKind } from '../../../src/manifest/starter/parts.ts';
import { ownManifest, starterManifest } from '../../../src/manifest/starter/starter.ts';

const ALL = Object.keys(PARTS) as Part[];
const COMBINATIONS = Array.from(
  { length: 2 ** ALL.length },
  (_, bits) => new Set(ALL.filter((_part, index) => (bits >> index) & 1)),
);

it.each([true, false])('says nothing wrong and nothing without effect, whatever it has (task: %s)', async (isTask) => {
  const texts = COMBINATIONS.map((parts) =>
    starterManifest({ name: 'web', kind: 'Pod', parts, isTask, file: undefined }),
  );
  const stdin = async function* (): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(`${text}---\n`);
  };
  const { findings } = await lintManifests({ files: ['-'], recursive: false, stdin, runnable: true, noSkip: true });
  expect(findings).toEqual([]);
  expect(new Set(texts).size).toBe(COMBINATIONS.length);
});

const textOf = (kind: StarterKind): string =>
  hasParts(kind)
    ? starterManifest({ name: 'web', kind, parts: new Set(ALL), isTask: /Job/.test(kind), file: 'web.yaml' })
    : ownManifest(kind, 'web', undefined);

it.each(STARTER_KINDS)('says nothing wrong about a %s', async (kind) => {
  const stdin = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(textOf(kind));
  };
  const { findings } = await lintManifests({ files: ['-'], recursive: false, stdin, runnable: true, noSkip: true });
  expect(findings).toEqual([]);
});

it.each(STARTER_KINDS)('a %s fits on a screen', (kind) => {
  expect(
    textOf(kind)
      .split('\n')
      .filter((line) => line.length > 120),
  ).toEqual([]);
});

it.each(STARTER_KINDS.filter(hasParts))('a %s explains the fields of what it has', (kind) => {
  for (const field of ['restartPolicy', 'startupProbe', 'readinessProbe', 'livenessProbe', 'preStop', 'emptyDir']) {
    expect(textOf(kind)).toMatch(new RegExp(`#.*\\n *${field}:|${field}:.*#`));
  }
});
