import type { Clock } from '../../clock.ts';
import type { FileStore } from '../../store/index.ts';
import type { Dialect } from './dialects.ts';
import type { ServiceTokens } from './service-tokens.ts';
import type { NodeClient } from './node-client.ts';
import type { AggregatedTable } from '../resources/aggregated-table.ts';
import type { ResourceTable } from '../resources/resource-table.ts';
import type { ServedObjects } from '../state/served-objects.ts';
import type { ApiUser } from './request.ts';

/** The rule of permissions: a user may do what RBAC permits, or everybody with a token may do everything. */
export type AuthorizationMode = 'rbac' | 'always-allow';

/** The facts about a server that its handlers need. */
export interface ServerConfig {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The certificate of the own CA, PEM. */
  readonly caCertificate: string;
  readonly authorization: AuthorizationMode;
  /** The version of Kubernetes that clients see. */
  readonly dialect: Dialect;
  /** `descriptions.json` beside the built program: Kubernetes' descriptions of its fields. */
  readonly descriptionsFile: string;
  /** Undefined: other API servers get no certificate of this one. */
  readonly frontProxy: FrontProxy | undefined;
  /** The CA of the certificates of users, PEM. Undefined: users have tokens only. */
  readonly clientCa?: string | undefined;
  /** True: a request without credentials is refused. Default: its user is anonymous. */
  readonly refusesAnonymous?: boolean | undefined;
}

/** The certificates with which the server passes requests on to other API servers. PEM. */
export interface FrontProxy {
  /** The certificate of the CA, which is not the one of the server: what it has signed may name any user. */
  readonly ca: string;
  readonly client: { readonly certificate: string; readonly key: string };
}

/** The parts of a server that handlers work with. */
export interface ServerContext {
  /** Written through. A write is in `objects` when its call returns. */
  readonly store: FileStore;
  readonly clock: Clock;
  /** All objects, in memory: reads and watches come from here. */
  readonly objects: ServedObjects;
  readonly resources: ResourceTable;
  /** The versions of groups that other API servers serve. */
  readonly aggregated: AggregatedTable;
  /** Runs Pods and controllers. Undefined: objects are only stored. */
  readonly node: NodeClient | undefined;
  readonly tokens: ServiceTokens;
  /** Says whose token it is. */
  readonly userOf: TokenReader;
  readonly config: ServerConfig;
  /** Aborted when the server begins to close: streams end. */
  readonly signal: AbortSignal;
  /**
   * Aborted when no client is left, with a StatusError: what a request still waits for is given up, whatever it would
   * do after another failure, and nothing is stored any more.
   */
  readonly closed: AbortSignal;
  /** Writes a line to the log of the server. */
  readonly report: (line: string) => void;
}

/**
 * The user of a token and the wanted audiences that it is for, or why it has no user. Without a reason, it is no token
 * of this server.
 */
export type TokenVerdict =
  | { readonly user: ApiUser; readonly audiences: readonly string[] }
  | { readonly user: undefined; readonly problem: string | undefined };

/** @param audiences of which the token is for one. Default: this server */
export type TokenReader = (token: string, audiences?: readonly string[]) => TokenVerdict;
