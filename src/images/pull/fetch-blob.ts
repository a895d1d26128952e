import { type Clock, sleep } from '../../clock.ts';
import type { Descriptor } from '../registry/manifest.ts';
import { contentName, PullError, wrongDigest, wrongSize } from '../registry/pull-error.ts';
import type { RegistryClient } from '../registry/registry-client.ts';
import type { ImageStore } from '../store/image-store.ts';
import { PartialBlob } from '../store/partial-blob.ts';

/** The pauses before a broken connection is taken up again. After the last one the pull fails. */
const PAUSES_MS = [100, 200, 500, 1000, 2000];

export interface BlobFetch {
  readonly client: RegistryClient;
  readonly store: ImageStore;
  readonly clock: Clock;
  /** The repository of the image: what came from another one does not count. */
  readonly repository: string;
  /** Called with the bytes of the blob that have come. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Fetches a blob into the store's folder `ingest`, from where a broken connection or a killed process left off. Returns
 * its file, which the caller removes.
 * @throws {PullError} when the registry does not have it, or has other bytes
 */
export async function fetchBlob(descriptor: Descriptor, fetch: BlobFetch): Promise<PartialBlob> {
  const { digest, size } = descriptor;
  const partial = await PartialBlob.open(fetch.store, digest, fetch.repository);
  try {
    await fill(partial, descriptor, fetch);
  } catch (error) {
    if (partial.bytes > size) partial.remove();
    else partial.leave();
    throw error;
  }
  const actual = partial.digest(digest.replace(/:.*/, ''));
  if (actual === digest) return partial;
  partial.remove();
  throw wrongDigest(contentName(descriptor), actual, digest);
}

async function fill(partial: PartialBlob, descriptor: Descriptor, fetch: BlobFetch): Promise<void> {
  const { size } = descriptor;
  for (let attempt = 0; partial.bytes < size; attempt += 1) {
    const why = await append(partial, descriptor, fetch).catch((error: unknown) => {
      // A registry that cannot be reached again may come back. Its answer is final.
      if (attempt === 0 || !(error instanceof PullError) || !/failed to do request/.test(error.message)) throw error;
      return error.message;
    });
    if (why === undefined) break;
    const pause = PAUSES_MS[attempt];
    if (pause === undefined) throw new PullError(`failed to copy: httpReadSeeker: failed open: ${why}`);
    await sleep(fetch.clock, pause);
  }
  if (partial.bytes !== size) throw wrongSize(contentName(descriptor), partial.bytes, size);
}

/** Appends what the registry sends. Returns why the connection broke. */
async function append(
  partial: PartialBlob,
  descriptor: Descriptor,
  { client, onBytes }: BlobFetch,
): Promise<string | undefined> {
  const answer = await client.blob(descriptor, partial.bytes);
  const from = /^bytes (\d+)-/.exec(answer.headers['content-range'] ?? '')?.[1];
  const isRest = answer.status === 206 && Number(from) === partial.bytes;
  if (partial.bytes > 0 && !isRest) partial.restart(descriptor.digest);
  try {
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      partial.write(piece);
      onBytes(partial.bytes);
      if (partial.bytes > descriptor.size) {
        answer.body.destroy();
        return undefined;
      }
    }
    return undefined;
  } catch (error) {
    // An error of the disk is none of the connection.
    if ((error as NodeJS.ErrnoException).syscall === 'write' && !answer.body.destroyed) throw error;
    return 'unexpected EOF';
  }
}
