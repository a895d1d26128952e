import { createReadStream, existsSync, statfsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { LayerKind } from '../../lifecycle/index.ts';
import type { Descriptor } from '../registry/manifest.ts';
import { contentName, PullError } from '../registry/pull-error.ts';
import type { ImageStore } from '../store/image-store.ts';
import { removeLayerTree } from '../store/sweep.ts';
import { LayerError } from '../unpack/layer-filter.ts';
import { unpackLayer } from '../unpack/unpack-layer.ts';

/** The space that a pull leaves on the disk. */
const SPARE_BYTES = 2 ** 30;
const READ_BYTES = 2 ** 20;

/**
 * Refuses to fill the disk.
 * @param bytes what is about to come
 * @throws {PullError} when less than 1 GiB would be left
 */
export function checkSpace(store: ImageStore, bytes: number): void {
  const { bavail, bsize } = statfsSync(store.ingestFolder());
  const left = bavail * bsize - bytes;
  if (left < SPARE_BYTES) {
    throw new PullError(
      `write ${store.root}: no space left on device: less than 1 GiB would be left`,
      'ResourceExhausted',
    );
  }
}

/**
 * Refuses sizes that nothing here can have. The sizes of layers that are here already are not compared with any bytes.
 * @throws {PullError} when a layer claims more bytes than the disk has
 */
export function checkClaims(store: ImageStore, layers: readonly Descriptor[]): void {
  const { blocks, bsize } = statfsSync(store.ingestFolder());
  const liar = layers.find(({ size }) => size > blocks * bsize);
  if (liar === undefined) return;
  throw new PullError(`${contentName(liar)} claims ${liar.size} bytes, and the disk of ${store.root} has fewer`);
}

export interface NewLayer {
  readonly diffId: string;
  readonly kind: LayerKind;
  /** The file of the layer as it came. */
  readonly content: string | Readable;
}

/**
 * Unpacks a layer and gives it its place.
 * @throws {PullError} when the layer is damaged, refused, or another one
 */
export async function makeLayer(store: ImageStore, { diffId, kind, content }: NewLayer): Promise<void> {
  const folder = store.newLayer();
  try {
    const readable = typeof content === 'string' ? createReadStream(content, { highWaterMark: READ_BYTES }) : content;
    const actual = await unpackLayer({ content: readable, folder, kind, checkSpace: () => checkSpace(store, 0) });
    if (actual !== diffId) {
      throw new PullError(`failed to extract layer ${diffId}: wrong diff id calculated on extraction "${actual}"`);
    }
    if (!store.putLayer(folder, kind, diffId)) await removeLayerTree(folder);
  } catch (error) {
    await removeLayerTree(folder);
    if (!(error instanceof LayerError) && !isZlibError(error)) throw error;
    throw new PullError(`failed to extract layer ${diffId}: ${error.message}`);
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && /^(Z_|ERR_|ZSTD_)/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** True when the store has the layer. */
export function hasLayer(store: ImageStore, kind: LayerKind, diffId: string): boolean {
  return existsSync(store.layerFolder(kind, diffId));
}
