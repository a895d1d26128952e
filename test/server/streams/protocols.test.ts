import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseChannelProtocol,
  decodeChannelMessage,
  encodeChannelMessage,
} from '../../../src/server/streams/channels/channel-protocols.ts';
import { readCommandOptions } from '../../../src/server/streams/command/command-options.ts';
import { encodeOutcome, exitOutcome } from '../../../src/server/streams/command/outcome.ts';
import { TerminalSizes } from '../../../src/server/streams/command/run-command.ts';
import { portsInQuery } from '../../../src/server/streams/forward/channel-forward.ts';
import { readLogOptions } from '../../../src/server/streams/log/log-options.ts';
import { readProxyName } from '../../../src/server/streams/proxy/proxy-target.ts';
import { chooseSpdyProtocol } from '../../../src/server/streams/spdy/spdy-upgrade.ts';

const NAMES = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'base64.channel.k8s.io',
];

describe('channel protocols', () => {
  it('are chosen in the order of the client', () => {
    const chosen = (...words: string[]): string | undefined => chooseChannelProtocol(words)?.name;
    expect(chosen()).toBe('');
    expect(NAMES.map((name) => chosen(name))).toEqual(NAMES);
    expect(chosen('v3.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io')).toBe('v4.channel.k8s.io');
    expect(chosen('v3.channel.k8s.io')).toBeUndefined();
  });

  it.each(NAMES)('%s carries any bytes', (name) => {
    const protocol = chooseChannelProtocol([name])!;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.uint8Array({ maxLength: 200 }), (channel, bytes) => {
        const message = Buffer.from(encodeChannelMessage(protocol, channel, Buffer.from(bytes)));
        expect(decodeChannelMessage(protocol, message)).toEqual({ type: 'piece', channel, chunk: Buffer.from(bytes) });
      }),
      { numRuns: 30 },
    );
  });

  it('know the end of a channel in v5 only', () => {
    const read = (name: string): unknown => decodeChannelMessage(chooseChannelProtocol([name])!, Buffer.from([255, 0]));
    expect(read('v5.channel.k8s.io')).toEqual({ type: 'end', channel: 0 });
    expect(read('v4.channel.k8s.io')).toEqual({ type: 'piece', channel: 255, chunk: Buffer.from([0]) });
    expect(decodeChannelMessage(chooseChannelProtocol([])!, Buffer.alloc(0))).toBeUndefined();
  });

  it('of SPDY are a header for each, or one with all', () => {
    const own = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
    const choose = (value: string): unknown =>
      chooseSpdyProtocol({ headers: { 'x-stream-protocol-version': value } }, own);
    expect(choose('v9.channel.k8s.io, v4.channel.k8s.io')).toEqual({ ok: true, protocol: 'v4.channel.k8s.io' });
    expect(choose('x')).toMatchObject({
      code: 403,
      text:
        'unable to upgrade: unable to negotiate protocol: ' +
        'client supports [x], server accepts [v5.channel.k8s.io v4.channel.k8s.io]',
    });
    expect(choose('')).toMatchObject({ code: 400 });
  });
});

describe('queries', () => {
  it('of exec have flags as the API server reads them', () => {
    const query = new URLSearchParams('command=sh&command=-c&stdin=false&stdout=1&stderr&tty=0&container=');
    expect(readCommandOptions(query)).toEqual({
      container: undefined,
      command: ['sh', '-c'],
      stdin: false,
      stdout: true,
      stderr: true,
      tty: false,
    });
    expect(readCommandOptions(new URLSearchParams('tty=true&stderr=true'))).toMatchObject({ tty: true, stderr: false });
  });

  it.each([
    ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    ['stream=x', 'stream: Unsupported value: "x": supported values: "All", "Stdout", "Stderr"'],
  ])('of log with %s are invalid', (query, why) => {
    const read = (): unknown => readLogOptions(new URLSearchParams(query), 'p', 0);
    expect(read).toThrow(`PodLogOptions "p" is invalid: ${why}`);
  });

  it('of log have times', () => {
    const since = (query: string): unknown => readLogOptions(new URLSearchParams(query), 'p', 5000).sinceMs;
    expect(since('sinceSeconds=2')).toBe(3000);
    expect(since('sinceTime=1970-01-01T00:00:01Z')).toBe(1000);
    expect(since('')).toBeUndefined();
    expect(() => since('sinceTime=x')).toThrow('parsing time "x"');
    expect(() => since('sinceSeconds=x')).toThrow('strconv.ParseInt: parsing "x": invalid syntax');
  });

  it('of port-forward name ports', () => {
    const read = (query: string): unknown => portsInQuery(new URLSearchParams(query));
    expect(read('ports=80,81&ports=82')).toEqual([80, 81, 82]);
    expect(() => read('')).toThrow('query parameter "ports" is required');
    expect(() => read('ports=')).toThrow('query parameter "ports" cannot be empty');
    expect(() => read('ports=0')).toThrow('port "0" must be > 0');
    expect(() => read('ports=http')).toThrow('unable to parse "http" as a port');
  });

  it.each([
    ['web', { scheme: 'http', name: 'web', port: '' }],
    ['web:80', { scheme: 'http', name: 'web', port: '80' }],
    ['https:web:443', { scheme: 'https', name: 'web', port: '443' }],
    ['https:web:', { scheme: 'https', name: 'web', port: '' }],
    ['ftp:web:1', undefined],
    ['a:b:c:d', undefined],
    ['', undefined],
  ])('%j is the name of a proxy', (text, name) => {
    expect(readProxyName(text)).toEqual(name);
  });
});

describe('outcomes', () => {
  it('are a Status, or the text of a failure', () => {
    expect(encodeOutcome(exitOutcome(0), true)?.toString()).toBe('{"metadata":{},"status":"Success"}');
    expect(encodeOutcome(exitOutcome(0), false)).toBeUndefined();
    const why = 'command terminated with non-zero exit code: exit status 3';
    expect(encodeOutcome(exitOutcome(3), false)?.toString()).toBe(why);
    expect(JSON.parse(String(encodeOutcome(exitOutcome(3), true)))).toEqual({
      metadata: {},
      status: 'Failure',
      message: why,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  it('sizes of a terminal come in any pieces', () => {
    const text = '{"Width":80,"Height":24}\n{"Width":81}{"Height":25,"Width":81}\nnonsense}';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const reader = new TerminalSizes();
      const sizes = [text.slice(0, cut), text.slice(cut)].flatMap((piece) => reader.read(Buffer.from(piece)));
      expect(sizes).toEqual([
        { columns: 80, rows: 24 },
        { columns: 81, rows: 25 },
      ]);
    }
  });
});
