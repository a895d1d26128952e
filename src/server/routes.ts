import { type ApiAnswer, namesEmulation, type ServerContext, type ServerRoute } from '../apiserver/index.ts';
import { coreVersions, namedGroups, oneGroup, resourcesOfVersion } from './discovery/documents.ts';
import { HEALTH_ROUTES } from './pages/health.ts';
import { ISSUER_ROUTES } from './pages/issuer.ts';
import { ROOT_ROUTE } from './pages/root.ts';

/** The oldest minor version of clients and nodes that fit, counted from the own one. */
const COMPATIBLE_BACK = 1;

/** Source: apimachinery/pkg/version/types.go. */
function versionAnswer(_: unknown, { config: { dialect } }: ServerContext): ApiAnswer {
  const major = '1';
  const minor = String(dialect.minor);
  const emulation = {
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(dialect.minor - COMPATIBLE_BACK),
  };
  return {
    object: {
      major,
      minor,
      ...(namesEmulation(dialect) && emulation),
      gitVersion: dialect.gitVersion,
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '',
      goVersion: '',
      compiler: '',
      platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    },
  };
}

/** The paths beside the paths of objects. */
export const SERVER_ROUTES: readonly ServerRoute[] = [
  ROOT_ROUTE,
  ...HEALTH_ROUTES,
  ...ISSUER_ROUTES,
  { method: 'GET', path: '/version', isPublic: true, answer: versionAnswer },
  { method: 'GET', path: '/api', answer: coreVersions },
  { method: 'GET', path: '/api/:version', answer: resourcesOfVersion },
  { path: '/apis', answer: namedGroups },
  { method: 'GET', path: '/apis/:group', answer: oneGroup },
  { method: 'GET', path: '/apis/:group/:version', answer: resourcesOfVersion },
];
