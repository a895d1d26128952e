import { createWriteStream, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { removeLargeTree } from '../remove-tree.ts';
import { errorMessage, formatTime, fullImageName, parseJson, PodrunError } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import type { LayerKind, Platform, PresentImage } from '../lifecycle/index.ts';
import { checkSpace, hasLayer, makeLayer } from './pull/make-layers.ts';
import { choosePlatform, isDigest, type Manifest, parseManifest } from './registry/manifest.ts';
import { parseConfig } from './pull/parse-config.ts';
import { PullError } from './registry/pull-error.ts';
import { digestOf } from './registry/registry-client.ts';
import { uniqueName } from './store/files.ts';
import { contentForLoad } from './store/shared-content.ts';
import type { ImageStore } from './store/image-store.ts';
import { Uses } from './store/uses.ts';
import { decompressed } from './unpack/decompress.ts';

export interface LoadTools {
  readonly store: ImageStore;
  readonly clock: Clock;
  readonly kind: LayerKind;
  readonly platform: Platform;
}

/** An image in an archive, with the files of its layers. */
interface ArchivedImage {
  readonly names: readonly string[];
  readonly config: Buffer;
  /** The lowest first. */
  readonly layers: readonly string[];
  /** Undefined: the archive has none, like archives of older Dockers. */
  readonly manifest: Buffer | undefined;
}

/** The folder of an unpacked archive: the files by their names in it. */
type ArchiveFiles = ReadonlyMap<string, string>;

/** An image that came without a registry counts as preloaded: every Pod may use it. */
export async function loadImages(archive: Readable, tools: LoadTools): Promise<PresentImage[]> {
  const folder = path.join(tools.store.ingestFolder(), `load-${uniqueName()}`);
  mkdirSync(folder, { mode: 0o700 });
  try {
    const files = await unpackArchive(await decompressed(archive), folder, tools.store);
    const images = imagesIn(files, tools.platform);
    if (images.length === 0) throw damaged('it has no image with a name');
    const loaded: PresentImage[] = [];
    for (const image of images) loaded.push(...(await loadImage(image, tools)));
    return loaded;
  } catch (error) {
    if (error instanceof PullError) throw damaged(error.message);
    throw error;
  } finally {
    await removeLargeTree(folder);
  }
}

function damaged(why: string): PodrunError {
  return new PodrunError('Invalid', `the archive cannot be loaded: ${why}`, {
    hint: 'podrun loads archives of docker save, podman save and skopeo copy … oci-archive:FILE.',
  });
}

/** Writes the files of the archive under numbers: their names are not podrun's. */
async function unpackArchive(archive: Readable, folder: string, store: ImageStore): Promise<ArchiveFiles> {
  const files = new Map<string, string>();
  const links = new Map<string, string>();
  const entries = extract();
  const reading = pipeline(archive, entries).catch((error: unknown) => {
    throw damaged(errorMessage(error));
  });
  reading.catch(() => undefined);
  try {
    for await (const entry of entries) {
      const { name, type, size, linkname } = entry.header;
      const place = path.posix.normalize(name);
      if (type === 'file') {
        checkSpace(store, size);
        const file = path.join(folder, String(files.size));
        await pipeline(entry as unknown as Readable, createWriteStream(file, { mode: 0o600 }));
        files.set(place, file);
      } else if ((type === 'symlink' || type === 'link') && linkname) {
        const above = type === 'symlink' ? path.posix.dirname(place) : '.';
        links.set(place, path.posix.normalize(path.posix.join(above, linkname)));
      }
      entry.resume();
    }
  } catch (error) {
    await reading;
    throw error;
  }
  await reading;
  for (const [place, target] of links) {
    const file = files.get(target);
    if (file !== undefined) files.set(place, file);
  }
  return files;
}

function imagesIn(files: ArchiveFiles, platform: Platform): ArchivedImage[] {
  if (files.has('manifest.json')) return dockerImages(files);
  if (files.has('index.json')) return ociImages(files, platform);
  throw damaged('it has neither manifest.json nor index.json');
}

interface DockerEntry {
  readonly Config?: string;
  readonly RepoTags?: readonly string[] | null;
  readonly Layers?: readonly string[] | null;
}

/** Source: Docker's image/spec, "Combined Image JSON + Filesystem Changeset Format". */
function dockerImages(files: ArchiveFiles): ArchivedImage[] {
  return [parsedIn<readonly DockerEntry[]>(files, 'manifest.json')]
    .flat()
    .flatMap(({ Config = '', RepoTags, Layers }) => {
      const names = (RepoTags ?? []).flatMap((name) => fullImageName(name) ?? []);
      if (names.length === 0) return [];
      const layers = (Layers ?? []).map((layer) => fileIn(files, path.posix.normalize(layer)));
      return [{ names, config: readIn(files, path.posix.normalize(Config)), layers, manifest: undefined }];
    });
}

/** Annotations with the name of an image: containerd's with the registry, OCI's with a tag or a name. */
const NAME_ANNOTATIONS = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];

