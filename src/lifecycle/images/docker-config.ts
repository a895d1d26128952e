import { isJsonObject } from '../../api/index.ts';
import type { Credential } from '../base/image-types.ts';

/** Credentials by their keys, see KeyringEntry. */
export type AuthEntries = Readonly<Record<string, Omit<Credential, 'origin'>>>;

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
