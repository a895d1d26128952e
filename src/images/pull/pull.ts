import { formatTime, parseImageReference, splitVersion } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type {
  Credential,
  ImageConfig,
  PresentImage,
  PullOutcome,
  PullProgress,
  PullRequest,
} from '../../lifecycle/index.ts';
import { fileTrouble } from '../../runtime/index.ts';
import { fetchBlob } from './fetch-blob.ts';
import { checkClaims, checkSpace, hasLayer, makeLayer } from './make-layers.ts';
import {
  choosePlatform,
  CONFIG_MAX_BYTES,
  type Descriptor,
  type Manifest,
  parseManifest,
} from '../registry/manifest.ts';
import { parseConfig } from './parse-config.ts';
import { HttpConnections } from '../registry/connection.ts';
import { placesOf, type NetworkVariables } from '../registry/endpoints.ts';
import { contentName, PullError, wrongDigest, wrongSize } from '../registry/pull-error.ts';
import { readBody } from '../registry/read-body.ts';
import { digestOf, RegistryClient, type ResolvedName } from '../registry/registry-client.ts';
import { Tokens } from '../registry/tokens.ts';
import { Slots } from './slots.ts';
import type { ImageRecord, ImageStore } from '../store/image-store.ts';
import { contentForPull, type SharedContent } from '../store/shared-content.ts';
import { removeHalfLayers } from '../store/sweep.ts';
import { Uses } from '../store/uses.ts';

const FETCHES_MAX = 3;
const UNPACKS_MAX = 2;
/** An index may name indexes. */
const INDEX_DEPTH_MAX = 3;

/** The surroundings of a pull. */
export interface PullTools {
  readonly store: ImageStore;
  readonly clock: Clock;
  /** Proxies, and $SSL_CERT_FILE. */
  readonly env: NetworkVariables;
  readonly onProgress: (progress: PullProgress) => void;
  readonly signal: AbortSignal;
}

/** Pulls an image into the store, with one credential after the other. Never rejects for what a registry does. */
export async function pullImage(request: PullRequest, tools: PullTools): Promise<PullOutcome> {
  const { clock, env, signal } = tools;
  const startMs = clock.now().monotonicMs;
  const connections = new HttpConnections(request.registries, env);
  const tokens = new Tokens(connections, request.registries, clock);
  const errors: string[] = [];
  try {
    const attempts = request.credentials.length === 0 ? [undefined] : request.credentials;
    for (const [index, credential] of attempts.entries()) {
      try {
        const image = await new Pull(request, tools, { connections, tokens, credential }).run();
        const pullMs = clock.now().monotonicMs - startMs;
        return { ok: true, image, credential: credential === undefined ? undefined : index, pullMs };
      } catch (error) {
        errors.push(textOf(error));
        if (signal.aborted) break;
      }
    }
    return { ok: false, errors };
  } finally {
    connections.close();
  }
}

function textOf(error: unknown): string {
  if (error instanceof PullError) return error.text;
  // A failed system call is the machine's. Anything else is a defect.
  if (error instanceof Error && 'syscall' in error) return fileTrouble(error);
  throw error;
}

interface Access {
  readonly connections: HttpConnections;
  readonly tokens: Tokens;
  readonly credential: Credential | undefined;
}

/** An image as its registry describes it, before its layers come. */
interface Described {
  readonly manifest: Manifest;
  readonly config: ImageConfig;
  /** Index, manifest and configuration, by their digests. */
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly manifestDigest: string;
}

/** One attempt to pull an image. */
class Pull {
  readonly #request: PullRequest;
  readonly #tools: PullTools;
  readonly #access: Access;
  /** The content of the store that need not be fetched. */
  readonly #shared: SharedContent;

  constructor(request: PullRequest, tools: PullTools, access: Access) {
    this.#request = request;
    this.#tools = tools;
    this.#access = access;
    this.#shared = contentForPull(tools.store, splitVersion(request.name).name);
  }

