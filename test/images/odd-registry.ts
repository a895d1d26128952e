import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { archiveOf, type Entry } from './archive.ts';
import { ARCHITECTURES } from './registry.ts';

/** A request to an odd registry. `path` is below `/v2/`. */
export interface OddRequest {
  readonly method: string;
  readonly path: string;
  /** `http://127.0.0.1:PORT` of the registry. */
  readonly origin: string;
}

/** Answers a request as it likes. Answers false: the usual answer is sent. */
export type OddAnswer = (request: OddRequest, response: ServerResponse) => boolean;

/** An image as a registry serves it: its manifest by tag and digest, and its blobs. */
export interface ServedImage {
  readonly manifest: Buffer;
  readonly blobs: ReadonlyMap<string, Buffer>;
}

export const sha256 = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const json = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** An uncompressed layer: its diff ID is its digest. */
export const layerOf = (...entries: Entry[]): Buffer => archiveOf(entries);

/** The parts of a manifest that a test may replace, each with what is usual there. */
export interface ImageParts {
  readonly layers?: readonly Buffer[];
  /** Replaces the diff IDs of the layers. */
  readonly diffIds?: unknown;
  readonly config?: (usual: Record<string, unknown>) => unknown;
  readonly manifest?: (usual: Record<string, unknown>) => unknown;
}

/** An image of this machine's platform. */
export function servedImage({ layers = [], diffIds, config, manifest }: ImageParts): ServedImage {
  const usualConfig = {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: { Cmd: ['true'] },
    rootfs: { type: 'layers', diff_ids: diffIds ?? layers.map(sha256) },
  };
  const configBytes = json(config === undefined ? usualConfig : config(usualConfig));
  const described = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: sha256(bytes), size: bytes.length });
  const usual = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: described('application/vnd.oci.image.config.v1+json', configBytes),
    layers: layers.map((layer) => described('application/vnd.oci.image.layer.v1.tar', layer)),
  };
  const blobs = new Map([configBytes, ...layers].map((bytes) => [sha256(bytes), bytes]));
  return { manifest: json(manifest === undefined ? usual : manifest(usual)), blobs };
}

/** A registry with one image under every name, which answers as a test wants. */
export async function openOddRegistry(
  image: ServedImage,
  answer: OddAnswer = () => false,
): Promise<{ readonly host: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const { method = '', url = '' } = request;
    if (answer({ method, path: url.replace(/^\/v2\//, ''), origin: `http://127.0.0.1:${port}` }, response)) return;
    const [, kind, reference = ''] = /\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
    const bytes = kind === 'manifests' ? image.manifest : image.blobs.get(reference);
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', 'application/vnd.oci.image.manifest.v1+json');
    response.setHeader('content-length', bytes.length);
    if (kind === 'manifests') response.setHeader('docker-content-digest', sha256(bytes));
    response.end(method === 'HEAD' ? undefined : bytes);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
