import {
  type ConfigMap,
  type DownwardAPIVolumeFile,
  goQuote,
  type KeyToPath,
  type PodSpec,
  type Secret,
  type ServiceAccountTokenProjection,
  type Volume,
  type VolumeProjection,
} from '../../api/index.ts';
import { type DownwardFacts, podField, resourceField } from '../environment/downward-api.ts';
import { missingKey, objectNotFound, unsupportedFieldPath } from '../texts/config-errors.ts';
import { cleanPath, filePathProblem } from './volume-file-path.ts';

/** The objects from which volumes are made. They belong to the Pod's namespace. */
export interface VolumeFacts extends DownwardFacts {
  readonly configMap: (name: string) => ConfigMap | undefined;
  readonly secret: (name: string) => Secret | undefined;
  /** Issues a new token. Returns undefined when no token can be issued. */
  readonly token?: (token: ServiceAccountTokenProjection) => string | undefined;
}

export interface VolumeFile {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** The files of a volume by their path below it, or the kubelet's error. */
type VolumeFiles =
  | { readonly ok: true; readonly files: ReadonlyMap<string, VolumeFile> }
  | { readonly ok: false; readonly message: string };

const DEFAULT_MODE = 0o644;

/**
 * The current files of a configMap, secret, downwardAPI or projected volume. Undefined for any other volume, whose
 * files the kubelet does not make. Source: pkg/volume/configmap, secret, downwardapi, projected;
 * pkg/volume/util/atomic_writer.go validatePayload.
 */
export function volumeFiles(volume: Volume, facts: VolumeFacts): VolumeFiles | undefined {
  const files = filesOf(volume, facts);
  if (files === undefined || !files.ok) return files;
  const cleaned = new Map<string, VolumeFile>();
  for (const [path, file] of files.files) {
    const problem = filePathProblem(path);
    if (problem !== undefined) return failed(problem);
    cleaned.set(cleanPath(path), file);
  }
  return { ok: true, files: cleaned };
}

function filesOf({ configMap, secret, downwardAPI, projected }: Volume, facts: VolumeFacts): VolumeFiles | undefined {
  if (configMap !== undefined) return configMapFiles(configMap, facts);
  if (secret !== undefined) return secretFiles({ ...secret, name: secret.secretName }, facts);
  if (downwardAPI !== undefined) return downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode, facts);
  if (projected === undefined) return undefined;
  return allFiles((projected.sources ?? []).map((source) => projectedFiles(source, projected.defaultMode, facts)));
}

function projectedFiles(source: VolumeProjection, defaultMode: number | undefined, facts: VolumeFacts): VolumeFiles {
  const { configMap, secret, downwardAPI, serviceAccountToken: token } = source;
  if (configMap !== undefined) return configMapFiles({ ...configMap, defaultMode }, facts);
  if (token !== undefined) return tokenFile(token, defaultMode, facts);
  if (secret !== undefined) return secretFiles({ ...secret, defaultMode }, facts);
  return downwardFiles(downwardAPI?.items ?? [], defaultMode, facts);
}

function tokenFile(
  token: ServiceAccountTokenProjection,
  defaultMode: number = DEFAULT_MODE,
  facts: VolumeFacts,
): VolumeFiles {
  const { spec } = facts.pod;
  const bytes = new TextEncoder().encode(facts.token?.(token) ?? tokenStub(token, spec));
  return { ok: true, files: new Map([[cleanPath(token.path), { bytes, mode: tokenMode(spec, defaultMode) }]]) };
}

/** The common fields of configMap and secret volume sources. */
interface ObjectSource {
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode?: number | undefined;
  readonly optional?: boolean | undefined;
}

function configMapFiles(source: ObjectSource, facts: VolumeFacts): VolumeFiles {
  const { name = '' } = source;
  const object = facts.configMap(name) ?? clusterConfigMap(name);
  if (object === undefined && source.optional !== true) return failed(objectNotFound('configmap', name));
  const text = new TextEncoder();
  const content = new Map([
    ...Object.entries(object?.binaryData ?? {}).map(([key, base64]) => [key, fromBase64(base64)] as const),
    ...Object.entries(object?.data ?? {}).map(([key, value]) => [key, text.encode(value)] as const),
  ]);
  return chosen(content, source, 'configmap');
}

function secretFiles(source: ObjectSource, facts: VolumeFacts): VolumeFiles {
  const { name = '' } = source;
  const object = facts.secret(name);
  if (object === undefined && source.optional !== true) return failed(objectNotFound('secret', name));
  const content = new Map(Object.entries(object?.data ?? {}).map(([key, base64]) => [key, fromBase64(base64)]));
  return chosen(content, source, 'secret');
}

