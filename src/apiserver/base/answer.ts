import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiRequest } from './request.ts';
import type { ServerContext } from './context.ts';

type Headers = Readonly<Record<string, string>>;

/** The answer of a handler. */
export type ApiAnswer =
  | {
      /** An object, or a list of objects. The client chooses its form: JSON, YAML, Table, metadata only. */
      readonly object: object;
      /** Default: 200. */
      readonly code?: number;
      readonly headers?: Headers;
    }
  | { readonly text: string | Buffer; readonly type: string; readonly code?: number; readonly headers?: Headers }
  | {
      /** Writes the whole response: a watch, a followed log, a proxy. */
      readonly stream: (response: ServerResponse) => void | Promise<void>;
    };

/** Handles a request. An error becomes a Status: see status-error.ts. */
export type ApiHandler = (request: ApiRequest, context: ServerContext) => ApiAnswer | Promise<ApiAnswer>;

/** The connection of a request with the header Upgrade. */
export interface UpgradedSocket {
  readonly socket: Duplex;
  /** The bytes behind the request. */
  readonly head: Buffer;
  /** Called with the code of a response that refuses the switch, for the counts and the record of the request. */
  readonly onRefusal: (code: number) => void;
}

/** Takes over the connection of a request with the header Upgrade. An error before its first byte gets a response. */
export type UpgradeHandler = (
  request: ApiRequest,
  connection: UpgradedSocket,
  context: ServerContext,
) => void | Promise<void>;

/** The handlers of a subresource, by verb. A verb without one gets the response 405. */
export interface SubresourceHandlers {
  readonly get?: ApiHandler;
  readonly create?: ApiHandler;
  readonly update?: ApiHandler;
  readonly patch?: ApiHandler;
  readonly delete?: ApiHandler;
  /** Takes every method, in the place of all other handlers: a proxy. */
  readonly connect?: ApiHandler;
  readonly upgrade?: UpgradeHandler;
}

/** A path beside the API of objects. */
export interface ServerRoute {
  /** Undefined: any method will do. */
  readonly method?: 'GET' | 'POST';
  /** A pattern of find-my-way: `/openapi/v3/apis/:group/:version`, `/dashboard/*`. */
  readonly path: string;
  /** True: to read it needs no token. */
  readonly isPublic?: boolean;
  readonly answer: (request: RouteRequest, context: ServerContext) => ApiAnswer | Promise<ApiAnswer>;
}

/** A request for a path beside the API of objects. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly raw: IncomingMessage;
}
