import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { quietly } from '../../quietly.ts';

/** Folders of tools and packages. */
const NEVER: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Files that editors write beside the edited file. */
const OF_EDITORS = /^(?:\.#.*|.*~|\..*\.sw.|4913|#.*#)$/;

/** The files below a folder that no change of a program is in: packages, and what the .gitignore files name. */
export class IgnoredFiles {
  /** The highest folder whose .gitignore counts. */
  readonly #top: string;
  readonly #rules = new Map<string, Ignore | undefined>();

  /** @param folder the followed folder: it counts even if a folder above it ignores it */
  constructor(folder: string) {
    this.#top = repositoryOf(folder) ?? folder;
    if (this.#top !== folder && this.has(folder, true)) this.#top = folder;
  }

  has(file: string, isFolder: boolean): boolean {
    const name = path.basename(file);
    if (NEVER.has(name) || OF_EDITORS.test(name)) return true;
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      const relative = `${path.relative(folder, file)}${isFolder ? '/' : ''}`;
      // The rules of a lower folder win.
      const { ignored, unignored } = this.#rulesOf(folder)?.test(relative) ?? { ignored: false, unignored: false };
      if (ignored || unignored) return ignored;
      if (folder === this.#top || folder === path.dirname(folder)) return false;
    }
  }

  #rulesOf(folder: string): Ignore | undefined {
    if (!this.#rules.has(folder)) {
      const text = quietly(() => readFileSync(path.join(folder, '.gitignore'), 'utf8'));
      this.#rules.set(folder, text === undefined ? undefined : ignore().add(text));
    }
    return this.#rules.get(folder);
  }
}

function repositoryOf(folder: string): string | undefined {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : repositoryOf(above);
}
