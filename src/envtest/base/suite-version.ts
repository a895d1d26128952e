import { type Dialect, dialectOf, NEWEST_DIALECT } from '../../apiserver/index.ts';

/** The variable of the environment that names the version of Kubernetes. The scripts of a folder set it for etcd. */
export const VERSION_VARIABLE = 'PODRUN_ENVTEST_VERSION';

/**
 * The version of Kubernetes that a suite sees.
 * @param flag as the user has written it. Undefined: the environment names the version, or it is the newest
 * @throws {PodrunError} (usage) for a version that podrun does not stand for
 */
export function suiteVersion(env: NodeJS.ProcessEnv, flag?: string): Dialect {
  const text = flag ?? (env[VERSION_VARIABLE] || undefined);
  return text === undefined ? NEWEST_DIALECT : dialectOf(text);
}
