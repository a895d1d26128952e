import { expect, it } from 'vitest';
import { lintManifests } from '../../../src/manifest/lint/lint.ts';
import { type Part, PARTS, STARTER_KINDS } from '../../../src/manifest/starter/parts.ts';
import { starterManifest } from '../../../src/manifest/starter/starter.ts';

const ALL = Object.keys(PARTS) as Part[];
const COMBINATIONS = Array.from(
  { length: 2 ** ALL.length },
  (_, bits) => new Set(ALL.filter((_part, index) => (bits >> index) & 1)),
);

it.each([true, false])(
  'says nothing wrong and nothing without effect, whatever it has (task: %s)',
  { timeout: 120_000 },
  async (isTask) => {
    const texts = COMBINATIONS.map((parts) =>
      starterManifest({ name: 'web', kind: 'Pod', parts, isTask, file: undefined }),
    );
    const stdin = async function* (): AsyncGenerator<Uint8Array> {
      for (const text of texts) yield Buffer.from(`${text}---\n`);
    };
    const { findings } = await lintManifests({ files: ['-'], recursive: false, stdin, runnable: true, noSkip: true });
    expect(findings).toEqual([]);
    expect(new Set(texts).size).toBe(COMBINATIONS.length);
  },
);

it.each(['Deployment', 'Job', 'CronJob'] as const)('says nothing wrong about a %s', async (kind) => {
  const text = starterManifest({
    name: 'web',
    kind,
    parts: new Set(ALL),
    isTask: kind !== 'Deployment',
    file: 'web.yaml',
  });
  const stdin = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  const { findings } = await lintManifests({ files: ['-'], recursive: false, stdin, runnable: true, noSkip: true });
  expect(findings).toEqual([]);
});

it.each(STARTER_KINDS)('a %s fits on a screen, and explains the fields of what it has', (kind) => {
  const text = starterManifest({ name: 'web', kind, parts: new Set(ALL), isTask: kind === 'Job', file: 'web.yaml' });
  expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
  for (const field of ['restartPolicy', 'startupProbe', 'readinessProbe', 'livenessProbe', 'preStop', 'emptyDir']) {
    expect(text).toMatch(new RegExp(`#.*\\n *${field}:|${field}:.*#`));
  }
});
