/** The API of Kubernetes over HTTP. */
export type { ApplyListener, ApplyObjects, ObjectToApply } from './beside/apply-objects.ts';
export { type ApiBeside, type BesideOptions, meet, openBeside } from './open-beside.ts';
export { claimServer, type ServerClaim } from './claim-server.ts';
export { dashboardOf } from './dashboard/dashboard-of.ts';
export type { DashboardFacts } from './dashboard/open-dashboard.ts';
export { makeCertificates } from './http/certificates.ts';
export { type ApiServer, type ApiServerOptions, openApiServer, type ServerIdentity } from './open-server.ts';
export { serveCluster, type ServeOptions, type ServeOutcome, type ServingServer } from './serve.ts';
