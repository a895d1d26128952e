import { usage } from '../../api/index.ts';

/** The word with which the launcher runs the program of etcd in place of the command line. Only scripts say it. */
export const ETCD_COMMAND = 'run-etcd';

/** The variable of the environment that names the mode of a suite. */
const MODE_VARIABLE = 'PODRUN_ENVTEST';

/**
 * The parts of a cluster behind the API server. `api`: none, as in envtest. `controllers`: all controllers, but no
 * node. `run`: controllers, and this machine as a node that runs Pods.
 */
export type EnvtestMode = (typeof ENVTEST_MODES)[number];

/** The modes, as words. */
export const ENVTEST_MODES = ['api', 'controllers', 'run'] as const;

/** The words for a mode in a message. Empty: the mode of envtest itself. */
export function withMode(mode: EnvtestMode): string {
  return mode === 'api' ? '' : ` with ${MODE_VARIABLE}=${mode}`;
}

/**
 * The mode that the environment names.
 * @throws {PodrunError} (usage) for another one
 */
export function modeIn(env: NodeJS.ProcessEnv): EnvtestMode {
  const text = env[MODE_VARIABLE] ?? '';
  const mode = text === '' ? 'api' : ENVTEST_MODES.find((each) => each === text);
  if (mode !== undefined) return mode;
  throw usage(`invalid ${MODE_VARIABLE} ${JSON.stringify(text)}`, `Use one of ${ENVTEST_MODES.join(', ')}.`);
}
