import type { LayerKind } from '../../lifecycle/index.ts';
import {
  BLOCK_BYTES,
  extensionEntry,
  paddingOf,
  parsePax,
  parseTarHeader,
  patchTarHeader,
  paxText,
  tarHeader,
  type TarHeader,
} from './tar-header.ts';

/** The limits of what a layer may hold. */
const ENTRIES_MAX = 2_000_000;
const NAME_BYTES_MAX = 4096;
/** Source: Go's archive/tar, maxSpecialFileSize. */
const EXTENSION_BYTES_MAX = 2 ** 20;

/** Source: OCI image-spec layer.md "Whiteouts". */
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
/** Files of AUFS itself. Source: containerd pkg/archive/tar.go whiteoutMetaPrefix. */
const AUFS = '.wh..wh.';

/** Records of pax that the entry keeps. Its name, link and size come from podrun. */
const KEPT_RECORDS: ReadonlySet<string> = new Set(['uid', 'gid', 'mtime']);
const XATTR = 'SCHILY.xattr.';
/**
 * Extended attributes of a layer. Attributes that overlayfs reads are never the image's: they would lead it to other
 * files.
 */
const KEPT_XATTR = /^(user\.(?!overlay\.)|security\.capability$)/;

/** The owner that chown(2) takes for none: tar(1) would leave the file to podrun's user, and its setuid bit with it. */
const NO_OWNER = 2 ** 32 - 1;

type Folder = Pick<TarHeader, 'mode' | 'uid' | 'gid' | 'mtime'>;
const PLAIN_FOLDER: Folder = { mode: 0o755, uid: 0, gid: 0, mtime: 0 };

/** The damage of a layer, or a part that podrun refuses. */
export class LayerError extends Error {}

/**
 * Turns the tar stream of a layer into one that tar(1) unpacks as overlayfs wants it. Whiteouts become character
 * devices 0/0, and opaque folders get overlayfs's attribute. Everything else stays unchanged, but for the attributes of
 * overlayfs, devices where they cannot be made, and sizes of entries without content. Headers reach tar(1) in one form:
 * it finds the entries where this filter has found them. Pure: bytes in, bytes out.
 */
export class LayerFilter {
  readonly #kind: LayerKind;
  /** Folders of the layer by name, also folders that only their contents name. */
  readonly #folders = new Map<string, Folder>();
  readonly #files = new Set<string>();
  readonly #whiteouts = new Set<string>();
  #entries = 0;
  #out: Buffer[] = [];
  /** The beginning of a header or of an extension, from the chunks before. */
  #partial: Buffer[] = [];
  #partialBytes = 0;
  /** The bytes of the present content that are still to come, with its padding. */
  #left = 0;
  #isDropped = false;
  /** The extension whose content comes. */
  #extension: TarHeader | undefined;
  #records = new Map<string, string>();
  #zeroBlocks = 0;

  constructor(kind: LayerKind) {
    this.#kind = kind;
  }

