import type { Secret, ServiceAccount } from '../../../api/generated/types.ts';
import type { StoredKubeObject } from '../../../api/objects.ts';
import { line } from '../line.ts';
import { describeIdentity } from '../metadata.ts';

/**
 * The lines of `describe` about a ServiceAccount, without its events.
 * @param secrets those of its namespace
 */
export function describeServiceAccount(
  account: StoredKubeObject & ServiceAccount,
  secrets: readonly (StoredKubeObject & Secret)[],
): string[] {
  const present = new Set(secrets.map(({ metadata }) => metadata.name));
  const tokens = secrets.filter(
    ({ type, metadata: { annotations = {} } }) =>
      type === 'kubernetes.io/service-account-token' &&
      annotations['kubernetes.io/service-account.name'] === account.metadata.name &&
      annotations['kubernetes.io/service-account.uid'] === account.metadata.uid,
  );
  const named = (refs: ReadonlyArray<{ readonly name?: string | undefined }> = []): string[] =>
    refs.map(({ name = '' }) => (present.has(name) ? name : `${name} (not found)`));
  // The continuation lines are padded as kubectl pads them.
  const list = (title: string, [first = '<none>', ...more]: readonly string[]): string[] => [
    line(0, title, first),
    ...more.map((text) => line(0, ' '.repeat(title.length), text)),
  ];
  return [
    ...describeIdentity(account),
    ...list('Image pull secrets:', named(account.imagePullSecrets)),
    ...list('Mountable secrets: ', named(account.secrets)),
    ...list(
      'Tokens:            ',
      tokens.map(({ metadata }) => metadata.name),
    ),
  ];
}
