import { splitVersion } from '../api/index.ts';
import type { PresentImage, PullProgress } from '../lifecycle/index.ts';
import { ageSince } from './base/age.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

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

/** A size as other tools for images print it, in powers of ten: `67.2MB`. */
function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))}${units[unit]}`;
}

/** The result of a pull: `docker.io/library/nginx:1.27@sha256:… pulled, 67.2MB`. */
export function pulledText({ name, digest, size }: PresentImage): string {
  const reference = name.includes('@') ? name : `${name}@${digest}`;
  return `${reference} pulled, ${sizeText(size)}`;
}

/** The line about a pull: `nginx:1.27  pulling 31.4MB of 67.2MB, 3 of 7 layers, 12MB/s`. */
export function pullPhrase(name: string, progress: PullProgress | undefined, elapsedMs: number): string {
  if (progress === undefined) return `${name}  asking the registry`;
  const { bytes, totalBytes, layers, totalLayers } = progress;
  const speed = elapsedMs > 0 ? `, ${sizeText(Math.round((bytes * 1000) / elapsedMs))}/s` : '';
  const sizes = `${sizeText(bytes)} of ${sizeText(totalBytes)}`;
  return `${name}  pulling ${sizes}, ${layers} of ${totalLayers} layers${speed}`;
}
