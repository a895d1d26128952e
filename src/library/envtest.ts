import path from 'node:path';
import { PodrunError, usage } from '../api/index.ts';
import { SystemClock } from '../clock.ts';
import { modeIn, suiteVersion } from '../envtest/index.ts';
import type { Envtest, EnvtestOptions, EnvtestUser } from './base/envtest-types.ts';
import { withLibraryErrors } from './base/library-errors.ts';
import { checkEnvtestOptions, userProblem } from './base/options.ts';
import { inputsOf, manifestError, withoutPlaces } from './load.ts';
import { callListener } from './output.ts';
import { asyncDispose } from './pods/listener-set.ts';

/** Set by the build: see serve.ts. */
declare const DESCRIPTIONS: string;

/**
 * Opens an API server for a test suite in this process, as envtest of controller-runtime does it for Go: with the API
 * alone, or with controllers, or with Pods that run. It ends with the block of `await using`, with `close()`, and with
 * this process.
 *
 * @example
 * await using api = await envtest({ crds: 'config/crd' });
 * const config = new KubeConfig();
 * config.loadFromFile(api.kubeconfig);
 *
 * @throws {ManifestError} with all mistakes in the definitions and webhooks; nothing is left of the server
 * @throws {PodrunError} for a wrong option
 */
export function envtest(options: EnvtestOptions = {}): Promise<Envtest> {
  return withLibraryErrors(() => open(options));
}

async function open(options: EnvtestOptions): Promise<Envtest> {
  checkEnvtestOptions(options);
  const { mode = modeIn(process.env), crds = [], webhooks = [], users = [], onWarning } = options;
  const cwd = options.cwd ?? process.cwd();
  const { startSuite } = await import('../envtest/suite/start-suite.ts');
  const suite = await startSuite({
    mode,
    dialect: suiteVersion(process.env, options.version),
    clock: new SystemClock(),
    env: process.env,
    descriptionsFile: path.join(path.dirname(import.meta.filename), DESCRIPTIONS),
    report: (line) => callListener(onWarning, withoutPlaces(line)),
    crds: inputsOf(crds, cwd, 'envtest'),
    webhooks: inputsOf(webhooks, cwd, 'envtest'),
  });
  if (!suite.ok) throw manifestError(suite.mistakes);
  const { api, webhookServer } = suite;
  const known = new Map<string, EnvtestUser>([[api.admin.name, api.admin]]);
  const addUser = async (name: string, groups: readonly string[] = []): Promise<EnvtestUser> => {
    const problem = userProblem(name, groups);
    if (problem !== undefined) throw usage(problem);
    const user = await api.addUser(name, groups);
    known.set(name, user);
    return user;
  };
  for (const { name, groups } of users) await addUser(name, groups);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= withLibraryErrors(() => api.close()));
  const { url, ca, token, admin } = api;
  const made: Envtest = {
    url,
    ca,
    token,
    kubeconfig: admin.kubeconfig,
    webhookServer,
    user: (name) => known.get(name) ?? unknownUser(name, known),
    addUser: (name, groups) => withLibraryErrors(() => addUser(name, groups)),
    close,
    [Symbol.asyncDispose]: close,
  };
  return Object.defineProperty(made, asyncDispose, { value: close });
}

function unknownUser(name: string, known: ReadonlyMap<string, EnvtestUser>): never {
  throw new PodrunError('NotFound', `envtest() has no user "${name}", but ${[...known.keys()].join(', ')}`);
}
