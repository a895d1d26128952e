import { createHash } from 'node:crypto';
import type { StoredSecret } from '../../api/index.ts';
import { type KeyringEntry, parseDockerConfig } from '../../lifecycle/index.ts';

/** The data of each type of Secret with credentials for registries. Skips Secrets of any other type. */
const FORMS = {
  'kubernetes.io/dockerconfigjson': { key: '.dockerconfigjson', form: 'auths' },
  'kubernetes.io/dockercfg': { key: '.dockercfg', form: 'bare' },
} as const;

/**
 * The keyring of the Secrets that a Pod names for its pulls. Source: pkg/credentialprovider/secrets/secrets.go.
 * @throws {Error} when the data of one cannot be read
 */
export function secretKeyring(secrets: readonly StoredSecret[]): KeyringEntry[] {
  return secrets.flatMap((secret) => {
    const { key, form } = FORMS[secret.type as keyof typeof FORMS] ?? {};
    const data = key === undefined ? undefined : secret.data?.[key];
    if (data === undefined || form === undefined) return [];
    const config = parseDockerConfig(Buffer.from(data, 'base64').toString('utf8'), form);
    const { namespace, name, uid } = secret.metadata;
    if (config === undefined) throw new Error(`the ${key} of secret ${namespace}/${name} cannot be read`);
    return Object.entries(config.entries).map(([host, { username, password }]): KeyringEntry => {
      const hash = createHash('sha256').update(JSON.stringify({ username, password })).digest('hex');
      const origin = { type: 'secret', uid, namespace, name, hash } as const;
      return { key: host, credential: { username, password, origin } };
    });
  });
}
