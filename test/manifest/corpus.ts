import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Subresource } from '../../src/manifest/update/index.ts';

/** A manifest with mistakes and the expected messages; see test/conformance/README.md. */
export interface InvalidRow {
  readonly id: string;
  readonly theme: string;
  readonly manifest: string;
  readonly stage: 'parse' | 'kind' | 'decode' | 'strict' | 'validate' | 'update';
  readonly errors: readonly ExpectedError[];
  /** The stored object, for updates. */
  readonly old?: string;
  readonly subresource?: Subresource;
}

export interface ExpectedError {
  readonly path: string;
  readonly type: string;
  readonly detail: string;
  readonly value?: string;
  readonly line?: number;
  /** True when more text follows the detail. */
  readonly match?: 'prefix';
}

/** A valid manifest. */
export interface ValidRow {
  readonly id: string;
  readonly theme: string;
  readonly manifest: string;
  readonly objects: number;
  readonly expect?: readonly { readonly path: string; readonly value: unknown }[];
  readonly warnings?: readonly string[];
  /** The stored object, for updates. */
  readonly old?: string;
  readonly subresource?: Subresource;
}

export const corpusFolder: string = fileURLToPath(new URL('../conformance/', import.meta.url));

export function readCorpus<Row>(file: string): Row[] {
  const lines = readFileSync(`${corpusFolder}${file}`, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}
