import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { succeeds } from '../../src/quietly.ts';
import { readPod } from '../../src/store/disk/transition-log.ts';

const FILES = ['transitions.ndjson', 'owner.json'];

/** Reads the files of all Pods again and again while podrun writes them, faster than any command of podrun. */
export class StoreReader {
  readonly #pods: string;
  #timer: NodeJS.Timeout | undefined;
  /** Incomplete files with their text. */
  readonly torn: string[] = [];
  looks = 0;

  constructor(stateDir: string) {
    this.#pods = path.join(stateDir, 'pods');
    this.#next();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#look();
  }

  #next(): void {
    this.#timer = setTimeout(() => {
      this.#look();
      this.#next();
    }, 1);
  }

  #look(): void {
    for (const namespace of namesIn(this.#pods)) {
      for (const name of namesIn(path.join(this.#pods, namespace))) {
        for (const file of FILES) this.#read(path.join(this.#pods, namespace, name, file));
      }
    }
  }

  #read(file: string): void {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      return; // the file does not exist yet, or is removed
    }
    this.looks += 1;
    if (!isWhole(file, text)) this.torn.push(`${file}: ${JSON.stringify(text.slice(0, 100))}`);
  }
}

/** A log has a Pod at every moment; its last line may just be written. */
function isWhole(file: string, text: string): boolean {
  if (file.endsWith('.ndjson')) return readPod(file) !== undefined || !existsSync(file);
  return succeeds(() => JSON.parse(text));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
