import type { Clock } from '../../clock.ts';
import type { FileStore } from '../../store/index.ts';
import type { ServiceTokens } from './service-tokens.ts';
import type { NodeClient } from './node-client.ts';
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
}

/** The parts of a server that handlers work with. */
export interface ServerContext {
  /** Written through. A write is in `objects` when its call returns. */
  readonly store: FileStore;
  readonly clock: Clock;
  /** All objects, in memory: reads and watches come from here. */
  readonly objects: ServedObjects;
  readonly resources: ResourceTable;
  /** Runs Pods and controllers. Undefined: objects are only stored. */
  readonly node: NodeClient | undefined;
  readonly tokens: ServiceTokens;
  /** The user of a token. Undefined: the token is wrong. */
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

/** Returns the user of a token. Undefined: the token is wrong. */
export type TokenReader = (token: string) => ApiUser | undefined;