/** The keys as files. With `items`, only these keys, at their paths. */
function chosen(
  content: ReadonlyMap<string, Uint8Array>,
  source: ObjectSource,
  kind: 'configmap' | 'secret',
): VolumeFiles {
  const { items = [], defaultMode = DEFAULT_MODE, optional } = source;
  if (items.length === 0) {
    return { ok: true, files: new Map([...content].map(([key, bytes]) => [key, { bytes, mode: defaultMode }])) };
  }
  const files = new Map<string, VolumeFile>();
  for (const { key, path, mode = defaultMode } of items) {
    const bytes = content.get(key);
    if (bytes !== undefined) files.set(path, { bytes, mode });
    else if (optional !== true) return failed(missingKey(kind, key));
  }
  return { ok: true, files };
}

function downwardFiles(
  items: readonly DownwardAPIVolumeFile[],
  defaultMode: number = DEFAULT_MODE,
  facts: VolumeFacts,
): VolumeFiles {
  return allFiles(
    items.map(({ path, mode = defaultMode, ...item }) => {
      const text = downwardText(item, facts);
      if (!text.ok) return failed(text.message);
      return { ok: true, files: new Map([[cleanPath(path), { bytes: new TextEncoder().encode(text.value), mode }]]) };
    }),
  );
}

function downwardText(
  { fieldRef, resourceFieldRef }: Pick<DownwardAPIVolumeFile, 'fieldRef' | 'resourceFieldRef'>,
  facts: DownwardFacts,
): ReturnType<typeof resourceField> {
  if (fieldRef !== undefined) {
    const value = fileField(fieldRef.fieldPath, facts);
    return value === undefined ? failed(unsupportedFieldPath(fieldRef.fieldPath)) : { ok: true, value };
  }
  // A volume belongs to no container: validation requires containerName.
  return resourceFieldRef === undefined
    ? { ok: true, value: '' }
    : resourceField(resourceFieldRef, { name: '' }, facts);
}

/**
 * The text of a downward API field in a file, where all labels or annotations are possible, too. Source:
 * pkg/fieldpath/fieldpath.go FormatMap.
 */
function fileField(fieldPath: string, facts: DownwardFacts): string | undefined {
  const { labels = {}, annotations = {} } = facts.pod.metadata;
  if (fieldPath === 'metadata.labels') return formatMap(labels);
  if (fieldPath === 'metadata.annotations') return formatMap(annotations);
  return podField(fieldPath, facts);
}

function formatMap(entries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(entries).map(([key, value]) => [key, `${key}=${goQuote(value)}`] as const);
  return lines
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, line]) => line)
    .join('\n');
}

/**
 * Merges files. Later sources win. All errors are listed, each once. Source: apimachinery, pkg/util/errors Aggregate.
 */
function allFiles(parts: readonly VolumeFiles[]): VolumeFiles {
  const messages = new Set(parts.flatMap((part) => (part.ok ? [] : [part.message])));
  if (messages.size > 0) return failed(messages.size === 1 ? [...messages].join('') : `[${[...messages].join(', ')}]`);
  return { ok: true, files: new Map(parts.flatMap((part) => (part.ok ? [...part.files] : []))) };
}

function fromBase64(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64');
}

function failed(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** The ConfigMap that a cluster puts into every namespace. Source: pkg/controller/certificates/rootcacertpublisher. */
const ROOT_CA = 'kube-root-ca.crt';
const NO_SERVER = 'podrun has no API server, so there is none';
const TOKEN_SECONDS = 3600;

/**
 * The text in place of a service account token, which cannot be mistaken for a token. No server would accept a token
 * made by podrun, but a program may need the file to start.
 */
function tokenStub(token: ServiceAccountTokenProjection, spec: PodSpec): string {
  const audience = token.audience ? `, for the audience ${JSON.stringify(token.audience)}` : '';
  return (
    `This is not a token: ${NO_SERVER}.\n` +
    `In a cluster, a token of the service account ${JSON.stringify(spec.serviceAccountName || 'default')} is here` +
    `${audience}, valid for ${token.expirationSeconds ?? TOKEN_SECONDS} seconds.\n`
  );
}

/**
 * The mode of a token file: only the owner may read it when the Pod has a user or group of its own. Source:
 * pkg/volume/projected/projected.go collectData.
 */
function tokenMode({ securityContext = {} }: PodSpec, defaultMode: number): number {
  return securityContext.runAsUser === undefined && securityContext.fsGroup === undefined ? defaultMode : 0o600;
}

/** The ConfigMap of this name that every namespace of a cluster has. Undefined for other names. */
function clusterConfigMap(name: string): ConfigMap | undefined {
  if (name !== ROOT_CA) return undefined;
  const text = `This is not a certificate: ${NO_SERVER}.\nIn a cluster, the API server's CA certificates are here.\n`;
  return { metadata: { name }, data: { 'ca.crt': text } };
}
