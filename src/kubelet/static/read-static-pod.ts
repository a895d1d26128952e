import { createHash } from 'node:crypto';
import type { StoredPod } from '../../api/index.ts';
import {
  apiReference,
  asMirrorPod,
  loadManifests,
  type ManifestObject,
  renderManifestErrors,
} from '../../manifest/index.ts';

/** A static Pod, ready to be stored. */
export interface StaticPod {
  readonly hash: string;
  readonly manifest: ManifestObject<StoredPod>;
}

export type ReadStaticPod = { readonly pod: StaticPod } | { readonly problem: string };

/**
 * Reads the static Pod of a file.
 * @param seen the time at which the file was seen, in RFC 3339
 * @param salt goes into the hash
 */
export async function readStaticPod(
  file: string,
  bytes: Buffer,
  { nodeName, seen, salt }: { readonly nodeName: string; readonly seen: string; readonly salt: string },
): Promise<ReadStaticPod> {
  const { objects, errors } = await loadManifests({ files: [{ file, bytes }], forRunning: true, mayBeEmpty: true });
  const mistakes = renderManifestErrors(errors).map((text) => text.replace(/^error: /, ''));
  if (mistakes.length > 0) return { problem: mistakes.join('\n') };
  const [found, ...others] = objects;
  if (found?.object.kind !== 'Pod' || others.length > 0)
    return { problem: `${file}: a static Pod is one Pod in a file` };
  const object = found.object as unknown as StoredPod;
  const reference = apiReference(object);
  if (reference !== undefined) return { problem: `${file}: static pods may not reference ${reference}` };
  const origin = `${JSON.stringify(object)}\nhost:${nodeName}\nfile:${file}\n${salt}`;
  const hash = found.written.metadata.uid ?? hashOf(origin);
  const mirror = asMirrorPod(object, { hash, nodeName, seen });
  return { pod: { hash, manifest: { ...found, object: mirror } } };
}

/** 32 hexadecimal digits. */
export function hashOf(content: string | Buffer): string {
  return createHash('md5').update(content).digest('hex');
}
