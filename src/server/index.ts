/** The API of Kubernetes over HTTP. */
export { ApiClient, messageOf } from './beside/api-client.ts';
export type { ApplyListener, ApplyObjects, ObjectToApply } from './beside/apply-objects.ts';
export { type ApiBeside, type BesideOptions, meet, openBeside } from './open-beside.ts';
export { claimServer, type ServerClaim } from './claim-server.ts';
export { dashboardOf } from './dashboard/dashboard-of.ts';
export type { DashboardFacts } from './dashboard/open-dashboard.ts';
export { type CertificateAuthority, type KeyPair, makeAuthority, makeCertificates } from './http/certificates.ts';
export { kubeconfigText } from './http/kubeconfig.ts';
export { type ApiServer, type ApiServerOptions, openApiServer, type ServerIdentity } from './open-server.ts';
export { serveCluster, type ServeOptions, type ServeOutcome, type ServingServer } from './serve.ts';
