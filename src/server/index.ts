/** The API of Kubernetes over HTTP. */
export { type ApiServer, type ApiServerOptions, openApiServer } from './open-server.ts';
