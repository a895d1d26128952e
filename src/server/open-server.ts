import { setMaxListeners } from 'node:events';
import type { Server } from 'node:net';
import { inBackground } from '../defects.ts';
import { PodrunError, type StoredService } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import type { FileStore, Subscription } from '../store/index.ts';
import {
  accountOfToken,
  ADMIN,
  AggregatedTable,
  type ApiUser,
  ApiService,
  type AuthorizationMode,
  BUILT_IN_RESOURCES,
  compactHistory,
  type Dialect,
  endNamespaces,
  expireEvents,
  followApiServices,
  followDefinitions,
  type FrontProxy,
  GarbageCollector,
  isSameSecret,
  isServedIn,
  keepAuthenticationConfig,
  keepCounts,
  keepDefaultAccess,
  keepLocalApiServices,
  keepNodeHeartbeat,
  keepOwnParts,
  keepStandingObjects,
  loneOf,
  NEWEST_DIALECT,
  type NodeClient,
  nodeShape,
  ownVerdict,
  autoscalerApiOf,
  registerNode,
  ResourceTable,
  type ServerConfig,
  ServedObjects,
  type ServerContext,
  type ServerRoute,
  ServiceTokens,
  showDns,
  StatusError,
  storeFirstObjects,
  type TokenIssuer,
  type TokenReader,
} from '../apiserver/index.ts';
import { machineAddress, ROUTER } from '../network/index.ts';
import type { ServerClaim } from './claim-server.ts';
import { answerRequest, answerUpgrade, type RequestParts } from './answer-request.ts';
import { AuditLog } from './http/audit.ts';
import { type Credentials, openCredentials } from './http/credentials.ts';
import { writeKubeconfig } from './http/kubeconfig.ts';
import { type ApiListener, listenForApi, type ListenOptions } from './http/listen.ts';
import { RequestRouter } from './http/route-request.ts';
import { openapiRoutes } from './openapi/index.ts';
import { metricsRoutes } from './pages/metrics-page.ts';
import { RequestCounts } from './http/request-counts.ts';
import { SERVER_ROUTES } from './routes.ts';

export interface ApiServerOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The address to listen at. Default: loopback. */
  readonly host?: string | undefined;
  /** 0: any free port. Undefined: the port of the last server of this state folder, if it is free. */
  readonly port: number | undefined;
  /** The right to serve this state folder. */
  readonly claim: ServerClaim;
  /** Default: `rbac`. */
  readonly authorization?: AuthorizationMode | undefined;
  /** The version of Kubernetes that clients see. Default: the newest. */
  readonly dialect?: Dialect | undefined;
  /** Runs Pods. Undefined: objects are only stored. */
  readonly node?: NodeClient | undefined;
  /** The certificates and users. Undefined: those in the state folder, which are made at the first start. */
  readonly identity?: ServerIdentity | undefined;
  /** `descriptions.json` beside the built program: Kubernetes' descriptions of its fields. */
  readonly descriptionsFile: string;
  /** The file for a record of all requests. Undefined: there is none. */
  readonly auditLog?: string | undefined;
  /** Writes a line to the log of the server. */
  readonly report: (line: string) => void;
}

/** The certificates of a server, and the users that it knows beside its administrator. */
export interface ServerIdentity extends Omit<Credentials, 'frontProxy'> {
  readonly frontProxy: FrontProxy | undefined;
  /** See ServerConfig. */
  readonly clientCa: string | undefined;
  /** See ServerConfig. */
  readonly refusesAnonymous: boolean;
  /** The private key that signs the tokens of ServiceAccounts, PEM. */
  readonly signingKey: string;
  readonly issuer?: TokenIssuer | undefined;
  /** Further users, by their tokens. */
  readonly users: ReadonlyMap<string, ApiUser>;
}

/** A server that listens. */
export interface ApiServer {
  readonly url: string;
  /** The certificate of its CA, PEM. */
  readonly ca: string;
  /** The token of the administrator. */
  readonly token: string;
  /** The file for `KUBECONFIG`. */
  readonly kubeconfig: string;
  /** Resolves when Pods reach the server, or cannot reach it. */
  readonly isReached: Promise<void>;
  readonly close: () => Promise<void>;
}

