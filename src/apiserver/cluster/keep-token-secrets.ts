import { isSameJson, type StoredKubeObject, type StoredSecret } from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { deleteRecord } from '../deletion/delete-record.ts';
import { reported } from './reported.ts';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Fills Secrets that ask for the token of a ServiceAccount, and deletes them when the account is gone.
 * Source: pkg/controller/serviceaccount/tokens_controller.go.
 */
export function keepTokenSecrets(context: ServerContext): Subscription {
  const { objects, signal } = context;
  // The change is reported to all before the next one is made.
  const lookAt = (secrets: readonly StoredKubeObject[]): void =>
    nextEventLoopTurn(() => {
      for (const { metadata } of signal.aborted ? [] : secrets) {
        const secret = objects.get('secrets', metadata.namespace, metadata.name) as StoredSecret | undefined;
        reported(context, `the token in the Secret ${metadata.name}`, () => settle(secret, context));
      }
    });
  lookAt(objects.list('secrets').filter(asksForToken));
  const subscriptions = [
    objects.subscribe('secrets', ({ type, object }) => {
      if (type !== 'DELETED' && asksForToken(object)) lookAt([object]);
    }),
    objects.subscribe('serviceaccounts', ({ type, object }) => {
      if (type !== 'MODIFIED') lookAt(objects.list('secrets', object.metadata.namespace).filter(asksForToken));
    }),
  ];
  return { close: () => subscriptions.forEach((subscription) => subscription.close()) };
}

function asksForToken(secret: StoredKubeObject): boolean {
  return secret['type'] === TYPE && secret.metadata.deletionTimestamp === undefined;
}

function settle(secret: StoredSecret | undefined, { objects, store, clock, tokens, config }: ServerContext): void {
  if (secret === undefined || !asksForToken(secret as unknown as StoredKubeObject)) return;
  const { namespace, name, annotations = {} } = secret.metadata;
  const { [ACCOUNT]: accountName = '', [ACCOUNT_UID]: uid } = annotations;
  const account = objects.get('serviceaccounts', namespace, accountName);
  if (account === undefined || (uid !== undefined && uid !== account.metadata.uid)) {
    deleteRecord(store, clock, secret as unknown as StoredKubeObject, 'Background', 'secrets');
    return;
  }
  const { data = {} } = secret;
  const filled = {
    ...data,
    'ca.crt': base64(config.caCertificate),
    namespace: data['namespace'] || base64(namespace),
    token: data['token'] || base64(tokens.issueForSecret(account.metadata, name)),
  };
  if (isSameJson(data, filled) && uid !== undefined) return;
  const noted = { ...annotations, [ACCOUNT_UID]: account.metadata.uid };
  store.change<StoredSecret>('secrets', { namespace, name }, 'object', (stored) => {
    return { ...stored, data: filled, metadata: { ...stored.metadata, annotations: noted } };
  });
}
