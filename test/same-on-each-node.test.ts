import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NODE_MAJORS, nodeFor } from './nodes.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-each-node-'));
const program = path.join(folder, 'program.mjs');

/** Asks podrun for everything that Node.js itself answers differently by its version, and prints the answers. */
const PROGRAM = `
  import { connect } from 'node:tls';
  import { createServer } from 'node:net';
  import { isTimeZone } from './src/api/cron/zone.ts';
  import { parseJson } from './src/api/go/go-json.ts';
  import { statIfThere } from './src/quietly.ts';
  import { goNetworkError } from './src/runtime/go-network-error.ts';
  const said = (run: () => unknown): unknown => {
    try { return run() ?? 'nothing'; } catch (error) { return error.code ?? error.message; }
  };
  const tls = (greeting: string): Promise<string> => new Promise((resolve) => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(greeting));
    server.listen(0, '127.0.0.1', () => {
      connect(server.address().port, '127.0.0.1').on('error', (error) => {
        server.close();
        resolve(goNetworkError(error, { ends: '', hasReceived: false }));
      });
    });
  });
  const answers = {
    stat: ['file/x', 'link', 'loop', 'missing', 'dangling'].map((name) => said(() => statIfThere(name))),
    json: ['{"a":1,}', 'nix', '', '[1'].map((text) => said(() => parseJson(Buffer.from(text)))),
    zones: ['Europe/Berlin', 'utc', '+01:00', '-0500', '+01', 'Nix/Nix'].filter(isTimeZone),
    tls: await Promise.all([tls('HTTP/1.1 400 no\\r\\n\\r\\n'), tls('\\x16\\x03\\x03\\x00\\x04\\x05\\x00\\x00\\x00')]),
  };
  console.log(JSON.stringify(answers));
`;

beforeAll(async () => {
  mkdirSync(path.join(folder, 'place'));
  writeFileSync(path.join(folder, 'place/file'), '');
  for (const [name, target] of Object.entries({ link: 'file/x', loop: 'loop', dangling: 'nowhere' })) {
    symlinkSync(target, path.join(folder, 'place', name));
  }
  const resolveDir = path.join(import.meta.dirname, '..');
  const stdin = { contents: PROGRAM, resolveDir, loader: 'ts' } as const;
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: program });
});
afterAll(() => rmSync(folder, { recursive: true }));

it.for(NODE_MAJORS)('where Node.js %i behaves differently, users see no difference', (major, context) => {
  const node = nodeFor(context, major);
  const printed = execFileSync(node, [program], { cwd: path.join(folder, 'place'), encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({
    stat: ['ENOTDIR', 'ENOTDIR', 'ELOOP', 'nothing', 'nothing'],
    json: [
      "invalid character '}' looking for beginning of object key string",
      "invalid character 'i' in literal null (expecting 'u')",
      'unexpected end of JSON input',
      'unexpected end of JSON input',
    ],
    zones: ['Europe/Berlin', 'utc'],
    tls: ['http: server gave HTTP response to HTTPS client', 'tls: unexpected message'],
  });
});
