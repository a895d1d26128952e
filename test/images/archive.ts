import { extensionEntry, paddingOf, paxText, tarHeader, type TarHeader } from '../../src/images/unpack/tar-header.ts';

/** An entry of an archive. `pax` are the records before it. */
export type Entry = Partial<TarHeader> &
  Pick<TarHeader, 'name'> & { readonly text?: string; readonly pax?: Readonly<Record<string, string>> };

/** An archive of entries as they are: also of those that no program packs. */
export function archiveOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)]);
}

function entryBytes({ text = '', pax, ...fields }: Entry): Buffer {
  const type = fields.type ?? (fields.name.endsWith('/') ? '5' : '0');
  const mode = fields.mode ?? (type === '5' ? 0o755 : 0o644);
  const content = Buffer.from(text);
  const header = tarHeader({ size: content.length, ...fields, type, mode });
  const records = pax === undefined ? [] : [extensionEntry('x', paxText(Object.entries(pax)))];
  return Buffer.concat([...records, header, content, Buffer.alloc(paddingOf(content.length))]);
}
