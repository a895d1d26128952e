import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { filesIn, succeeds } from '../../quietly.ts';
import { isOwnerAlive, uniqueName } from './files.ts';
import { hexOf, type ImageStore } from './image-store.ts';

/** The owner in the name of a file that anyone may take up. */
const NOBODY = '0.0-0-0';

/** The digits of the hash of a repository in the name of a file. */
const ORIGIN_DIGITS = 16;

/** A blob on its way: a file of `ingest`, with the digest of what it has. */
export class PartialBlob {
  readonly file: string;
  #fd: number;
  #hash: Hash;
  #bytes: number;

  private constructor(file: string, fd: number, hash: Hash, bytes: number) {
    this.file = file;
    this.#fd = fd;
    this.#hash = hash;
    this.#bytes = bytes;
  }

  /** Resumes with what a killed process has fetched from the same repository, or begins. */
  static async open(store: ImageStore, digest: string, repository: string): Promise<PartialBlob> {
    const folder = store.ingestFolder();
    const origin = createHash('sha256').update(repository).digest('hex').slice(0, ORIGIN_DIGITS);
    const prefix = `${hexOf(digest)}.${origin}-`;
    const file = path.join(folder, prefix + uniqueName());
    const left = filesIn(folder).find(
      (name) =>
        name.startsWith(prefix) && !isOwnerAlive(name) && succeeds(() => renameSync(path.join(folder, name), file)),
    );
    const fd = openSync(file, 'a', 0o600);
    const hash = createHash(digest.replace(/:.*/, ''));
    if (left === undefined) return new PartialBlob(file, fd, hash, 0);
    for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 })) hash.update(piece as Buffer);
    return new PartialBlob(file, fd, hash, statSync(file).size);
  }

  get bytes(): number {
    return this.#bytes;
  }

  write(piece: Buffer): void {
    for (let at = 0; at < piece.length;) at += writeSync(this.#fd, piece, at);
    this.#hash.update(piece);
    this.#bytes += piece.length;
  }

  /** Drops what came, to begin anew. */
  restart(digest: string): void {
    closeSync(this.#fd);
    this.#fd = openSync(this.file, 'w', 0o600);
    this.#hash = createHash(digest.replace(/:.*/, ''));
    this.#bytes = 0;
  }

  /** The digest of what came. Call it once. */
  digest(algorithm: string): string {
    closeSync(this.#fd);
    return `${algorithm}:${this.#hash.digest('hex')}`;
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }

  /** Leaves what came to the next pull, also of this process. */
  leave(): void {
    closeSync(this.#fd);
    if (this.#bytes === 0) return this.remove();
    const folder = path.dirname(this.file);
    const [prefix = ''] = path.basename(this.file).split('-');
    renameSync(this.file, path.join(folder, `${prefix}-${NOBODY}`));
  }
}
