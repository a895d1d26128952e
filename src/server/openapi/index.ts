/** OpenAPI v3 and v2: what kubectl validates, patches and explains by. */
export { openapiRoutes } from './routes.ts';
