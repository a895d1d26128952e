/** The API of Kubernetes over HTTP. */
export { claimServer, type ServerClaim } from './claim-server.ts';
export { dashboardOf } from './dashboard/dashboard-of.ts';
export { type ApiServer, type ApiServerOptions, openApiServer } from './open-server.ts';
export { serveCluster, type ServeOptions, type ServeOutcome, type ServingServer } from './serve.ts';