const OPEN_TO_ALL = 'authorization always-allow: every token, also the token of a Pod, may do all that podrun may';
const LOOPBACK = '127.0.0.1';
const ANY_ADDRESS = '0.0.0.0';
const HOST_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/**
 * Serves the store as the API of Kubernetes.
 * @throws {PodrunError} when the port is taken, or the state folder cannot be written
 */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, claim, host = LOOPBACK, port, authorization = 'rbac', node, report } = options;
  const { dialect = NEWEST_DIALECT } = options;
  const hasService = node !== undefined || loneOf(store) !== undefined;
  const service = hasService ? new ApiService(store).open() : undefined;
  const identity = options.identity ?? (await ownIdentity(store.root, clock, [host, ...addressesOf(service)]));
  const { ca, server: pair, token, clientCa } = identity;
  const resources = new ResourceTable(BUILT_IN_RESOURCES.filter((resource) => isServedIn(dialect, resource)));
  registerNode(store, node);
  storeFirstObjects({ store, clock, resources });
  const objects = keptObjects(store, clock);
  const end = new AbortController();
  const closed = new AbortController();
  // One for each watch, or call of a webhook, that is open: there may be many.
  setMaxListeners(0, end.signal, closed.signal);
  const config = configOf(identity, { authorization, dialect, descriptionsFile: options.descriptionsFile });
  const tokens = new ServiceTokens(identity.signingKey, identity.issuer);
  const shared = { store, clock, objects, resources, aggregated: new AggregatedTable(), node, config, tokens };
  const userOf = tokenReader(identity, shared);
  const context: ServerContext = { ...shared, userOf, signal: end.signal, closed: closed.signal, report };
  const standing = standingWork(context);
  const audit = auditOf(options);
  const counts = new RequestCounts();
  const parts: RequestParts = {
    context,
    router: new RequestRouter(resources, pagesOf(options, counts)),
    listeners: { clock, audit, counts },
  };
  const onRequest: ListenOptions['onRequest'] = (raw, response) =>
    inBackground(answerRequest(parts, raw, response), response);
  const onUpgrade: ListenOptions['onUpgrade'] = (raw, socket, head) =>
    inBackground(answerUpgrade(parts, raw, socket, head), socket);
  const stop = (): void => {
    for (const each of standing) each.close();
    objects.close();
    audit?.close();
  };
  const place = { pair, clientCa, clock, host, port, onRequest, onUpgrade };
  const listening = await listenWhereExpected(place, claim.lastPort, report).catch((error: unknown) => {
    end.abort();
    stop();
    throw error;
  });
  if (authorization === 'always-allow') report(OPEN_TO_ALL);
  const url = `https://${host}:${listening.port}`;
  config.url = url;
  const kubeconfig = writeKubeconfig(store.root, { url, ca, token });
  claim.recordUrl(url);
  node?.serveAutoscalers(autoscalerApiOf(context));
  standing.push({ close: () => node?.serveAutoscalers(undefined) });
  const way = node && leadPodsHere(node, context, { service, host, listening });
  if (loneOf(store) !== undefined) new ApiService(store).leadTo({ address: host, port: listening.port });
  if (way !== undefined) standing.push(way);
  return {
    isReached: way?.isOpen ?? Promise.resolve(),
    url,
    ca,
    token,
    kubeconfig,
    close: async () => {
      claim.ends();
      end.abort();
      await listening.close();
      closed.abort(new StatusError({ code: 503, reason: 'ServiceUnavailable', message: 'the server has closed' }));
      stop();
    },
  };
}

/** The objects of all kinds of Kubernetes, also of kinds that are not served. */
function keptObjects(store: FileStore, clock: Clock): ServedObjects {
  const objects = new ServedObjects(store);
  for (const { storage, isNamespaced } of BUILT_IN_RESOURCES) {
    const shape = storage === 'nodes' ? nodeShape(store, clock) : undefined;
    if (storage !== '') objects.keep(storage, { isNamespaced, shape });
  }
  return objects;
}

/** The identity of the server of a state folder: its administrator has a token, and so have ServiceAccounts. */
async function ownIdentity(root: string, clock: Clock, hosts: readonly string[]): Promise<ServerIdentity> {
  const certified = { names: HOST_NAMES, addresses: [...new Set([LOOPBACK, ...hosts])] };
  const credentials = await openCredentials(root, clock, certified);
  const signingKey = credentials.server.key;
  return { ...credentials, signingKey, clientCa: undefined, refusesAnonymous: false, users: new Map() };
}

/** The facts for handlers, before the server has a URL. */
function configOf(
  { ca, clientCa, frontProxy, refusesAnonymous }: ServerIdentity,
  given: Pick<ServerConfig, 'authorization' | 'descriptionsFile' | 'dialect'>,
): ServerConfig & { url: string } {
  return { ...given, url: '', caCertificate: ca, clientCa, frontProxy, refusesAnonymous };
}

