import { mkdirSync } from 'node:fs';
import { chooseRuntime, Run, runNetworks, runSettings, runtimeChoice, UNWATCHED } from '../../engine/index.ts';
import type { Clock } from '../../clock.ts';
import { localProcesses } from '../../runtime/index.ts';
import { type ApiServer, type ApiServerOptions, openApiServer, type ServerClaim } from '../../server/index.ts';
import { type LoneServer, LoneStore } from '../../apiserver/index.ts';
import { credentialsFile, FileStore, type RecordPlace, serverFolder, writeFileAtomically } from '../../store/index.ts';
import type { EnvtestMode } from '../base/mode.ts';

/** The parts of a server that its flags do not name. */
export interface ApiPlan extends Pick<
  ApiServerOptions,
  'auditLog' | 'authorization' | 'descriptionsFile' | 'dialect' | 'host' | 'port' | 'report'
> {
  /** The folder of Pods, and of what is written for them. */
  readonly root: string;
  /** The other objects. No other process may know them. */
  readonly records: RecordPlace;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly mode: EnvtestMode;
  readonly lone: LoneServer;
  readonly identity: NonNullable<ApiServerOptions['identity']>;
}

/** Nothing beside this process knows the folder of the objects. */
const NO_CLAIM: ServerClaim = {
  lastPort: undefined,
  recordUrl: () => undefined,
  ends: () => undefined,
  release: () => undefined,
};

/**
 * Opens the API server of podrun for a test suite.
 * @throws {PodrunError} when the server cannot listen, or the folder cannot be written
 */
export async function openTestApi({ root, records, clock, env, mode, lone, ...given }: ApiPlan): Promise<ApiServer> {
  const options = { ...given, clock, claim: NO_CLAIM };
  const place = { root, records, clock, processes: localProcesses };
  const store = mode === 'api' ? new LoneStore(place, lone) : new FileStore(place);
  mkdirSync(serverFolder(root), { recursive: true, mode: 0o700 });
  if (mode === 'api') return openApiServer({ ...options, store });
  // Pods get tokens that are signed with this key.
  writeFileAtomically(credentialsFile(root), JSON.stringify({ server: { key: given.identity.signingKey } }));
  const run = await openRun(store, { clock, env, mode, report: given.report });
  const server = await openApiServer({ ...options, store, node: run.asNode() });
  const close = async (): Promise<void> => {
    await server.close();
    await run.end({ force: true });
  };
  return { ...server, close };
}

/** A run in this process, with what every machine permits: the network and the programs of this machine. */
async function openRun(
  store: FileStore,
  { clock, env, mode, report }: Pick<ApiPlan, 'clock' | 'env' | 'mode' | 'report'>,
): Promise<Run> {
  const place = { stateDir: store.root, clock, userPath: env['PATH'] };
  const variable = env['PODRUN_RUNTIME'];
  const { features } = await chooseRuntime(runtimeChoice({ flag: undefined, variable, file: undefined }), place);
  const choices = {
    config: undefined,
    cwd: process.cwd(),
    env: { ...env },
    images: { commandLine: [], configFile: [] },
    imageSource: 'host',
    network: 'host',
  } as const;
  const request = { hasNamespaces: features.tier === 'namespace', objects: [] };
  const { networks } = await runNetworks(choices, request, place);
  const settings = { ...runSettings(choices), features, privateNetworks: networks };
  return Run.start({
    objects: { pods: [], workloads: [] },
    nodes: [],
    settings: () => settings,
    store,
    clock,
    isServing: true,
    holdsPods: mode === 'controllers',
    owner: { command: 'envtest' },
    listener: { ...UNWATCHED, onTrouble: report },
  });
}