interface OciIndex {
  readonly manifests?: readonly {
    readonly digest?: string;
    readonly mediaType?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  }[];
}

/** Source: OCI image-spec image-layout.md. */
function ociImages(files: ArchiveFiles, platform: Platform): ArchivedImage[] {
  const index = parsedIn<OciIndex>(files, 'index.json');
  return (index.manifests ?? []).flatMap(({ digest, mediaType = '', annotations = {} }) => {
    const written = NAME_ANNOTATIONS.map((key) => annotations[key]).find((name) => name !== undefined);
    const name = written === undefined ? undefined : fullImageName(written);
    if (name === undefined || !isDigest(digest)) return [];
    const { bytes, manifest } = manifestIn(files, digest, mediaType, platform);
    const layers = manifest.layers.map((layer) => fileIn(files, blobPath(layer.digest)));
    return [{ names: [name], config: blobIn(files, manifest.config.digest), layers, manifest: bytes }];
  });
}

function manifestIn(
  files: ArchiveFiles,
  digest: string,
  mediaType: string,
  platform: Platform,
): { bytes: Buffer; manifest: Manifest } {
  const bytes = blobIn(files, digest);
  const parsed = parseManifest(bytes, mediaType);
  if (parsed.type === 'manifest') return { bytes, manifest: parsed.manifest };
  const chosen = parsed.type === 'index' ? choosePlatform(parsed.manifests, platform) : undefined;
  const inner = chosen && parseManifest(blobIn(files, chosen.digest), chosen.mediaType);
  if (chosen === undefined || inner?.type !== 'manifest') throw damaged(`${digest} has nothing for this machine`);
  return { bytes: blobIn(files, chosen.digest), manifest: inner.manifest };
}

async function loadImage(image: ArchivedImage, { store, clock, kind }: LoadTools): Promise<PresentImage[]> {
  const config = parseConfig(image.config);
  const diffIds = config.rootfs.diff_ids;
  if (diffIds.length !== image.layers.length) throw damaged('an image has more or fewer layers than its configuration');
  const configDigest = digestOf(image.config, 'sha256');
  const manifest = image.manifest ?? Buffer.from(JSON.stringify({ schemaVersion: 2, config: configDigest, diffIds }));
  const digest = digestOf(manifest, 'sha256');
  const shared = contentForLoad(store).layers;
  const release = new Uses(store.root).declare({ layers: diffIds, blobs: [digest, configDigest] });
  try {
    for (const [index, diffId] of diffIds.entries()) {
      const content = image.layers[index] ?? '';
      const isThere = shared.has(diffId) && hasLayer(store, kind, diffId);
      if (!isThere) await makeLayer(store, { diffId, kind, content });
    }
    store.putBlob(digest, manifest);
    store.putBlob(configDigest, image.config);
    const at = formatTime(clock.now().wallMs);
    const common = { digest, manifest: digest, configDigest, diffIds, kind, pulledAt: at, lastUsedAt: at };
    const size = image.config.length + sizeOf(image.layers);
    return image.names.map((name) => store.putImage({ ...common, name, size }));
  } finally {
    release();
  }
}

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

/** A blob of the archive, which must have the digest of its name. */
function blobIn(files: ArchiveFiles, digest: string): Buffer {
  const bytes = readIn(files, blobPath(digest));
  if (digestOf(bytes, digest.replace(/:.*/, '')) === digest) return bytes;
  throw damaged(`${blobPath(digest)} has another digest`);
}

function parsedIn<T>(files: ArchiveFiles, name: string): T {
  const bytes = readIn(files, name);
  try {
    return parseJson(bytes) as T;
  } catch (error) {
    throw damaged(`${name}: ${errorMessage(error)}`);
  }
}

function readIn(files: ArchiveFiles, name: string): Buffer {
  return readFileSync(fileIn(files, name));
}

function fileIn(files: ArchiveFiles, name: string): string {
  const file = files.get(name);
  if (file === undefined) throw damaged(`it lacks ${name}`);
  return file;
}
