import { loadManifests, type LoadOptions, type LoadResult } from '../../src/manifest/check/load.ts';

/** Loads a manifest from a text, as standard input. */
export function loadText(text: string | Uint8Array, options: Partial<LoadOptions> = {}): Promise<LoadResult> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return loadManifests({ files: ['-'], stdin: () => chunksOf(bytes), ...options });
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
