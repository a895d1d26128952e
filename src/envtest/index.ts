/** podrun in the place of the binaries of envtest. */
export { writeAssets } from './assets/write-assets.ts';
export { ENVTEST_MODES, modeIn } from './base/mode.ts';
export { suiteVersion } from './base/suite-version.ts';
