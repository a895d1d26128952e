import type { ConfigMap, PodSpec, ServiceAccountTokenProjection } from '../../api/index.ts';

/** The ConfigMap that a cluster puts into every namespace. Source: pkg/controller/certificates/rootcacertpublisher. */
const ROOT_CA = 'kube-root-ca.crt';
const NO_SERVER = 'podrun has no API server, so there is none';
const TOKEN_SECONDS = 3600;

/**
 * The text in place of a service account token, which cannot be mistaken for a token. No server would accept a token
 * made by podrun, but a program may need the file to start.
 */
export function tokenStub(token: ServiceAccountTokenProjection, spec: PodSpec): string {
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
export function tokenMode({ securityContext = {} }: PodSpec, defaultMode: number): number {
  return securityContext.runAsUser === undefined && securityContext.fsGroup === undefined ? defaultMode : 0o600;
}

/** The ConfigMap of this name that every namespace of a cluster has. Undefined for other names. */
export function clusterConfigMap(name: string): ConfigMap | undefined {
  if (name !== ROOT_CA) return undefined;
  const text = `This is not a certificate: ${NO_SERVER}.\nIn a cluster, the API server's CA certificates are here.\n`;
  return { metadata: { name }, data: { 'ca.crt': text } };
}
