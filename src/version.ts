/** Set by the build from package.json (build.mjs; for the tests vitest.config.ts). */
declare const PODRUN_VERSION: string;

/** The version of Kubernetes whose behaviour podrun shows. */
export const KUBERNETES_VERSION = 'v1.36.2';

/** The version of podrun, for example `1.0.0`. */
export const version: string = PODRUN_VERSION;
