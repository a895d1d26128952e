import { isJsonObject } from '../../api/index.ts';
import type { Credential } from '../base/image-types.ts';

/** A credential and the images it is for: HOST[:PORT][/PATH], with globs in the labels of the host. */
export interface KeyringEntry {
  readonly key: string;
  readonly credential: Credential;
}

/** The key for images without a registry in their name. */
const DEFAULT_KEY = 'index.docker.io';
/** The registry of such images, which their full names have. */
const DEFAULT_HOSTS: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io']);

/**
 * The credentials for a repository, in the order in which they are tried: one keyring after the other.
 * Source: pkg/credentialprovider/keyring.go Lookup, ParseSchemelessURL, URLsMatch.
 * @param repository the full name without tag and digest: `docker.io/library/nginx`
 */
export function credentialsFor(repository: string, keyrings: readonly (readonly KeyringEntry[])[]): Credential[] {
  return keyrings.flatMap((keyring) => matchingCredentials(repository, keyring));
}

function matchingCredentials(repository: string, keyring: readonly KeyringEntry[]): Credential[] {
  const entries = keyring
    .flatMap(({ key, credential }) => {
      const parsed = parseKey(key);
      return parsed === undefined ? [] : [{ key: parsed, credential }];
    })
    .toSorted((left, right) => (left.key === right.key ? 0 : left.key < right.key ? 1 : -1));
  const matching = entries.filter(({ key }) => matchesKey(key, repository));
  const [host = ''] = repository.split('/');
  const isDefault = matching.length === 0 && DEFAULT_HOSTS.has(host);
  return (isDefault ? entries.filter(({ key }) => key === DEFAULT_KEY) : matching).map(({ credential }) => credential);
}

