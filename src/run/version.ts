/** Put in by the build, from package.json (build.mjs; for the tests vitest.config.ts). */
declare const PODRUN_VERSION: string;

/** Version of podrun, for example `0.1.0`. */
export const version: string = PODRUN_VERSION;
