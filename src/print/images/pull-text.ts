import type { PresentImage, PullProgress } from '../../lifecycle/index.ts';

/** A size as other tools for images print it, in powers of ten: `67.2MB`. */
export function sizeText(bytes: number): string {
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
