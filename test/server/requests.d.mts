/** Sends requests that no client should send. Answers what is wrong with the answers. */
export function sendBadRequests(
  server: { readonly host: string; readonly port: number; readonly ca: string; readonly token: string },
  how: { readonly count: number; readonly seed: number },
): Promise<string[]>;

/** Where the server of a kubeconfig is. */
export function serverOf(kubeconfig: string): {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly token: string;
};
