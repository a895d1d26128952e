import type { Clock } from '../clock.ts';
import type { FileStore } from '../store/file-store.ts';
import { ServiceTokens, userOfAccount } from './access/service-tokens.ts';
import { endNamespaces } from './cluster/end-namespaces.ts';
import { keepStandingObjects, nodeShape, registerNode } from './cluster/standing-objects.ts';
import type { AuthorizationMode, ServerContext } from './context.ts';
import { followDefinitions } from './custom/index.ts';
import { answerRequest, answerUpgrade, type Answering } from './http/answer-request.ts';
import { ADMIN, isSameSecret } from './http/authenticate.ts';
import { openCredentials } from './http/credentials.ts';
import { writeKubeconfig } from './http/kubeconfig.ts';
import { listenForApi } from './http/listen.ts';
import { RequestRouter } from './http/route-request.ts';
import type { NodeHands } from './node-hands.ts';
import type { ApiUser } from './request.ts';
import { openapiRoutes } from './openapi/index.ts';
import { ResourceTable } from './resources/resource-table.ts';
import { SERVER_ROUTES } from './routes.ts';
import { ServedObjects } from './state/served-objects.ts';

export interface ApiServerOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The address to listen at. Default: loopback. */
  readonly host?: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  readonly authorization?: AuthorizationMode | undefined;
  /** Runs Pods. Undefined: nobody does. */
  readonly node?: NodeHands | undefined;
  /** `descriptions.json` beside the built program: Kubernetes' descriptions of its fields. */
  readonly descriptionsFile: string;
  /** Writes a line to the log of the server. */
  readonly report: (line: string) => void;
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
  readonly close: () => Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const HOST_NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/**
 * Serves the store as the API of Kubernetes.
 * @throws {PodrunError} when the port is taken, or the state folder cannot be written
 */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, host = LOOPBACK, port, authorization = 'always-allow', node, report } = options;
  const addresses = [...new Set([LOOPBACK, host])];
  const { ca, server: pair, token } = await openCredentials(store.root, clock, { names: HOST_NAMES, addresses });
  const resources = new ResourceTable();
  const objects = new ServedObjects(store);
  registerNode(store);
  for (const { storage, isNamespaced } of resources.all) {
    const shape = storage === 'nodes' ? nodeShape(store, clock) : undefined;
    if (storage !== '') objects.keep(storage, { isNamespaced, shape });
  }
  const end = new AbortController();
  const config = { url: '', caCertificate: ca, authorization };
  const tokens = new ServiceTokens(pair.key);
  const shared = { store, clock, objects, resources, node, config, tokens };
  const context: ServerContext = { ...shared, signal: end.signal, report };
  const standing = [followDefinitions(context), keepStandingObjects(context), endNamespaces(context)];
  const answering: Answering = {
    context,
    router: new RequestRouter(resources, [...SERVER_ROUTES, ...openapiRoutes(options.descriptionsFile)]),
    readToken: (given) => (isSameSecret(given, token) ? ADMIN : accountOf(given, context)),
  };
  const listening = await listenForApi({
    pair,
    host,
    port,
    onRequest: (raw, response) => void answerRequest(answering, raw, response),
    onUpgrade: (raw, socket, head) => void answerUpgrade(answering, raw, socket, head),
  });
  const url = `https://${host}:${listening.port}`;
  config.url = url;
  const kubeconfig = writeKubeconfig(store.root, { url, ca, token });
  return {
    url,
    ca,
    token,
    kubeconfig,
    close: async () => {
      end.abort();
      for (const each of standing) each.close();
      await listening.close();
      objects.close();
    },
  };
}

/** The user of a token of a ServiceAccount that exists. */
function accountOf(token: string, { tokens, clock, objects }: ServerContext): ApiUser | undefined {
  const subject = tokens.read(token, clock.now().wallMs);
  if (subject === undefined) return undefined;
  const account = objects.get('serviceaccounts', subject.namespace, subject.name);
  return account?.metadata.uid === subject.uid ? userOfAccount(subject) : undefined;
}
