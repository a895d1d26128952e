import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { filesIn, quietly } from '../../quietly.ts';
import { isOwnerAlive, PRIVATE_FOLDER, readJsonQuietly, uniqueName, writeWhole } from './files.ts';

/** The images and layers that a process uses. */
export interface Use {
  /** The users of an image, such as `pod/web`, by the digest of its manifest. */
  readonly images?: Readonly<Record<string, readonly string[]>>;
  /** Diff IDs. */
  readonly layers?: readonly string[];
  readonly blobs?: readonly string[];
  /** A file that exists while containers live that outlive this process, and until podrun clears up after them. */
  readonly until?: string | undefined;
}

/**
 * The uses of a store by living processes, and by containers that outlive the process that has started them: a file for
 * each use, with its process in the name. Removal spares what is in use. A process declares a use before it looks for
 * what it uses.
 */
export class Uses {
  readonly #folder: string;

  constructor(root: string) {
    this.#folder = path.join(root, 'uses');
  }

  /** Declares a use. Returns a function that ends it. */
  declare(use: Use): () => void {
    mkdirSync(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const file = path.join(this.#folder, uniqueName());
    writeWhole(file, `${JSON.stringify(use)}\n`);
    return () => rmSync(file, { force: true });
  }

  /** All uses of living processes and containers. Removes the files of all ended ones. */
  all(): Use[] {
    return filesIn(this.#folder)
      .filter((name) => !name.startsWith('.'))
      .flatMap((name) => {
        const file = path.join(this.#folder, name);
        const use = readJsonQuietly<Use>(file);
        if (isOwnerAlive(name) || (use?.until !== undefined && existsSync(use.until))) return use ?? [];
        quietly(() => rmSync(file, { force: true }));
        return [];
      });
  }

  /** The users of an image by the digest of its manifest. */
  usersOf(manifest: string): string[] {
    return [...new Set(this.all().flatMap(({ images = {} }) => images[manifest] ?? []))];
  }
}
