import type { ServerRoute } from '../../apiserver/index.ts';
import { groupsOf } from '../discovery/served-groups.ts';
import { HEALTH_PATHS } from './health.ts';
import { ISSUER_PATHS } from './issuer.ts';

/** The pages that come with neither a group nor a check. */
const PAGES = ['/api', '/apis', '/apis/', '/metrics', '/metrics/slis', '/openapi/v2', '/openapi/v3', '/openapi/v3/'];

/** `/`: what there is. */
export const ROOT_ROUTE: ServerRoute = {
  path: '/',
  answer: (_request, context) => {
    const groups = groupsOf(context).flatMap(({ name, versions }) => {
      if (name === '') return versions.map(({ version }) => `/api/${version}`);
      return [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)];
    });
    const paths = [...groups, ...PAGES, ...HEALTH_PATHS, ...ISSUER_PATHS, '/version'];
    return { object: { paths: paths.toSorted() } };
  },
};