  /**
   * Takes the next bytes of the layer. Returns bytes for tar(1).
   * @throws {LayerError} for a layer that is damaged or refused
   */
  push(chunk: Buffer): Buffer {
    this.#out = [];
    let at = 0;
    while (at < chunk.length && this.#zeroBlocks < 2) {
      if (this.#left > 0) {
        const end = Math.min(chunk.length, at + this.#left);
        if (!this.#isDropped) this.#out.push(chunk.subarray(at, end));
        this.#left -= end - at;
        at = end;
      } else at = this.#gather(chunk, at);
    }
    return this.#out.length === 1 ? (this.#out[0] as Buffer) : Buffer.concat(this.#out);
  }

  /**
   * The end of the archive.
   * @throws {LayerError} when an entry is incomplete
   */
  end(): Buffer {
    if (this.#left > 0 || this.#partialBytes > 0 || this.#extension !== undefined)
      throw new LayerError('unexpected EOF');
    return Buffer.alloc(2 * BLOCK_BYTES);
  }

  /** Collects a header, or the content of an extension. Returns the position behind what was taken. */
  #gather(chunk: Buffer, at: number): number {
    const { size = BLOCK_BYTES } = this.#extension ?? {};
    const wanted = size + paddingOf(size) - this.#partialBytes;
    const piece = chunk.subarray(at, at + wanted);
    if (piece.length < wanted) {
      this.#partial.push(Buffer.from(piece));
      this.#partialBytes += piece.length;
      return chunk.length;
    }
    const whole = this.#partialBytes === 0 ? piece : Buffer.concat([...this.#partial, piece]);
    this.#partial = [];
    this.#partialBytes = 0;
    if (this.#extension === undefined) this.#header(whole);
    else this.#extend(this.#extension, whole.toString('latin1', 0, size));
    return at + wanted;
  }

  #header(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.#zeroBlocks += 1;
      return;
    }
    const header = this.#zeroBlocks === 0 ? parseTarHeader(block) : undefined;
    if (header === undefined) throw new LayerError('archive/tar: invalid tar header');
    if (/[xgLK]/.test(header.type)) {
      if (header.size > EXTENSION_BYTES_MAX) throw new LayerError('archive/tar: header field too long');
      if (header.size > 0) this.#extension = header;
      return;
    }
    this.#entries += 1;
    if (this.#entries > ENTRIES_MAX) throw new LayerError(`it has more than ${ENTRIES_MAX} entries`);
    const records = this.#records;
    this.#records = new Map();
    this.#entry(block, header, records);
  }

  #extend({ type }: TarHeader, content: string): void {
    this.#extension = undefined;
    if (type === 'L' || type === 'K') {
      this.#records.set(type === 'L' ? 'path' : 'linkpath', content.replace(/\0.*/s, ''));
      return;
    }
    const records = parsePax(content);
    if (records === undefined) throw new LayerError('archive/tar: invalid tar header');
    // A record for all entries that changes what tar(1) reads would have to be carried on; no builder writes one.
    const isGlobal = type === 'g';
    for (const key of records.keys()) {
      if (key.startsWith('GNU.sparse.')) throw new LayerError('sparse files are not supported');
      if (isGlobal && /^(path|linkpath|size)$/.test(key)) throw new LayerError(`a global header has ${key}`);
    }
    // An empty value leaves the field of the header unchanged.
    if (!isGlobal) for (const [key, value] of records) if (value !== '') this.#records.set(key, value);
  }

  #entry(block: Buffer, header: TarHeader, records: Map<string, string>): void {
    const { type } = header;
    const name = records.get('path') ?? header.name;
    const { uid, gid } = { ...header, ...numbersOf(records) };
    if (![uid, gid].every((id) => id >= 0 && id < NO_OWNER)) throw new LayerError(`no user can own ${name}`);
    const place = placeOf(name);
    const isFolder = type === '5' || (/[07]/.test(type) && name.endsWith('/'));
    if (!/[0-7]/.test(type)) throw new LayerError(`unhandled tar header type ${type.charCodeAt(0)} for file ${name}`);
    const hasContent = /[07]/.test(type) && !isFolder;
    const size = hasContent ? sizeOf(records.get('size'), header.size) : 0;
    this.#left = size + paddingOf(size);
    this.#isDropped = true;
    const slash = place.lastIndexOf('/');
    const [folder, base] = [place.slice(0, Math.max(slash, 0)), place.slice(slash + 1)];
    if (base === OPAQUE) return this.#opaque(folder);
    if (base.startsWith(AUFS)) return;
    if (base.startsWith(WHITEOUT)) return this.#whiteout(folder, base.slice(WHITEOUT.length));
    if (this.#kind !== 'root' && (type === '3' || type === '4')) return;
    this.#isDropped = false;
    this.#note(place, isFolder ? { ...header, ...numbersOf(records) } : undefined);
    const kept = [...records].filter(([key]) => isKept(key));
    // A folder that takes the place of a lower one of this name hides all that is in it.
    if (isFolder && this.#whiteouts.delete(place)) kept.push([XATTR + this.#opaqueXattr, 'y']);
    if (records.has('size') && hasContent) kept.push(['size', String(size)]);
    if (kept.length > 0) this.#out.push(extensionEntry('x', paxText(kept)));
    const link = records.get('linkpath');
    if (link !== undefined) this.#out.push(extensionEntry('K', link));
    if (records.has('path')) this.#out.push(extensionEntry('L', name));
    // podrun itself renames the layer's own folder, which takes the right to write to it.
    const mode = place === '' && this.#kind !== 'root' ? header.mode | 0o700 : header.mode;
    const isPatched = mode !== header.mode || (!hasContent && header.size !== 0);
    const patch = { mode, ...(hasContent ? {} : { size: 0 }) };
    this.#out.push(isPatched ? patchTarHeader(block, patch) : block);
  }

  /** Remembers an entry, and the folders above it. */
  #note(place: string, folder: Folder | undefined): void {
    if (folder === undefined) this.#files.add(place);
    else {
      const { mode, uid, gid, mtime } = folder;
      this.#files.delete(place);
      this.#folders.set(place, { mode, uid, gid, mtime });
    }
    this.#noteAbove(place);
  }

  #noteAbove(place: string): void {
    for (let slash = place.lastIndexOf('/'); slash > 0; slash = place.lastIndexOf('/', slash - 1)) {
      const above = place.slice(0, slash);
      if (this.#folders.has(above)) return;
      this.#folders.set(above, PLAIN_FOLDER);
      if (this.#whiteouts.delete(above)) this.#opaque(above);
    }
  }

  /** A whiteout concerns the layers below: what this layer itself has under the name stays. */
  #whiteout(folder: string, base: string): void {
    if (base === '' || base === '.' || base === '..') throw new LayerError(`invalid whiteout name: ${WHITEOUT}${base}`);
    const place = folder === '' ? base : `${folder}/${base}`;
    if (this.#folders.has(place)) return this.#opaque(place);
    if (this.#files.has(place)) return;
    this.#whiteouts.add(place);
    this.#noteAbove(place);
    this.#make(place, { type: '3' });
  }

  /** Repeats the folder's header with the attribute. */
  #opaque(place: string): void {
    const folder = this.#folders.get(place) ?? PLAIN_FOLDER;
    this.#note(place, folder);
    const mode = place === '' && this.#kind !== 'root' ? folder.mode | 0o700 : folder.mode;
    this.#out.push(extensionEntry('x', paxText([[XATTR + this.#opaqueXattr, 'y']])));
    this.#make(place === '' ? './' : `${place}/`, { ...folder, mode, type: '5' });
  }

  #make(name: string, fields: Partial<TarHeader> & Pick<TarHeader, 'type'>): void {
    if (name.length > 99) this.#out.push(extensionEntry('L', name));
    this.#out.push(tarHeader({ ...fields, name }));
  }

  get #opaqueXattr(): string {
    return this.#kind === 'root' ? 'trusted.overlay.opaque' : 'user.overlay.opaque';
  }
}

