/** The API of Kubernetes over HTTP. */
export { type ApiServer, type ApiServerOptions, openApiServer } from './open-server.ts';
export { serveCluster, type ServeOptions, type ServeOutcome } from './serve.ts';
