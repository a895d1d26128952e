import type { StoredObject } from '../base/metadata.ts';

/**
 * The characters of JSON of all whole objects together. Beyond, the objects that were reported longest ago become
 * compressed texts: what clients store must not fill the memory.
 */
const WHOLE_MAX = 8 * 1024 * 1024;
/** Small tables: zlib makes them anew for each text. It is loaded for the first: short commands pack nothing. */
const PACKING = { windowBits: 13, memLevel: 5, level: 3 };

/** The whole objects, the most recently reported at the end. */
const wholeOnes = new Set<KeptObject>();
let wholeLength = 0;
/** The KeptObject of an object: all who keep the same object share it. */
const keptOnes = new WeakMap<StoredObject, KeptObject>();

/** An object in memory: whole, or as a compressed text. */
export class KeptObject<T extends StoredObject = StoredObject> {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Undefined: it is packed. */
  whole: T | undefined;
  /** Each character is a byte: a string needs a third of the memory of a small Buffer. */
  #packed = '';
  readonly #length: number;

  private constructor(object: T, length: number) {
    this.uid = object.metadata.uid;
    this.resourceVersion = object.metadata.resourceVersion;
    this.whole = object;
    this.#length = length;
    wholeOnes.add(this);
    wholeLength += this.#length;
  }

  /**
   * The object must not change any more.
   * @param length the characters of its JSON, if the caller knows them
   */
  static of<T extends StoredObject>(object: T, length?: number): KeptObject<T> {
    const known = keptOnes.get(object);
    if (known !== undefined) return known as unknown as KeptObject<T>;
    const kept = new KeptObject(object, length ?? JSON.stringify(object).length);
    keptOnes.set(object, kept);
    for (const oldest of wholeLength > WHOLE_MAX ? wholeOnes : []) {
      if (wholeLength <= WHOLE_MAX || oldest === kept) break;
      oldest.#pack();
    }
    return kept;
  }

  get object(): T {
    if (this.whole !== undefined) return this.whole;
    const { inflateRawSync } = process.getBuiltinModule('node:zlib');
    const object = JSON.parse(inflateRawSync(Buffer.from(this.#packed, 'latin1')).toString()) as T;
    keptOnes.set(object, this);
    return object;
  }

  /** Says that the object is no longer kept: another version has replaced it, or it is gone. */
  release(): void {
    if (wholeOnes.delete(this)) wholeLength -= this.#length;
  }

  #pack(): void {
    const { deflateRawSync } = process.getBuiltinModule('node:zlib');
    this.#packed = deflateRawSync(JSON.stringify(this.whole), PACKING).toString('latin1');
    this.whole = undefined;
    this.release();
  }
}
