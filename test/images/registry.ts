import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
// @ts-expect-error: the registry of the scenarios has no types.
import { startRegistry as start } from '../conformance/registry.mjs';
import { SystemClock } from '../../src/clock.ts';
import { pullImage } from '../../src/images/pull/pull.ts';
import { ImageStore } from '../../src/images/store/image-store.ts';
import type { PullOutcome, PullProgress, PullRequest } from '../../src/lifecycle/base/image-types.ts';
import type { Need } from '../needs.ts';
import { isRoot } from '../ordinary-user.ts';
import { removeTree } from '../../src/remove-tree.ts';

/** A request that the registry has answered. */
export interface AnsweredRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly user: string;
  readonly elsewhere?: boolean;
  readonly range?: string;
}

/** The registry of the scenarios: see test/conformance/registry.md. */
export interface TestRegistry {
  readonly requests: AnsweredRequest[];
  fill(text: string): string;
  change(what: object): Promise<void>;
  stop(): Promise<void>;
}

/** A registry, and folders for stores. */
export interface ImageWorld {
  readonly registry: TestRegistry;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  store(): ImageStore;
  close(): Promise<void>;
}

export async function openWorld(said: object): Promise<ImageWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-images-'));
  const registry = (await (start as (said: object, folder: string) => Promise<unknown>)(said, folder)) as TestRegistry;
  return {
    registry,
    // The runner's notation.
    host: registry.fill('${registry}'), // oxlint-disable-line no-template-curly-in-string
    store: () => new ImageStore(mkdtempSync(path.join(folder, 'store-'))),
    close: async () => {
      await registry.stop();
      removeTree(folder);
    },
  };
}

/** The way in which this user owns the files of layers. */
export const ownKind: 'root' | 'single' = isRoot ? 'root' : 'single';

/** The need of a test that unpacks layers of that kind. Those with opaque folders need `layers of images`. */
export const UNPACKED: Need = isRoot ? 'root' : 'user namespaces';

export interface PullOptions extends Partial<PullRequest> {
  readonly onProgress?: (progress: PullProgress) => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Pulls an image in the test's own process. */
export function pullInto(store: ImageStore, name: string, options: PullOptions = {}): Promise<PullOutcome> {
  const { onProgress = () => undefined, env = {}, signal = new AbortController().signal, ...request } = options;
  const whole: PullRequest = {
    name,
    platform: { os: 'linux', architecture: ARCHITECTURES[process.arch] ?? process.arch },
    credentials: [],
    registries: {},
    kind: ownKind,
    ...request,
  };
  return pullImage(whole, { store, clock: new SystemClock(), env, onProgress, signal });
}

export const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
