/** OpenAPI v3: what kubectl validates, patches and explains by. */
export { openapiRoutes } from './routes.ts';
