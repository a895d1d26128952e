import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { ImageAccess } from '../../lifecycle/index.ts';
import { filesIn, quietly } from '../../quietly.ts';
import { isOwnerAlive, readJsonQuietly, uniqueName, writeWhole } from './files.ts';
import { hexOf, type ImageStore } from './image-store.ts';

/** The file of an image, with the names of the kubelet's ImagePulledRecord. */
interface PulledFile {
  readonly lastUpdatedTime: string;
  /** The digest of the configuration. */
  readonly imageRef: string;
  readonly credentialMapping: ImageAccess;
}

interface IntentFile {
  readonly image: string;
}

/**
 * The records of pulls: who may use an image (`pulled/HEX.json`, HEX of its configuration), and the pulls that were
 * begun (`pulling/HEX-PROCESS`, HEX of its name). The file of a killed pull stays: an image without a record of its end
 * belongs to no Pod. Source: pkg/kubelet/images/pullmanager.
 */
export class PullRecords {
  readonly #store: ImageStore;

  constructor(store: ImageStore) {
    this.#store = store;
  }

  /** Undefined: no pull of the image is on record. */
  accessOf(configDigest: string): ImageAccess | undefined {
    return readJsonQuietly<PulledFile>(this.#pulledFile(configDigest))?.credentialMapping;
  }

  setAccess(configDigest: string, access: ImageAccess, at: string): void {
    const file: PulledFile = { lastUpdatedTime: at, imageRef: configDigest, credentialMapping: access };
    writeWhole(this.#pulledFile(configDigest), `${JSON.stringify(file)}\n`);
  }

  /**
   * Records the beginning of a pull. Returns the function for its end: `known` when it failed or its access is on
   * record, which settles the pulls of killed processes, too.
   */
  begin(name: string): (end: 'known' | 'failed') => void {
    const file = path.join(this.#intents, `${hexOfName(name)}-${uniqueName()}`);
    writeWhole(file, `${JSON.stringify({ image: name } satisfies IntentFile)}\n`);
    return (end) => {
      rmSync(file, { force: true });
      if (end === 'known')
        for (const dead of this.#intentsOf(name).filter((each) => !isOwnerAlive(each))) this.#drop(dead);
    };
  }

  /** True when a pull of the name was begun and is not over. */
  isBegun(name: string): boolean {
    return this.#intentsOf(name).length > 0;
  }

  /** Removes the records of images that are gone. */
  sweep(): void {
    const records = this.#store.records();
    const configs = new Set(records.map(({ configDigest }) => `${hexOf(configDigest)}.json`));
    const folder = path.join(this.#store.root, 'pulled');
    for (const name of filesIn(folder)) {
      if (!configs.has(name) && !name.startsWith('.')) quietly(() => rmSync(path.join(folder, name), { force: true }));
    }
    const names = new Set(records.map(({ name }) => hexOfName(name)));
    for (const file of filesIn(this.#intents)) {
      if (!names.has(file.split('-')[0] ?? '') && !isOwnerAlive(file)) this.#drop(file);
    }
  }

  #intentsOf(name: string): string[] {
    return filesIn(this.#intents).filter((file) => file.startsWith(`${hexOfName(name)}-`));
  }

  #drop(file: string): void {
    quietly(() => rmSync(path.join(this.#intents, file), { force: true }));
  }

  get #intents(): string {
    return path.join(this.#store.root, 'pulling');
  }

  #pulledFile(configDigest: string): string {
    return path.join(this.#store.root, 'pulled', `${hexOf(configDigest)}.json`);
  }
}

function hexOfName(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