function auditOf({ auditLog, clock, report }: ApiServerOptions): AuditLog | undefined {
  if (auditLog === undefined) return undefined;
  return new AuditLog(auditLog, clock, (error) => report(`audit log: ${error.message}`));
}

/** The pages beside the API of objects. */
function pagesOf({ descriptionsFile }: ApiServerOptions, counts: RequestCounts): ServerRoute[] {
  return [...SERVER_ROUTES, ...metricsRoutes(counts), ...openapiRoutes(descriptionsFile)];
}

/** Begins the work that the server does by itself. It ends with the server. */
function standingWork(context: ServerContext): Subscription[] {
  const lone = loneOf(context.store);
  return [
    followDefinitions(context),
    keepLocalApiServices(context),
    followApiServices(context),
    keepStandingObjects(context),
    keepDefaultAccess(context),
    keepAuthenticationConfig(context),
    compactHistory(context.objects, context.clock),
    keepOwnParts(context),
    expireEvents(context),
    ...(lone === undefined ? [endNamespaces(context), keepCounts(context), new GarbageCollector(context)] : []),
    ...(context.node?.runsPods === true ? [keepNodeHeartbeat(context), showDns(context)] : []),
  ];
}

/**
 * Listens at the port that the user has chosen, else at the port of the last server, where its clients look for this
 * one. Where another program has taken that, at any other port.
 * @throws {PodrunError} when the server cannot listen
 */
async function listenWhereExpected(
  { port, ...options }: Omit<ListenOptions, 'port'> & { readonly port: number | undefined },
  lastPort: number | undefined,
  report: (line: string) => void,
): Promise<ApiListener> {
  if (port !== undefined || lastPort === undefined) return listenForApi({ ...options, port: port ?? 0 });
  try {
    return await listenForApi({ ...options, port: lastPort });
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const listening = await listenForApi({ ...options, port: 0 });
    report(`${error.message}; the port is ${listening.port} now: read the kubeconfig again`);
    return listening;
  }
}

/** Reads tokens: of the administrator, of users in a file, and of ServiceAccounts. */
function tokenReader(
  { token, users }: Pick<ServerIdentity, 'token' | 'users'>,
  parts: Parameters<typeof accountOfToken>[1],
): TokenReader {
  const { issuer } = parts.tokens;
  const known = [[token, ADMIN] as const, ...users];
  return (given, audiences) => {
    const [, user] = known.find(([own]) => isSameSecret(given, own)) ?? [];
    return user === undefined ? accountOfToken(given, parts, audiences) : ownVerdict(user, issuer, audiences);
  };
}

/** The addresses at which Pods find the server. */
function addressesOf(service: StoredService | undefined): string[] {
  const { clusterIP } = service?.spec ?? {};
  return clusterIP === undefined ? [] : [machineAddress(clusterIP), clusterIP, ROUTER];
}

interface PodsWay {
  /** The Service `kubernetes`. Undefined: it is one of the user, which leads elsewhere. */
  readonly service: StoredService | undefined;
  readonly host: string;
  readonly listening: ApiListener;
}

/** Leads Pods to the server: by the Service `kubernetes`, and in networks of their own by a socket there. */
function leadPodsHere(
  node: NodeClient,
  { store, report }: ServerContext,
  { service, host, listening }: PodsWay,
): Subscription & { readonly isOpen: Promise<void> } {
  if (service === undefined) return { close: () => undefined, isOpen: Promise.resolve() };
  const record = new ApiService(store);
  let isClosed = false;
  const serve = (listener: Server): void => void (isClosed ? listener.close() : listening.alsoAt(listener));
  node.took(service);
  const onTrouble = (error: Error): void => report(`Pods do not reach the server: ${error.message}`);
  const follow = record.follow(node.took, onTrouble);
  const isOpen = node.serveApi({ address: machineAddress(service.spec?.clusterIP ?? ''), serve }).then(
    (place) => {
      const here = { address: host === ANY_ADDRESS ? LOOPBACK : host, port: listening.port };
      if (!isClosed) record.leadTo(place ?? here);
    },
    (error: Error) => {
      if (!isClosed) onTrouble(error);
    },
  );
  return {
    isOpen,
    close: () => {
      isClosed = true;
      follow.close();
      record.close();
    },
  };
}