  async run(): Promise<PresentImage> {
    const { name } = this.#request;
    const { client, resolved } = await this.#within(() => this.#resolve());
    const blobs = new Map<string, Buffer>();
    const top = await this.#within(() => this.#manifestBlob(client, resolved, blobs));
    const { manifest, digest } = await this.#forMachine(client, top, blobs);
    return this.#within(async () => {
      const config = await this.#config(client, manifest.config, blobs);
      if (config.rootfs.diff_ids.length !== manifest.layers.length) {
        throw new PullError('mismatched image rootfs and manifest layers');
      }
      const described = { manifest, config, blobs, manifestDigest: digest };
      const release = new Uses(this.#tools.store.root).declare({
        layers: config.rootfs.diff_ids,
        blobs: [...blobs.keys()],
      });
      try {
        await this.#layers(client, described);
        return this.#finish(name, resolved.digest, described);
      } finally {
        release();
        await removeHalfLayers(this.#tools.store);
      }
    });
  }

  /** Puts containerd's words in front of errors. */
  async #within<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = error instanceof PullError ? error : new PullError(textOf(error));
      throw failure.within(`failed to pull and unpack image ${JSON.stringify(this.#request.name)}`);
    }
  }

  /** Asks the mirrors, then the registry. The error is the registry's. */
  async #resolve(): Promise<{ client: RegistryClient; resolved: ResolvedName }> {
    const { name, registries } = this.#request;
    const { connections, tokens, credential } = this.#access;
    const outcome = parseImageReference(name);
    if (!outcome.ok) throw new PullError(outcome.reason);
    const { domain, path, tag = 'latest', digest } = outcome.reference;
    let failure = new PullError('no registry');
    for (const endpoint of placesOf(domain, path, registries)) {
      const { signal } = this.#tools;
      const client = new RegistryClient({ connections, tokens, endpoint, credential, signal });
      try {
        return { client, resolved: await client.resolve(digest ?? tag, name) };
      } catch (error) {
        if (!(error instanceof PullError)) throw error;
        failure = error.within('failed to resolve image');
      }
    }
    throw failure;
  }

  /** The manifest or the index with this digest, from the store or the registry. */
  async #manifestBlob(
    client: RegistryClient,
    { digest, mediaType, bytes }: ResolvedName,
    blobs: Map<string, Buffer>,
  ): Promise<{ bytes: Buffer; mediaType: string; digest: string }> {
    const known = bytes ?? this.#sharedBlob(digest);
    const content = known === undefined ? await client.manifest(digest) : { bytes: known, mediaType };
    blobs.set(digest, content.bytes);
    return { ...content, digest };
  }

  #sharedBlob(digest: string): Buffer | undefined {
    return this.#shared.blobs.has(digest) ? this.#tools.store.readBlob(digest) : undefined;
  }

  /** Goes from an index to the manifest for this machine. */
  async #forMachine(
    client: RegistryClient,
    top: { bytes: Buffer; mediaType: string; digest: string },
    blobs: Map<string, Buffer>,
  ): Promise<{ manifest: Manifest; digest: string }> {
    let { bytes, mediaType, digest } = top;
    for (let depth = 0; depth < INDEX_DEPTH_MAX; depth += 1) {
      const parsed = parseManifest(bytes, mediaType);
      if (parsed.type === 'manifest') return { manifest: parsed.manifest, digest };
      if (parsed.type !== 'index') {
        const why =
          parsed.type === 'damaged'
            ? `manifest ${digest}: ${parsed.why}`
            : `media type ${JSON.stringify(parsed.mediaType)} is not supported: not implemented`;
        throw await this.#within(() => Promise.reject(new PullError(why))).catch((error: unknown) => error);
      }
      const chosen = choosePlatform(parsed.manifests, this.#request.platform);
      if (chosen === undefined) break;
      ({ bytes, mediaType, digest } = await this.#within(() => this.#manifestBlob(client, chosen, blobs)));
    }
    const why = `no match for platform in manifest ${top.digest}: not found`;
    throw new PullError(`get image config descriptor: ${why}`, 'NotFound');
  }

  async #config(client: RegistryClient, descriptor: Descriptor, blobs: Map<string, Buffer>): Promise<ImageConfig> {
    const { digest, size } = descriptor;
    if (size > CONFIG_MAX_BYTES) throw new PullError(`the configuration of the image has ${size} bytes`);
    let bytes = this.#sharedBlob(digest);
    if (bytes === undefined) {
      const { body } = await client.blob(descriptor, 0);
      bytes = await readBody(body, size);
      const actual = digestOf(bytes, digest.replace(/:.*/, ''));
      if (actual !== digest) throw wrongDigest(contentName(descriptor), actual, digest);
    }
    if (bytes.length !== size) throw wrongSize(contentName(descriptor), bytes.length, size);
    blobs.set(digest, bytes);
    return parseConfig(bytes);
  }

  /** Fetches and unpacks the layers that the store does not have, or that this caller may not take from there. */
  async #layers(client: RegistryClient, { manifest, config }: Described): Promise<void> {
    const { store, clock, onProgress, signal } = this.#tools;
    const { kind, name } = this.#request;
    const { layers } = manifest;
    const wanted = new Map(layers.map((layer, index) => [config.rootfs.diff_ids[index] ?? '', layer] as const));
    const missing = [...wanted].filter(
      ([diffId]) => !this.#shared.layers.has(diffId) || !hasLayer(store, kind, diffId),
    );
    const bytesOf = new Map<string, number>();
    const totalBytes = [...missing].reduce((sum, [, { size }]) => sum + size, 0);
    let done = wanted.size - missing.length;
    checkClaims(store, layers);
    checkSpace(store, totalBytes);
    const tell = (): void => {
      const bytes = [...bytesOf.values()].reduce((sum, each) => sum + each, 0);
      onProgress({ name, bytes, totalBytes, layers: done, totalLayers: wanted.size });
    };
    const [fetches, unpacks] = [new Slots(FETCHES_MAX), new Slots(UNPACKS_MAX)];
    let hasFailed = false;
    const make = async (diffId: string, layer: Descriptor): Promise<void> => {
      const onBytes = (bytes: number): void => {
        bytesOf.set(diffId, bytes);
        tell();
      };
      // All further layers stop where they are when one layer has failed.
      const ifUseful = <T>(work: () => Promise<T>): Promise<T> => {
        if (hasFailed || signal.aborted) throw new PullError('context canceled');
        return work();
      };
      const blob = await fetches.run(() =>
        ifUseful(() => fetchBlob(layer, { client, store, clock, onBytes, repository: splitVersion(name).name })),
      );
      try {
        await unpacks.run(() => ifUseful(() => makeLayer(store, { diffId, kind, content: blob.file })));
      } finally {
        blob.remove();
      }
      done += 1;
      tell();
    };
    const failures: unknown[] = [];
    await Promise.all(
      missing.map(([diffId, layer]) =>
        make(diffId, layer).catch((error: unknown) => {
          hasFailed = true;
          failures.push(error);
        }),
      ),
    );
    if (failures.length > 0) throw failures[0];
  }

  #finish(name: string, digest: string, { manifest, config, blobs, manifestDigest }: Described): PresentImage {
    const { store, clock } = this.#tools;
    for (const [each, bytes] of blobs) store.putBlob(each, bytes);
    const nowText = formatTime(clock.now().wallMs);
    const size = manifest.layers.reduce((sum, layer) => sum + layer.size, manifest.config.size);
    const record: ImageRecord = {
      name,
      digest,
      manifest: manifestDigest,
      configDigest: manifest.config.digest,
      diffIds: config.rootfs.diff_ids,
      kind: this.#request.kind,
      size,
      pulledAt: nowText,
      lastUsedAt: nowText,
    };
    return store.putImage(record);
  }
}
