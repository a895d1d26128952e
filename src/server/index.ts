/** The API of Kubernetes over HTTP. */
export { openDashboard } from './dashboard/open-dashboard.ts';
export { readServerAddress } from './dashboard/server-address.ts';
export { type ApiServer, type ApiServerOptions, openApiServer } from './open-server.ts';
export { serveCluster, type ServeOptions, type ServeOutcome } from './serve.ts';