/** The name of an entry below the layer's folder, without `.`. Empty for the folder itself. */
function placeOf(name: string): string {
  if (name.length > NAME_BYTES_MAX) throw new LayerError(`an entry has a name of ${name.length} bytes`);
  if (name.includes('\0')) throw new LayerError('the name of an entry has a NUL');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new LayerError(`the entry ${JSON.stringify(name)} leads out of the layer`);
  return parts.join('/');
}

/** The size of a content, which a record of pax may give. */
function sizeOf(record: string | undefined, size: number): number {
  const value = record === undefined ? size : Number(/^\d+$/.test(record) ? record : Number.NaN);
  if (!Number.isSafeInteger(value)) throw new LayerError('archive/tar: invalid tar header');
  return value;
}

/** The numbers of a folder that records of pax give. */
function numbersOf(records: ReadonlyMap<string, string>): Partial<Folder> {
  const given = ['uid', 'gid', 'mtime'].flatMap((key) => {
    const value = Number(records.get(key) ?? Number.NaN);
    return Number.isFinite(value) ? [[key, Math.trunc(value)]] : [];
  });
  return Object.fromEntries(given) as Partial<Folder>;
}

function isKept(key: string): boolean {
  return key.startsWith(XATTR) ? KEPT_XATTR.test(key.slice(XATTR.length)) : KEPT_RECORDS.has(key);
}
