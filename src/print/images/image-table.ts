import { splitVersion } from '../../api/index.ts';
import type { PresentImage } from '../../lifecycle/index.ts';
import { ageSince } from '../base/age.ts';
import { renderRows } from '../text/table-row.ts';
import { TABLE_LAYOUT, TabWriter } from '../text/tab-writer.ts';
import { sizeText } from './pull-text.ts';

const HEADINGS = ['REPOSITORY', 'TAG', 'IMAGE ID', 'CREATED', 'SIZE', 'LAST USED'];
const WIDE_HEADINGS = ['DIGEST', 'OWNERS'];
/** The digits of an ID that are enough to tell images apart. */
const SHORT_ID = 12;

/** The table of `podrun images`. */
export function imageTable(images: readonly PresentImage[], isWide: boolean, nowMs: number): string {
  const rows = images.map((image) => {
    const { name, tag } = splitVersion(image.name);
    const cells = [
      name,
      tag ?? '<none>',
      image.configDigest.replace('sha256:', '').slice(0, SHORT_ID),
      ageSince(image.config.created, nowMs),
      sizeText(image.size),
      ageSince(image.lastUsedAt, nowMs),
    ];
    return isWide ? [...cells, image.digest, image.kind] : cells;
  });
  const headings = isWide ? [...HEADINGS, ...WIDE_HEADINGS] : HEADINGS;
  return new TabWriter(TABLE_LAYOUT).render(renderRows([headings, ...rows]));
}
