import type { PodSpec, VolumeMount } from '../../api/index.ts';
import { expand } from '../environment/expansion.ts';
import { absoluteSubPath, climbingSubPath, missingValues } from '../texts/config-errors.ts';

/**
 * The part of the volume that a container sees. Empty: all of it. A failure is the message of a
 * CreateContainerConfigError.
 */
export type MountSubPath =
  | { readonly ok: true; readonly subPath: string }
  | { readonly ok: false; readonly message: string };

/**
 * The subPath of a mount, with its variables expanded. Source: pkg/kubelet/kubelet_pods.go makeMounts;
 * pkg/kubelet/container/helpers.go ExpandContainerVolumeMounts.
 * @param env the container's final environment
 */
export function mountSubPath(mount: VolumeMount, env: ReadonlyMap<string, string>): MountSubPath {
  const { subPathExpr = '' } = mount;
  const missing = new Set<string>();
  const expanded = expand(subPathExpr, (name) => {
    const value = env.get(name) ?? '';
    if (value === '') missing.add(name);
    return value;
  });
  if (missing.size > 0) return { ok: false, message: missingValues(missing) };
  const subPath = subPathExpr === '' ? (mount.subPath ?? '') : expanded;
  if (subPath.startsWith('/')) return { ok: false, message: absoluteSubPath(subPath) };
  if (subPath.split('/').includes('..')) return { ok: false, message: climbingSubPath(subPath) };
  return { ok: true, subPath };
}

/** A mount of a container and its place on the host. */
export interface Mounted {
  readonly volume: string;
  /** Absolute, without a slash at the end. */
  readonly mountPath: string;
  /** The real folder or file of the volume, `subPath` included. */
  readonly source: string;
  /** True when source and mountPath are the same, as with a hostPath of the same path. */
  readonly isAtMountPath: boolean;
  readonly isReadOnly: boolean;
  /** The tie of a folder to the later mounts of the host. Undefined: it has none. */
  readonly propagation?: 'from host' | 'both ways' | undefined;
  /** An opaque identity of the file or folder at the source. Set where a container could replace that file. */
  readonly identity?: string | undefined;
  /** The image that the container sees, and the path in it. Undefined: `source` is what it sees. */
  readonly image?: { readonly folder: string; readonly layers: number; readonly path: string };
}

/** Makes a mountPath absolute: a relative one starts at the root. Source: pkg/volume/util MakeAbsolutePath. */
export function absoluteMountPath(mountPath: string): string {
  return `/${mountPath}`.replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, '');
}

/**
 * The host path of a container path, on a host without mounts: inside a volume its real folder, else the path itself.
 * The innermost of nested mounts counts, as in a container.
 */
export function hostPathOf(path: string, mounts: readonly Pick<Mounted, 'mountPath' | 'source'>[]): string {
  const wanted = absoluteMountPath(path);
  const isInside = ({ mountPath }: Pick<Mounted, 'mountPath'>): boolean =>
    wanted === mountPath || wanted.startsWith(mountPath === '/' ? '/' : `${mountPath}/`);
  const [innermost] = mounts.filter(isInside).toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  if (innermost === undefined || !path.startsWith('/')) return path;
  return `${innermost.source}${wanted.slice(innermost.mountPath === '/' ? 0 : innermost.mountPath.length)}`;
}

/** The mounts as a container with real mounts sees them: each at its mountPath. */
export function atMountPaths(mounts: readonly Mounted[]): Mounted[] {
  return mounts.map((mount) => ({ ...mount, source: mount.mountPath, isAtMountPath: true }));
}

/** The variables with the real places of volumes. For a volume that is mounted twice, the first mount counts. */
export function volumeVariables(mounts: readonly Mounted[]): Record<string, string> {
  return Object.fromEntries(mounts.toReversed().map(({ volume, source }) => [volumeVariable(volume), source]));
}

function volumeVariable(volume: string): string {
  return `PODRUN_VOLUME_${volume.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** A mount of a manifest that processes without mounts of their own do not have at its path. */
export interface DisplacedMount {
  readonly volume: string;
  readonly mountPath: string;
  /** The variable with its real place. */
  readonly variable: string;
  readonly place: 'folder of the Pod' | { readonly hostPath: string } | 'elsewhere';
}

/** The mounts of a Pod that are elsewhere without namespaces: all but a hostPath at the same path. Each once. */
export function displacedMounts(spec: PodSpec): DisplacedMount[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const displaced = new Map<string, DisplacedMount>();
  for (const { name: volume, mountPath: written, subPath, subPathExpr } of mountsOf(spec)) {
    const { hostPath, persistentVolumeClaim, ephemeral, image } = volumes.get(volume) ?? {};
    const mountPath = absoluteMountPath(written);
    const isWhole = !subPath && !subPathExpr;
    if (isWhole && hostPath !== undefined && absoluteMountPath(hostPath.path) === mountPath) continue;
    const isOutside = (persistentVolumeClaim ?? ephemeral ?? image) !== undefined;
    const place = hostPath ? { hostPath: hostPath.path } : isOutside ? 'elsewhere' : 'folder of the Pod';
    displaced.set(`${volume} ${mountPath}`, { volume, mountPath, variable: volumeVariable(volume), place });
  }
  return [...displaced.values()];
}

function mountsOf(spec: PodSpec): VolumeMount[] {
  return [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ volumeMounts = [] }) => volumeMounts);
}

/** The text of the event VolumeNotAtMountPath. */
export function notAtMountPath({ volume, mountPath, source }: Mounted): string {
  return (
    `volume "${volume}" is not at ${mountPath} but at ${source}, ` +
    'as processes of the host have no mounts of their own: ' +
    `use $${volumeVariable(volume)}, or paths relative to a workingDir in ${mountPath}`
  );
}