/** A key without its scheme and the version of the API: HOST[:PORT][/PATH]. Undefined: it is none. */
function parseKey(key: string): string | undefined {
  const bare = key.replace(/^https?:\/\//, '').replace(/[?#].*/s, '');
  const [host = '', ...segments] = bare.split('/');
  if (host === '') return undefined;
  // Docker writes https://index.docker.io/v1/ for its own registry.
  const path = `/${segments.join('/')}`.replace(/^\/v[12]\//, '/');
  return path === '/' ? host : host + path;
}

/** True when a key as users write it is for a repository. */
export function matchesImage(key: string, repository: string): boolean {
  const parsed = parseKey(key);
  return parsed !== undefined && matchesKey(parsed, repository);
}

/** True when the labels of the host match one by one, the port is the same, and the path begins with the key's. */
function matchesKey(key: string, target: string): boolean {
  const [ofKey, ofTarget] = [splitHost(key), splitHost(target)];
  if (ofKey.port !== ofTarget.port || ofKey.labels.length !== ofTarget.labels.length) return false;
  const isHost = ofKey.labels.every((label, index) => globMatches(label, ofTarget.labels[index] ?? ''));
  return isHost && ofTarget.path.startsWith(ofKey.path);
}

function splitHost(text: string): { labels: string[]; port: string; path: string } {
  const [, host = '', port = '', path = ''] = /^([^/:]*)(?::([^/]*))?(.*)/s.exec(text) ?? [];
  return { labels: host.split('.'), port, path };
}

/** A part of a shell pattern: any text, or one character that it accepts. */
type GlobPart = '*' | ((letter: string) => boolean);

/** Matches a shell pattern with `*`, `[a-z]` and `[^a-z]`. Source: Go's path/filepath.Match. */
function globMatches(pattern: string, text: string): boolean {
  const parts = globParts(pattern);
  let part = 0;
  // The latest `*`, and where what follows it was tried last: an earlier one need not take more.
  let star: { readonly part: number; at: number } | undefined;
  for (let at = 0; at < text.length;) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = { part, at };
      part += 1;
    } else if (wanted?.(text.charAt(at)) === true) {
      part += 1;
      at += 1;
    } else if (star !== undefined) {
      star.at += 1;
      at = star.at;
      part = star.part + 1;
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === '*');
}

function globParts(pattern: string): GlobPart[] {
  const parts: GlobPart[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern.charAt(at);
    const end = letter === '[' ? pattern.indexOf(']', at + 2) : -1;
    if (end !== -1) {
      parts.push(letterClass(pattern.slice(at + 1, end)));
      at = end;
    } else if (letter === '*') parts.push('*');
    else parts.push((char) => char === letter);
  }
  return parts;
}

/** The characters between brackets: `a-z0`, `^a-z`. */
function letterClass(text: string): (letter: string) => boolean {
  const isNegated = text.startsWith('^');
  const ranges = [...text.slice(isNegated ? 1 : 0).matchAll(/([^])(?:-([^]))?/g)];
  return (letter) => ranges.some(([, low = '', high = low]) => low <= letter && letter <= high) !== isNegated;
}

/**
 * The error of a pull with several credentials. Source: apimachinery's util/errors NewAggregate, which leaves out
 * repetitions.
 */
export function joinedErrors(errors: readonly string[]): string {
  const all = [...new Set(errors)];
  return all.length === 1 ? (all[0] ?? '') : `[${all.join(', ')}]`;
}

/** Credentials by their keys, see KeyringEntry. */
type AuthEntries = Readonly<Record<string, Omit<Credential, 'origin'>>>;

/** The content of a docker config: entries with credentials, and the credential helpers for all other registries. */
export interface DockerConfig {
  readonly entries: AuthEntries;
  /** Programs `docker-credential-NAME`, by host. */
  readonly helpers: Readonly<Record<string, string>>;
  /** The program for all other hosts of the file. Undefined: none. */
  readonly store: string | undefined;
  /** The hosts of the file, which the program may be asked for. */
  readonly hosts: readonly string[];
}

/**
 * Reads a docker config (`config.json`, podman's `auth.json`, the data of a Secret). Source:
 * pkg/credentialprovider/config.go DockerConfigEntry; docker's own file format.
 * @param form `auths`: entries below `auths`. bare: a file `.dockercfg`, which is the entries
 * @returns undefined when the text is no such file
 */
export function parseDockerConfig(text: string, form: 'auths' | 'bare'): DockerConfig | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(parsed)) return undefined;
  const auths = form === 'bare' ? parsed : (parsed['auths'] ?? {});
  if (!isJsonObject(auths)) return undefined;
  const entries = Object.entries(auths).map(([key, value]) => [key, readEntry(value)] as const);
  if (entries.some(([, entry]) => entry === 'damaged')) return undefined;
  const { credHelpers, credsStore } = form === 'bare' ? {} : (parsed as Record<string, unknown>);
  return {
    entries: Object.fromEntries(entries.filter(([, entry]) => entry !== undefined)) as AuthEntries,
    helpers: isJsonObject(credHelpers) ? (credHelpers as Record<string, string>) : {},
    store: typeof credsStore === 'string' ? credsStore : undefined,
    hosts: Object.keys(auths),
  };
}

/** Undefined: an entry without a credential, which a credential helper has. */
function readEntry(value: unknown): AuthEntries[string] | 'damaged' | undefined {
  if (!isJsonObject(value)) return 'damaged';
  const { username = '', password = '', auth, identitytoken } = value as Record<string, string | undefined>;
  const identityToken = identitytoken || undefined;
  if (!auth) {
    if (!username && !password && identityToken === undefined) return undefined;
    return { username, password, identityToken };
  }
  const decoded = decodeBase64(auth);
  const colon = decoded?.indexOf(':') ?? -1;
  if (decoded === undefined || colon < 0) return 'damaged';
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1).trim(), identityToken };
}

/** Base64 with its padding or without. Undefined: it is none. */
function decodeBase64(text: string): string | undefined {
  const bare = text.trim().replace(/(?<!=)=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(bare)) return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(bare), (char) => char.codePointAt(0) ?? 0));
}
