// Starts the etcd and the kube-apiserver of a folder as envtest does: certificates, flags, polls, end by signal.
// Source: controller-runtime, pkg/internal/testing/controlplane and process.

import * as x509 from '@peculiar/x509';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf, usageOf } from './processes.mjs';

const POLL_MS = 100;
const START_MS = 20_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Resolves when both programs are ready, and the namespace `default` exists. Rejects when a program has ended, or is
 * not ready in time; none stays.
 */
export async function controlPlane(assets, folder) {
  const running = [];
  try {
    return await opened(assets, folder, running);
  } catch (error) {
    for (const program of running.toReversed()) await end(program);
    throw error;
  }
}

async function opened(assets, folder, running) {
  const beganMs = performance.now();
  mkdirSync(folder, { recursive: true });
  const certs = path.join(folder, 'certs');
  const { ca, admin } = await certificates(certs);
  const [etcdPort, port] = [await freePort(), await freePort()];
  const madeMs = performance.now();
  const etcd = run(assets, 'etcd', etcdFlags(etcdPort, path.join(folder, 'etcd')));
  running.push(etcd);
  let failedChecks = await polled(etcd, `http://127.0.0.1:${etcdPort}/health`);
  const api = run(assets, 'kube-apiserver', apiFlags(etcdPort, port, certs));
  running.push(api);
  failedChecks += await polled(api, `https://127.0.0.1:${port}/healthz`);
  const readyMs = performance.now() - madeMs;
  const agent = new Agent({ ca, ...admin, keepAlive: true });
  const call = caller(agent, port);
  while ((await call('GET', '/api/v1/namespaces/default')).code !== 200) await pause(POLL_MS / 2);
  return {
    call,
    /** Milliseconds from the start of etcd until both programs are ready. */
    readyMs,
    /** The same with the certificates before and the namespace after it: `Start()` without CRDs. */
    startMs: performance.now() - beganMs,
    failedChecks,
    /** Calls back with each piece of a watch. Resolves when it has begun. */
    watch: (target, onPiece) =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: target, ca, ...admin, agent: false }, (response) => {
          resolve(response.on('data', onPiece));
        });
        sent.on('error', reject);
        sent.end();
      }),
    /** The resident memory of both programs and what they have started, in bytes. */
    memory: () =>
      [etcd, api]
        .flatMap(({ child }) => [child.pid, ...descendantsOf(child.pid)])
        .reduce((sum, pid) => sum + usageOf(pid).rssBytes, 0),
    /** Ends both programs, one after the other. Returns milliseconds. */
    stop: async () => {
      agent.destroy();
      const from = performance.now();
      await end(api);
      await end(etcd);
      return performance.now() - from;
    },
  };
}

function etcdFlags(port, data) {
  const url = `http://127.0.0.1:${port}`;
  return [
    `--advertise-client-urls=${url}`,
    `--data-dir=${data}`,
    `--listen-client-urls=${url}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--unsafe-no-fsync=true',
  ];
}

function apiFlags(etcdPort, port, certs) {
  return [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certs}`,
    `--client-ca-file=${certs}/ca.crt`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${certs}/apiserver.crt`,
    `--service-account-signing-key-file=${certs}/apiserver.key`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ];
}

/** envtest looks for a flag in the help of each program before it starts it. */
function run(assets, name, args) {
  const program = path.join(assets, name);
  execFileSync(program, ['--help'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => (messages += piece));
  return { name, child, messages: () => messages, ended: once(child, 'close') };
}

/** Asks for a page until it comes. Returns the number of checks that a program refused which had begun to listen. */
async function polled({ name, child, messages }, url) {
  let refused = 0;
  for (const from = performance.now(); ; await pause(POLL_MS)) {
    const code = await codeOf(url);
    if (code === 200) return refused;
    if (code !== undefined) refused++;
    if (child.exitCode !== null) throw new Error(`${name} has ended with ${child.exitCode}: ${messages()}`);
    if (performance.now() - from > START_MS)
      throw new Error(`${name} is not ready after ${START_MS} ms: ${messages()}`);
  }
}

function codeOf(url) {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? request : plainRequest;
    const sent = send(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', () => resolve(undefined));
    sent.end();
  });
}

async function end({ child, ended }) {
  if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  await ended;
}

/** Returns what sends a request. The answer has the time at which its head has come. */
function caller(agent, port) {
  return (method, target, object, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const text = object === undefined ? '' : JSON.stringify(object);
      const headers = text === '' ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
      const sent = request({ host: '127.0.0.1', port, path: target, method, agent, headers }, (response) => {
        const atMs = performance.now();
        let body = '';
        response.setEncoding('utf8').on('data', (piece) => (body += piece));
        response.on('end', () => resolve({ code: response.statusCode, body, atMs }));
      });
      sent.on('error', reject);
      sent.end(text);
    });
}

/** Ports that were free: envtest never gives one to two suites. */
const taken = new Set();

async function freePort() {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    server.close();
    await once(server, 'close');
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
}

/** A CA, the certificate of the server, and an administrator. */
async function certificates(folder) {
  mkdirSync(folder, { recursive: true });
  const times = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 24 * 3600 * 1000) };
  const keysOf = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [caKeys, serverKeys, adminKeys] = await Promise.all([keysOf(), keysOf(), keysOf()]);
  const pemOf = async ({ privateKey }) =>
    `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')}\n`;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    ...times,
    name: 'CN=bench',
    serialNumber: '01',
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const signed = async (serialNumber, subject, usage, { publicKey }, extensions = []) => {
    const certificate = await x509.X509CertificateGenerator.create({
      ...times,
      subject,
      issuer: 'CN=bench',
      serialNumber,
      signingAlgorithm: ALGORITHM,
      signingKey: caKeys.privateKey,
      publicKey,
      extensions: [new x509.ExtendedKeyUsageExtension([usage], false), ...extensions],
    });
    return `${certificate.toString('pem')}\n`;
  };
  const names = new x509.SubjectAlternativeNameExtension([
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
  ]);
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const server = await signed('02', [{ CN: ['localhost'] }], serverAuth, serverKeys, [names]);
  const admin = await signed('03', [{ O: ['system:masters'] }, { CN: ['admin'] }], clientAuth, adminKeys);
  const ca = `${made.toString('pem')}\n`;
  const files = { 'ca.crt': ca, 'apiserver.crt': server, 'apiserver.key': await pemOf(serverKeys) };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  return { ca, admin: { cert: admin, key: await pemOf(adminKeys) } };
}
