import path from 'node:path';
import { usage } from '../api/index.ts';
import { SystemClock } from '../clock.ts';
import { chooseRuntime, Run, runtimeChoice, UNWATCHED } from '../engine/index.ts';
import { FOR_CLIENTS } from '../network/index.ts';
import type { ServerClaim } from '../server/index.ts';
import { readConfigFile } from '../settings/index.ts';
import type { FileStore } from '../store/index.ts';
import { withLibraryErrors } from './base/library-errors.ts';
import { checkOptions } from './base/options.ts';
import { openStateFolder } from './base/state-folder.ts';
import type { RunOptions } from './base/types.ts';
import { callListener } from './output.ts';
import { asyncDispose } from './pods/listener-set.ts';
import { type CheckedRun, settingsOfRun } from './run-settings.ts';

/** Set by the build: the path of dist/descriptions.json, from the file with this code. */
declare const DESCRIPTIONS: string;

/**
 * Serves the API of Kubernetes in this process, which runs the Pods that clients create. They end with the block of
 * `await using`, with `close()`, and with this process, however it ends.
 *
 * @example
 * await using server = await serve();
 * const config = new KubeConfig();
 * config.loadFromFile(server.kubeconfig);
 *
 * @throws {PodrunError} for a wrong option, or one that this machine cannot fulfil
 */
export function serve(options: KubernetesServerOptions = {}): Promise<KubernetesServer> {
  return withLibraryErrors(() => start(options));
}

async function start({
  port,
  authorization,
  auditLog,
  ...options
}: KubernetesServerOptions): Promise<KubernetesServer> {
  checkOptions(options, 'serve');
  const isPort = port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535);
  if (!isPort) throw usage('option port of serve() must be a port number');
  const cwd = options.cwd ?? process.cwd();
  const file = typeof options.config === 'string' ? options.config : undefined;
  const config = options.config === false ? undefined : readConfigFile({ cwd, path: file });
  const clock = new SystemClock();
  const warn = (text: string): void => callListener(options.onWarning, text);
  const stateFolder = openStateFolder(options.stateDir, clock);
  const { store } = stateFolder;
  let claim: ServerClaim | undefined;
  let run: Run | undefined;
  const end = async (): Promise<void> => {
    await run?.end({ force: false });
    claim?.release();
    stateFolder.close();
  };
  try {
    const { claimServer, openApiServer } = await import('../server/index.ts');
    claim = await claimServer(store.root, clock);
    run = await openRun({ options, clock, cwd, config, warn, warnings: [] }, store);
    const server = await openApiServer({
      store,
      clock,
      claim,
      port,
      authorization,
      auditLog,
      descriptionsFile: path.join(path.dirname(import.meta.filename), DESCRIPTIONS),
      report: warn,
      node: run.asNode(),
    });
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> =>
      (closed ??= withLibraryErrors(async () => {
        await server.close();
        await end();
      }));
    const { url, ca, token, kubeconfig } = server;
    const made = { url, ca, token, kubeconfig, close, [Symbol.asyncDispose]: close };
    return Object.defineProperty(made, asyncDispose, { value: close });
  } catch (error) {
    await end();
    throw error;
  }
}

async function openRun(prepared: CheckedRun, store: FileStore): Promise<Run> {
  const { options, config, clock, warn } = prepared;
  const variable = process.env['PODRUN_RUNTIME'];
  const choice = runtimeChoice({ flag: options.runtime, variable, file: config?.runtime });
  const chosen = await chooseRuntime(choice, { stateDir: store.root, clock, userPath: process.env['PATH'] });
  const settings = await settingsOfRun(prepared, chosen, store.root, [], FOR_CLIENTS);
  return Run.start({
    objects: { pods: [], workloads: [] },
    nodes: settings.nodes,
    settings: () => settings,
    store,
    clock,
    isServing: true,
    owner: { command: 'serve()' },
    listener: { ...UNWATCHED, onTrouble: warn },
  });
}

/** The options of a server. Options of `run` mean the same for its Pods. */
export interface KubernetesServerOptions extends Pick<
  RunOptions,
  | 'backoff'
  | 'config'
  | 'cwd'
  | 'images'
  | 'imageSource'
  | 'ingressPorts'
  | 'isolate'
  | 'network'
  | 'networkHostAccess'
  | 'nodes'
  | 'onWarning'
  | 'proxy'
  | 'runtime'
  | 'seccompRoot'
  | 'stateDir'
> {
  /** The port to listen at, on 127.0.0.1; 0: a free one. Default: the last one of `stateDir`, if it is free. */
  readonly port?: number;
  /** `rbac`: users and Pods may do what Roles permit. `always-allow`: everything. Default: `rbac`. */
  readonly authorization?: 'rbac' | 'always-allow';
  /** A file for a line of JSON about each request. Default: none. */
  readonly auditLog?: string;
}

/** A server of the Kubernetes API, with one node: this process. */
export interface KubernetesServer extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** The certificate of the CA of the server, PEM. */
  readonly ca: string;
  /** The token of the administrator. */
  readonly token: string;
  /** The path of a kubeconfig, for `KUBECONFIG`. */
  readonly kubeconfig: string;
  /** Ends all Pods gracefully, and the server. */
  close(): Promise<void>;
}
