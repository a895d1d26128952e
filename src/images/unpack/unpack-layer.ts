import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import type { LayerKind } from '../../lifecycle/index.ts';
import { startStreamHelper, type StreamHelper } from '../../runtime/index.ts';
import { decompressed } from './decompress.ts';
import { LayerError, LayerFilter } from './layer-filter.ts';

/** The command that runs a program as the owners of a layer, so that it may write as each of them. */
export function asOwners(kind: LayerKind, command: readonly [string, ...string[]]): [string, ...string[]] {
  if (kind === 'root') return [...command];
  return ['unshare', '--user', ...(kind === 'mapped' ? ['--map-auto'] : []), '--map-root-user', ...command];
}

// The folders get their modes last: a folder may deny its owner to write.
const TAR: readonly [string, ...string[]] = [
  'tar',
  '-x',
  '-f',
  '-',
  '--numeric-owner',
  '-p',
  '--delay-directory-restore',
];
const XATTRS = ['--xattrs', '--xattrs-include=*'];

/** The bytes between two looks at the free space. */
const SPACE_CHECK_BYTES = 64 * 2 ** 20;

export interface LayerToUnpack {
  /** The layer as the registry has it, compressed or not. */
  readonly content: Readable;
  /** An empty folder. */
  readonly folder: string;
  readonly kind: LayerKind;
  /** Called now and then. Throws when the disk is almost full. */
  readonly checkSpace: () => void;
}

/**
 * Unpacks a layer with tar(1) into a folder of its own. Returns the digest of the uncompressed layer, its diff ID.
 * @throws {LayerError} when the layer is damaged, or tar(1) cannot unpack it
 */
export async function unpackLayer({ content, folder, kind, checkSpace }: LayerToUnpack): Promise<string> {
  const owners = kind === 'single' ? ['--no-same-owner'] : ['--same-owner'];
  const [program, ...args] = asOwners(kind, [...TAR, ...XATTRS, ...owners, '-C', folder]);
  const archive = await decompressed(content);
  const helper = await startStreamHelper({ program, args });
  helper.stdout.resume();
  try {
    const digest = await feed(archive, helper, { filter: new LayerFilter(kind), checkSpace });
    const outcome = await helper.ended;
    if (!outcome.ok) throw new LayerError(outcome.why);
    // tar(1) only warns of attributes that it cannot set, and without this one the lower layers show through.
    const warning = outcome.stdout.split('\n').find((line) => line.includes('overlay.opaque'));
    if (warning !== undefined) throw new LayerError(warning);
    return digest;
  } catch (error) {
    helper.kill();
    content.destroy();
    archive.destroy();
    throw error;
  }
}

/** Passes the archive to tar(1) through the filter. */
async function feed(
  archive: Readable,
  { stdin, ended }: StreamHelper,
  { filter, checkSpace }: { filter: LayerFilter; checkSpace: () => void },
): Promise<string> {
  const hash = createHash('sha256');
  let untilCheck = 0;
  for await (const piece of archive as AsyncIterable<Buffer>) {
    untilCheck -= piece.length;
    if (untilCheck < 0) {
      checkSpace();
      untilCheck = SPACE_CHECK_BYTES;
    }
    hash.update(piece);
    await write(stdin, filter.push(piece), ended);
  }
  await write(stdin, filter.end(), ended);
  stdin.end();
  return `sha256:${hash.digest('hex')}`;
}

/** Writes, and waits while the pipe is full. */
async function write(stdin: Writable, bytes: Buffer, ended: StreamHelper['ended']): Promise<void> {
  if (bytes.length === 0 || stdin.write(bytes)) return;
  await Promise.race([once(stdin, 'drain').catch(() => undefined), ended]);
  const outcome = stdin.destroyed ? await ended : undefined;
  if (outcome?.ok === false) throw new LayerError(outcome.why);
}
