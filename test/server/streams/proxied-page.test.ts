import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { PageLinks } from '../../../src/server/streams/proxy/page-links.ts';
import { pageSteps } from '../../../src/server/streams/proxy/proxied-page.ts';
import { headersForClient, isPage, pageHeaders } from '../../../src/server/streams/proxy/proxied-link.ts';

const link = { prefix: '/p', targetHost: '10.0.0.1:80', requestHost: 'localhost:6443' };

/** A page behind the proxy, which the program sends in these pieces. */
async function passed(pieces: readonly Buffer[], encoding?: string): Promise<Buffer> {
  const steps = pageSteps(encoding === undefined ? {} : { 'content-encoding': encoding }, link);
  const got = new PassThrough();
  const [all] = await Promise.all([got.toArray(), pipeline([Readable.from(pieces), ...steps, got])]);
  return Buffer.concat(all as Buffer[]);
}

it.each([
  ['<a href="/x?a=1&amp;b">x</a>', '<a href="/p/x?a=1&amp;b">x</a>'],
  ["<IMG alt=a SRC='/i.png' >", "<IMG alt=a SRC='/p/i.png' >"],
  ['<form action=/go><input formaction="/a" src="/b">', '<form action=/p/go><input formaction="/p/a" src="/p/b">'],
  ['<a href="x">', '<a href="x">'],
  ['<a href="//example.org/x">', '<a href="//example.org/x">'],
  ['<a href="http://10.0.0.1:80/x">', '<a href="/p/x">'],
  ['<div data="/x">', '<div data="/x">'],
  ['<script>a = \'<a href="/x">\'</script>', '<script>a = \'<a href="/x">\'</script>'],
  ['<!-- <a href="/x"> -->\r\n<p>ä &nbsp; <b title="é">', '<!-- <a href="/x"> -->\r\n<p>ä &nbsp; <b title="é">'],
  ['<title><a href="/x"></title><a href="/x"', '<title><a href="/x"></title><a href="/p/x"'],
  ['<a href="/x', '<a href="/x'],
  ['no page', 'no page'],
])('%s of a page becomes %s, in one piece or in many', async (page, want) => {
  const bytes = Buffer.from(page);
  expect((await passed([bytes])).toString()).toBe(want);
  expect((await passed([...bytes].map((byte) => Buffer.from([byte])))).toString()).toBe(want);
});

it('a link without an end is not kept, and stays unchanged', () => {
  const page = new PageLinks(link);
  const slashes = '/'.repeat(40_000);
  const lengths = [`<a href="${slashes}`, slashes, '"><a href="/x">'].map((piece) => page.write(piece).length);
  expect(lengths).toEqual([9, 80_000, 17]);
});

it('a page in gzip stays in gzip', async () => {
  expect(gunzipSync(await passed([gzipSync('<a href="/x">')], 'gzip')).toString()).toBe('<a href="/p/x">');
});

it.each([
  [{ 'content-type': 'text/html; charset=utf-8' }, true],
  [{ 'content-type': 'text/html', 'content-encoding': 'gzip' }, true],
  [{ 'content-type': 'text/html', 'content-encoding': 'br' }, false],
  [{ 'content-type': 'text/html; charset=utf-16' }, false],
  [{ 'content-type': 'application/json' }, false],
  [{}, false],
])('an answer with %j is a page: %j', (headers, want) => {
  expect(isPage(headers)).toBe(want);
});

it('a page loses its length', () => {
  expect(pageHeaders(['Content-Length', '5', 'Server', 'x'])).toEqual(['Server', 'x']);
});

it.each([
  ['/login', '/p/login'],
  ['/p/there/', '/p/there/'],
  ['sub/page', 'sub/page'],
  ['http://10.0.0.1:80/a/?b#c', '/p/a/?b#c'],
  ['https://localhost:6443/a', 'https://localhost:6443/p/a'],
  ['https://example.org/a', 'https://example.org/a'],
  ['//example.org/a', '//example.org/a'],
])('a redirect to %s leads to %s', (location, want) => {
  expect(headersForClient(['Location', location], link)).toEqual(['Location', want]);
});
