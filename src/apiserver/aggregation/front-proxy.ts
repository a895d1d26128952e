import { asBytes } from '../base/as-bytes.ts';
import type { ApiUser } from '../base/request.ts';

/**
 * The data of the ConfigMap that tells other API servers whom to believe.
 * @param frontProxyCa undefined: nothing but certificates of clients
 * Source: pkg/controlplane/controller/clusterauthenticationtrust.
 */
export function authenticationData(clientCa: string, frontProxyCa: string | undefined): Record<string, string> {
  const clients = { 'client-ca-file': clientCa };
  if (frontProxyCa === undefined) return clients;
  return {
    ...clients,
    'requestheader-allowed-names': JSON.stringify([FRONT_PROXY_CLIENT]),
    'requestheader-client-ca-file': frontProxyCa,
    'requestheader-extra-headers-prefix': JSON.stringify([EXTRA]),
    'requestheader-group-headers': JSON.stringify([GROUP]),
    'requestheader-uid-headers': JSON.stringify([UID]),
    'requestheader-username-headers': JSON.stringify([USER]),
  };
}

/** The common name in the certificate with which requests are passed on. Source: kubeadm. */
export const FRONT_PROXY_CLIENT = 'front-proxy-client';

const USER = 'X-Remote-User';
const UID = 'X-Remote-Uid';
const GROUP = 'X-Remote-Group';
const EXTRA = 'X-Remote-Extra-';

/**
 * The headers that say who a request is from.
 * Source: client-go/transport/round_trippers.go, SetAuthProxyHeaders.
 */
export function frontProxyHeaders({ name, uid = '', groups, extra = {} }: ApiUser): [name: string, value: string][] {
  const headers: [string, string][] = [
    [USER, name],
    ...(uid === '' ? [] : [[UID, uid] as [string, string]]),
    ...groups.map((group): [string, string] => [GROUP, group]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value): [string, string] => [EXTRA + escaped(key), value]),
    ),
  ];
  return headers.map(([header, value]) => [header, asBytes(value)]);
}

/** A key as a part of the name of a header: what no name may have is percent-encoded. */
function escaped(key: string): string {
  return asBytes(key.toLowerCase()).replaceAll(/[^\w!#$&'*+.^`|~-]/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
