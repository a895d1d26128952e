import { existsSync } from 'node:fs';
import path from 'node:path';
import { judgeOfUnread } from '../../apiserver/index.ts';
import { type Input, loadManifests, type ManifestMistake, type UnreadObject } from '../../manifest/index.ts';

/** Objects of manifests for an API server. */
export interface ReadDefinitions {
  readonly objects: readonly UnreadObject[];
  /** All mistakes. Objects may be created only if there are none. */
  readonly mistakes: readonly ManifestMistake[];
  /** The warnings, with their places. */
  readonly warnings: readonly string[];
}

/** The kinds of objects that a suite installs before its tests. */
const DEFINITIONS: ReadonlySet<string> = new Set(['CustomResourceDefinition']);
const WEBHOOKS: ReadonlySet<string> = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);

/**
 * Reads the CustomResourceDefinitions, or the configurations of webhooks, of files and folders, and checks them as the
 * API server does. Documents of another kind are left alone, as in envtest: folders of kubebuilder have some.
 */
export async function readDefinitions(
  files: ReadonlyArray<string | Input>,
  what: 'definitions' | 'webhooks',
): Promise<ReadDefinitions> {
  const kinds = what === 'definitions' ? DEFINITIONS : WEBHOOKS;
  const loaded = await loadManifests({ files: files.map(basesOf), keepsUnread: true, mayBeEmpty: true });
  const unread = loaded.errors.filter(
    (error) => error.stage === 'input' || error.stage === 'parse' || kinds.has(error.subject.identity.kind),
  );
  const wanted = loaded.unread.filter(({ object }) => kinds.has(object.kind));
  // An API server of today serves no `apiextensions.k8s.io/v1beta1`.
  const unserved = wanted.flatMap(({ noMatch }) => noMatch ?? []);
  const objects = wanted.filter(({ noMatch }) => noMatch === undefined);
  const verdicts = await judgeOfUnread(() => [])(objects);
  const mistakes: ManifestMistake[] = [];
  const warnings: string[] = [];
  for (const [index, { subject, positionOf }] of objects.entries()) {
    const verdict = verdicts[index];
    if (verdict?.type !== 'checked') continue;
    for (const error of verdict.errors)
      mistakes.push({ stage: 'validate', subject, error, position: positionOf(error.path) });
    for (const field of verdict.unknown)
      warnings.push(`unknown field "${field}" ${placeIn(subject.file, positionOf(field))}`);
  }
  const all = [...unread, ...unserved, ...mistakes];
  if (all.length === 0 && objects.length === 0 && files.length > 0)
    all.push({ stage: 'input', message: `there is no ${[...kinds].join(' or ')} in these manifests` });
  return { objects, mistakes: all, warnings };
}

/** The folder `bases` of a folder that kubebuilder has made: beside it are parts of definitions, for kustomize. */
function basesOf(file: string | Input): string | Input {
  const bases = typeof file === 'string' ? path.join(file, 'bases') : '';
  return bases !== '' && existsSync(bases) ? bases : file;
}

/** The place of a mistake, as messages about manifests have it. */
export function placeIn(file: string, { line, column }: UnreadObject['position']): string {
  return `(${file}:${line}:${column})`;
}
