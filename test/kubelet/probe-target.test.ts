import { describe, expect, it } from 'vitest';
import { goNetworkError } from '../../src/runtime/go-network-error.ts';
import { parseGoPath } from '../../src/kubelet/probe/go-url.ts';
import { joinHostPort } from '../../src/api/go/host-port.ts';
import { defaultHost, resolvePort } from '../../src/lifecycle/probes/probed-containers.ts';
import { podWith } from '../lifecycle/base-objects.ts';

describe('parseGoPath()', () => {
  it.each([
    { text: '/healthz', sent: '/healthz' },
    { text: 'healthz', sent: '/healthz' },
    { text: '', sent: '' },
    { text: '/a?b=c&d=%20e', sent: '/a?b=c&d=%20e' },
    { text: '?x=1', sent: '?x=1' },
    { text: '/a?b=ü c', sent: '/a?b=%C3%BC%20c' },
    { text: '/a b', sent: '/a%20b' },
    { text: '/ä', sent: '/%C3%A4' },
    { text: '/%C3%A4', sent: '/%C3%A4' },
    { text: '/%c3%a4 x', sent: '/%C3%A4%20x' },
    { text: "/a!$&'()*+,;=:@[]", sent: "/a!$&'()*+,;=:@[]" },
    { text: '/a"<>^`{|}', sent: '/a%22%3C%3E%5E%60%7B%7C%7D' },
    { text: '//example.com/x', sent: '/x' },
    { text: 'http://example.com/x?y', sent: '/x?y' },
  ])('reads $text as $sent', ({ text, sent }) => {
    const { path, query, fragment } = parseGoPath(text);
    expect(`${path}${query}`).toBe(sent);
    expect(fragment).toBe('');
  });

  it('keeps the fragment apart: it is shown, not sent', () => {
    expect(parseGoPath('/a?b#c?d')).toEqual({ path: '/a', query: '?b', fragment: '#c?d' });
  });

  it.each([
    { text: '/100%', sent: '/100%25' },
    { text: '/%zz?a', sent: '/%25zz%3Fa' },
    { text: 'a:b', sent: '/a:b' },
    { text: '/a\nb', sent: '/a%0Ab' },
  ])('takes what is no URL for a path as it stands: $text', ({ text, sent }) => {
    expect(parseGoPath(text)).toEqual({ path: sent, query: '', fragment: '' });
  });
});

describe('resolvePort()', () => {
  const container = { name: 'main', ports: [{ containerPort: 1 }, { name: 'web', containerPort: 8080 }] };

  it.each([
    { port: 80, want: 80 },
    { port: 'web', want: 8080 },
    { port: '80', want: 80 },
    { port: 65_535, want: 65_535 },
  ])('$port is $want', ({ port, want }) => {
    expect(resolvePort(port, container)).toEqual({ ok: true, port: want });
  });

  it.each([
    { port: 0, error: 'invalid port number: 0' },
    { port: 65_536, error: 'invalid port number: 65536' },
    { port: '-1', error: 'invalid port number: -1' },
    { port: 'www', error: 'strconv.Atoi: parsing "www": invalid syntax' },
    { port: '', error: 'strconv.Atoi: parsing "": invalid syntax' },
  ])('$port: $error', ({ port, error }) => {
    expect(resolvePort(port, container)).toEqual({ ok: false, error });
  });
});

describe('where a Pod is reached', () => {
  it('is its address, else this machine', () => {
    const pod = podWith();
    expect(defaultHost(pod)).toBe('127.0.0.1');
    expect(defaultHost({ ...pod, status: { ...pod.status, podIP: '10.0.0.5' } })).toBe('10.0.0.5');
  });

  it('is written with brackets where the address has colons', () => {
    expect(joinHostPort('::1', 80)).toBe('[::1]:80');
    expect(joinHostPort('localhost', 80)).toBe('localhost:80');
  });
});

describe('goNetworkError()', () => {
  const ends = '10.0.0.1:40000->10.0.0.5:80';
  const system = (code: string, rest: object): Error =>
    Object.assign(new Error(`node says ${code}`), { code, ...rest });
  const connect = { syscall: 'connect', address: '10.0.0.5', port: 80 };

  it.each([
    { error: system('ECONNREFUSED', connect), want: 'dial tcp 10.0.0.5:80: connect: connection refused' },
    { error: system('EHOSTUNREACH', connect), want: 'dial tcp 10.0.0.5:80: connect: no route to host' },
    { error: system('ENETUNREACH', connect), want: 'dial tcp 10.0.0.5:80: connect: network is unreachable' },
    { error: system('EACCES', connect), want: 'dial tcp 10.0.0.5:80: connect: permission denied' },
    {
      error: system('ECONNREFUSED', { ...connect, address: '::1' }),
      want: 'dial tcp [::1]:80: connect: connection refused',
    },
    {
      error: system('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'db' }),
      want: 'dial tcp: lookup db: no such host',
    },
    { error: system('ECONNRESET', { syscall: 'read' }), want: `read tcp ${ends}: read: connection reset by peer` },
    { error: system('EPIPE', { syscall: 'write' }), want: `write tcp ${ends}: write: broken pipe` },
    { error: new Error('something new'), want: 'something new' },
  ])('$want', ({ error, want }) => {
    expect(goNetworkError(error, { ends, hasReceived: false })).toBe(want);
  });

  it('speaks of the first address when none of several could be reached', () => {
    const errors = ['::1', '127.0.0.1'].map((address) => system('ECONNREFUSED', { ...connect, address }));
    const told = goNetworkError(new AggregateError(errors), { ends: '', hasReceived: false });
    expect(told).toBe('dial tcp [::1]:80: connect: connection refused');
  });
});
