import type { Server } from 'node:https';

/** A request that the server of coats got. */
export interface WardrobeRequest {
  readonly method: string;
  readonly url: string;
  /** The common name in the certificate of the client. */
  readonly proxy: string | undefined;
  /** The headers about the user. */
  readonly remote: Readonly<Record<string, readonly string[]>>;
}

/** Serves the kind Coat of wardrobe.example.com/v1. */
export function serveWardrobe(options: { readonly cert: string; readonly key: string; readonly clientCa: string }): {
  readonly server: Server;
  readonly state: { discoveryCode: number };
  readonly requests: WardrobeRequest[];
  readonly close: () => void;
};
