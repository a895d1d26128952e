import { Readable } from 'node:stream';
import { chmodSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { unpackLayer } from '../../src/images/unpack/unpack-layer.ts';
import type { LayerKind } from '../../src/lifecycle/base/image-types.ts';

/** Unpacks an archive into a new folder below `place`. Answers that folder and the diff ID. */
export async function unpackInto(
  place: string,
  archive: Buffer,
  kind: LayerKind,
): Promise<{ folder: string; digest: string }> {
  const folder = mkdtempSync(path.join(place, 'layer-'));
  chmodSync(folder, 0o755);
  const content = Readable.from([archive], { objectMode: false });
  const digest = await unpackLayer({ content, folder, kind, checkSpace: () => undefined });
  return { folder, digest };
}
