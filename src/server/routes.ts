import type { ApiAnswer, ServerRoute } from '../apiserver/index.ts';
import { coreVersions, namedGroups, oneGroup, resourcesOfVersion } from './discovery/documents.ts';
import { KUBERNETES_VERSION } from '../version.ts';

const health = (): ApiAnswer => ({ text: 'ok', type: 'text/plain; charset=utf-8' });

/** Source: apimachinery/pkg/version/types.go. */
function versionAnswer(): ApiAnswer {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(KUBERNETES_VERSION) ?? [];
  return {
    object: {
      major,
      minor,
      gitVersion: KUBERNETES_VERSION,
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
  { method: 'GET', path: '/healthz', isPublic: true, answer: health },
  { method: 'GET', path: '/livez', isPublic: true, answer: health },
  { method: 'GET', path: '/readyz', isPublic: true, answer: health },
  { method: 'GET', path: '/version', isPublic: true, answer: versionAnswer },
  { method: 'GET', path: '/api', answer: coreVersions },
  { method: 'GET', path: '/api/:version', answer: resourcesOfVersion },
  { method: 'GET', path: '/apis', answer: namedGroups },
  { method: 'GET', path: '/apis/:group', answer: oneGroup },
  { method: 'GET', path: '/apis/:group/:version', answer: resourcesOfVersion },
];
