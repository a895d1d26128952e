import type { IncomingHttpHeaders } from 'node:http';
import { Duplex } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { RewritingStream } from 'parse5-html-rewriting-stream';
import { isLink } from './page-attributes.ts';
import { type ProxiedLink, throughProxy } from './proxied-link.ts';

/** The bytes of a page as text in which each byte is a character: the encoding of the page does not matter. */
const BYTES = 'latin1';

/** A place in a page. The types of the package leave out the attributes of a tag. */
interface Place {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly attrs?: Readonly<Record<string, Place>>;
}

/**
 * The steps that lead the links of a page through the proxy. All else stays as the program has written it.
 * Source: apimachinery/pkg/util/proxy/transport.go.
 */
export function pageSteps(headers: IncomingHttpHeaders, link: ProxiedLink): Duplex[] {
  const changed = [Duplex.from(asText), pageRewriter(link), Duplex.from(asBytes)];
  return headers['content-encoding'] === 'gzip' ? [createGunzip(), ...changed, createGzip()] : changed;
}

async function* asText(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of source) yield chunk.toString(BYTES);
}

async function* asBytes(source: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of source) yield Buffer.from(text, BYTES);
}

function pageRewriter(link: ProxiedLink): RewritingStream {
  const rewriter = new RewritingStream();
  rewriter.on('startTag', ({ tagName, attrs, sourceCodeLocation }, raw) => {
    const tag: Place | null | undefined = sourceCodeLocation;
    const begin = tag?.startOffset ?? 0;
    let text = raw;
    // From the last to the first, so that the places before stay where they are.
    for (const { name, value } of attrs.toReversed()) {
      const place = tag?.attrs?.[name];
      const url = isLink(tagName, name) ? throughProxy(value, link) : value;
      if (place === undefined || url === value) continue;
      const attribute = `${name}="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
      text = text.slice(0, place.startOffset - begin) + attribute + text.slice(place.endOffset - begin);
    }
    rewriter.emitRaw(text);
  });
  return rewriter;
}
