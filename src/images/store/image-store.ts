import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  renameSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../exact-mode.ts';
import { removeTree } from '../../remove-tree.ts';
import type { ImageConfig, LayerKind, PresentImage } from '../../lifecycle/index.ts';
import { filesIn, quietly } from '../../quietly.ts';
import { PRIVATE_FOLDER, readJsonQuietly, uniqueName, writeWhole } from './files.ts';

/** The file of a name, `images/HEX.json`. */
export interface ImageRecord extends Omit<PresentImage, 'config'> {
  /** The digests of the uncompressed layers, the lowest first. */
  readonly diffIds: readonly string[];
}

/**
 * The images of a user, in plain files that appear by a rename: manifests before names, layers before manifests. So
 * readers need no lock.
 *
 *     blobs/sha256/HEX       manifests, indexes and configurations, byte for byte
 *     ingest/                blobs on their way, and layers that are being unpacked
 *     layers/KIND/DIFFID     unpacked layers, as overlayfs takes them
 *     images/HEX.json        a name, HEX is its SHA-256
 *     mounts/MANIFEST/l/N    links to the layers of an image, the uppermost first
 *     pulled/, pulling/      who may use an image, see PullRecords
 *     uses/                  what living processes use, see Uses
 */
export class ImageStore {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /**
   * The image that a name stands for. Undefined: there is none, or a part of it is gone.
   * @param name the full name, with tag or digest
   */
  find(name: string): PresentImage | undefined {
    const record = this.record(name);
    return record === undefined ? undefined : this.#present(record);
  }

  /** The file of a name, also when a part of its image is gone. */
  record(name: string): ImageRecord | undefined {
    return readJsonQuietly<ImageRecord>(this.#imageFile(name));
  }

  /** All images, by name. */
  list(): PresentImage[] {
    return this.records()
      .flatMap((record) => this.#present(record) ?? [])
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The files of names, also for images of which a part is gone. */
  records(): ImageRecord[] {
    return filesIn(path.join(this.root, 'images'))
      .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
      .flatMap((file) => readJsonQuietly<ImageRecord>(path.join(this.root, 'images', file)) ?? []);
  }

  #present(record: ImageRecord): PresentImage | undefined {
    const config = this.config(record.configDigest);
    if (config === undefined || !this.#isMountable(record)) return undefined;
    const { diffIds: _, ...image } = record;
    return { ...image, config };
  }

  /** The links are made last, and a layer that goes takes the name with it: a look at the lowest is enough. */
  #isMountable({ manifest, kind, diffIds }: ImageRecord): boolean {
    const lowest = path.join(this.mountFolder(manifest), 'l', String(new Set(diffIds).size - 1));
    if (diffIds.length === 0) return true;
    return quietly(() => readlinkSync(lowest).includes(`/${kind}/`)) === true && existsSync(lowest);
  }

  /** The configuration of an image. Undefined when it is not there. */
  config(digest: string): ImageConfig | undefined {
    return readJsonQuietly<ImageConfig>(this.blobFile(digest));
  }

  /**
   * The folder that holds the links `l/0`, `l/1`, … to the layers of an image, the uppermost first. Relative to it,
   * `l/0:l/1` is the option `lowerdir` of overlayfs.
   */
  mountFolder(manifest: string): string {
    return path.join(this.root, 'mounts', hexOf(manifest));
  }

  /** The layers of an image as `mountFolder` has them: `l/0`, `l/1`, …. */
  layerLinks({ manifest }: Pick<PresentImage, 'manifest'>): string[] {
    const count = quietly(() => readdirSync(path.join(this.mountFolder(manifest), 'l')).length) ?? 0;
    return Array.from({ length: count }, (_, index) => `l/${index}`);
  }

  blobFile(digest: string): string {
    return path.join(this.root, 'blobs', digest.replace(/:.*/, ''), hexOf(digest));
  }

  readBlob(digest: string): Buffer | undefined {
    return quietly(() => readFileSync(this.blobFile(digest)));
  }

  putBlob(digest: string, bytes: Uint8Array): void {
    writeWhole(this.blobFile(digest), bytes);
  }

  layerFolder(kind: LayerKind, diffId: string): string {
    return path.join(this.root, 'layers', kind, hexOf(diffId));
  }

  /** A new folder for one layer. Another process removes it when this process has ended. */
  newLayer(): string {
    const folder = path.join(this.ingestFolder(), `fs-${uniqueName()}`);
    makeFolderExactly(folder, 0o755);
    return folder;
  }

  ingestFolder(): string {
    const folder = path.join(this.root, 'ingest');
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    return folder;
  }

  /** Gives an unpacked layer its place. Returns false when another process has been faster. */
  putLayer(folder: string, kind: LayerKind, diffId: string): boolean {
    const target = this.layerFolder(kind, diffId);
    mkdirSync(path.dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
    try {
      renameSync(folder, target);
      return true;
    } catch (error) {
      if (existsSync(target)) return false;
      throw error;
    }
  }

  /** Makes an image visible: first the links to its layers, then its name. */
  putImage(record: ImageRecord): PresentImage {
    this.#link(record);
    this.writeRecord(record);
    const image = this.find(record.name);
    if (image === undefined) throw new Error(`a layer of ${record.name} is gone`);
    return image;
  }

  writeRecord(record: ImageRecord): void {
    writeWhole(this.#imageFile(record.name), `${JSON.stringify(record)}\n`);
  }

  /** Notes the use of an image, for the garbage collection. */
  touch(name: string, at: string): void {
    const record = this.record(name);
    if (record !== undefined) this.writeRecord({ ...record, lastUsedAt: at });
  }

  removeName(name: string): void {
    rmSync(this.#imageFile(name), { force: true });
  }

  /** overlayfs refuses a folder that it has already: of a layer that comes twice, the upper one hides the lower. */
  #link({ manifest, kind, diffIds }: ImageRecord): void {
    const folder = this.mountFolder(manifest);
    const making = `${folder}.${uniqueName()}`;
    const layers = [...new Set(diffIds.toReversed())];
    mkdirSync(path.join(making, 'l'), { recursive: true, mode: PRIVATE_FOLDER });
    for (const [index, diffId] of layers.entries()) {
      symlinkSync(path.join('../../../layers', kind, hexOf(diffId)), path.join(making, 'l', String(index)));
    }
    if (quietly(() => readlinkSync(path.join(folder, 'l/0')).includes(`/${kind}/`)) === true) {
      removeTree(making);
      return;
    }
    // Another owner kind, or the rest of an interrupted removal.
    removeTree(folder);
    try {
      renameSync(making, folder);
    } catch {
      // Another process has just made the same links.
      removeTree(making);
    }
  }

  #imageFile(name: string): string {
    return path.join(this.root, 'images', `${createHash('sha256').update(name).digest('hex')}.json`);
  }
}

/** The digits of a digest. */
export function hexOf(digest: string): string {
  return digest.replace(/^.*:/, '');
}
