/** Browsers send the token of a websocket this way. Source: apiserver/pkg/authentication/request/websocket. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** The words of a header Sec-WebSocket-Protocol, in their order. */
function wordsOf(header: string): string[] {
  return header
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const isToken = (word: string): boolean => word.startsWith(TOKEN_PROTOCOL);

/** The protocols that a header offers, without the token among them. */
export function protocolsIn(header = ''): string[] {
  return wordsOf(header).filter((word) => !isToken(word));
}

/** The token among the protocols of a header. Undefined: there is none. */
export function tokenIn(header = ''): string | undefined {
  const word = wordsOf(header).find(isToken);
  return word && Buffer.from(word.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
}
