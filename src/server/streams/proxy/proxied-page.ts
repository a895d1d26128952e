import type { IncomingHttpHeaders } from 'node:http';
import { Duplex } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { PageLinks } from './page-links.ts';
import type { ProxiedLink } from './proxied-link.ts';

/** The bytes of a page as text in which each byte is a character: the encoding of the page does not matter. */
const BYTES = 'latin1';
/** The page may be large, and is for this machine. */
const FAST = 1;

/**
 * The steps that lead the links of a page through the proxy.
 * Source: apimachinery/pkg/util/proxy/transport.go.
 */
export function pageSteps(headers: IncomingHttpHeaders, link: ProxiedLink): Duplex[] {
  const changed = Duplex.from((source: AsyncIterable<Buffer>) => withLinks(source, new PageLinks(link)));
  return headers['content-encoding'] === 'gzip' ? [createGunzip(), changed, createGzip({ level: FAST })] : [changed];
}

async function* withLinks(source: AsyncIterable<Buffer>, page: PageLinks): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    const text = page.write(piece.toString(BYTES));
    if (text !== '') yield Buffer.from(text, BYTES);
  }
  yield Buffer.from(page.end(), BYTES);
}
