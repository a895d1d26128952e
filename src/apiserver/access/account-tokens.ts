import { readFileSync } from 'node:fs';
import type { ServiceAccountTokenProjection, StoredKubeObject, StoredPod } from '../../api/index.ts';
import { nodeRecord } from '../../settings/index.ts';
import { quietly } from '../../quietly.ts';
import { credentialsFile, type FileStore } from '../../store/index.ts';
import { type BoundObjects, ServiceTokens } from '../base/service-tokens.ts';

/** The part of its time after which the kubelet replaces a token. Source: pkg/kubelet/token/token_manager.go. */
const REFRESHED_AFTER = 0.8;
const HOUR_S = 3600;

/** A token for a file of a Pod. */
export interface AccountToken {
  readonly text: string;
  /** The time until it is to be replaced. */
  readonly refreshMs: number;
}

/**
 * A new token of the Pod's ServiceAccount, signed with the key of the API server of this state folder. Undefined: no
 * server has ever served the folder, or the ServiceAccount does not exist.
 */
export function accountToken(
  store: FileStore,
  { metadata, spec }: StoredPod,
  { audience, expirationSeconds = HOUR_S }: ServiceAccountTokenProjection,
): AccountToken | undefined {
  const key = quietly(() => serverKey(store.root));
  const { namespace } = metadata;
  const account = store.get<StoredKubeObject>('serviceaccounts', namespace, spec.serviceAccountName || 'default');
  if (key === undefined || account === undefined) return undefined;
  const { name, uid } = account.metadata;
  const pod = { name: metadata.name, uid: metadata.uid };
  const { nodeName = '' } = spec;
  const node = nodeName === '' ? undefined : { name: nodeName, uid: nodeRecord(store, nodeName)?.metadata?.uid };
  const text = new ServiceTokens(key).issue({ namespace, name, uid, pod, node }, audience ? [audience] : [], {
    nowMs: store.clock.now().wallMs,
    seconds: expirationSeconds,
  });
  return { text, refreshMs: expirationSeconds * 1000 * REFRESHED_AFTER };
}

/** The audiences and the end of a token. */
interface WantedToken {
  /** Empty: the API server. */
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound: BoundObjects;
}

/** A new token of a ServiceAccount. Undefined: no server has ever served the folder. */
export function accountTokenOf(
  store: FileStore,
  { metadata: { namespace, name, uid } }: StoredKubeObject,
  { audiences, seconds, bound }: WantedToken,
): string | undefined {
  const key = quietly(() => serverKey(store.root));
  if (key === undefined) return undefined;
  const nowMs = store.clock.now().wallMs;
  return new ServiceTokens(key).issue({ namespace, name, uid, ...bound }, audiences, { nowMs, seconds });
}

function serverKey(root: string): string {
  const { server } = JSON.parse(readFileSync(credentialsFile(root), 'utf8')) as { server: { key: string } };
  return server.key;
}
