import { goQuote, type Volume, type VolumeProjection } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { fractionalBytes } from './resources.ts';

/** Deprecated volumes, in the order and the spelling of the API. Source: pkg/api/pod/warnings.go. */
const OLD_VOLUMES: readonly (readonly [keyof Volume, string, string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** The number of earlier files that one file is compared with: many equal paths must not make too many lines. */
const OTHERS_MAX = 8;
/** The number of folders in a path. No real path has more. */
const FOLDERS_MAX = 100;

/** A file of a volume and its source, which is empty when the volume has only one. */
interface PlannedFile {
  readonly path: string;
  readonly source: string;
}

export function volumeWarnings(path: string, volumes: readonly Decoded<Volume>[]): string[] {
  const old = volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
    return [
      ...OLD_VOLUMES.filter(([field]) => volume[field] !== undefined).map(([, name, text]) => `${at}.${name}: ${text}`),
      ...fractionalBytes(`${at}.ephemeral.volumeClaimTemplate.spec.resources`, claim, ['storage']),
    ];
  });
  return [...old, ...volumes.flatMap(overlapWarnings)];
}

/** Warnings about files that replace other files, or folders of other files. */
function overlapWarnings(volume: Decoded<Volume>): string[] {
  const { name = '', configMap, secret, downwardAPI, projected } = volume;
  const warn = (what: string, files: readonly PlannedFile[]): string[] =>
    overlaps(files).map((overlap) => `volume ${goQuote(name)} (${what}): overlapping paths: ${overlap}`);
  return [
    ...warn(`ConfigMap ${goQuote(configMap?.name ?? '')}`, plannedFiles(configMap?.items, '')),
    ...warn(`Secret ${goQuote(secret?.secretName ?? '')}`, plannedFiles(secret?.items, '')),
    ...warn('DownwardAPI', plannedFiles(downwardAPI?.items, '')),
    ...(projected?.sources ?? [])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${goQuote(name)} (Projected) has no sources provided`),
    ...warn('Projected', (projected?.sources ?? []).flatMap(projectedFiles)),
  ];
}

function plannedFiles(files: readonly { path?: string | undefined }[] | undefined, source: string): PlannedFile[] {
  return (files ?? []).map(({ path = '' }) => ({ path: withoutEnd(path), source }));
}

/** Removes slashes at the end. */
function withoutEnd(path: string): string {
  let length = path.length;
  while (path[length - 1] === '/') length -= 1;
  return path.slice(0, length);
}

/** The files of one projected source. The first of several kinds counts; more than one is a mistake. */
function projectedFiles({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
}: Decoded<VolumeProjection>): PlannedFile[] {
  if (configMap?.items) return plannedFiles(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`);
  if (secret?.items) return plannedFiles(secret.items, `Secret ${goQuote(secret.name ?? '')}`);
  if (downwardAPI?.items) return plannedFiles(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken ? plannedFiles([serviceAccountToken], 'ServiceAccountToken') : [];
}

/** Overlapping paths in the order of the files, each file with earlier ones. */
function overlaps(files: readonly PlannedFile[]): string[] {
  const show = ({ path, source }: PlannedFile): string =>
    source === '' ? goQuote(path) : `${goQuote(path)} (${source})`;
  const exact = new Map<string, number[]>();
  const inside = new Map<string, number[]>();
  return files.flatMap((file, index) => {
    const folders = foldersOf(file.path);
    const others = [...(inside.get(file.path) ?? []), ...folders.flatMap((folder) => exact.get(folder) ?? [])];
    remember(exact, file.path, index);
    for (const folder of [file.path, ...folders]) remember(inside, folder, index);
    const earlier = others.sort((a, b) => a - b).flatMap((other) => files[other] ?? []);
    return earlier.map((other) => `${show(file)} with ${show(other)}`);
  });
}

/** The folders of a path: `a/b/c` is in `a/b` and in `a`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, FOLDERS_MAX);
  return parts.slice(1).map((_, count) => parts.slice(0, count + 1).join('/'));
}

function remember(places: Map<string, number[]>, path: string, index: number): void {
  const known = places.get(path) ?? [];
  if (path !== '' && known.length < OTHERS_MAX) places.set(path, [...known, index]);
}
