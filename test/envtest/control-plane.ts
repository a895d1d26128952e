import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeTree } from '../../src/remove-tree.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type CertifiedKey, TinyCa } from './tiny-ca.ts';

export const PODRUN: string = path.join(import.meta.dirname, '../../bin/podrun.js');
const POLL_MS = 100;

/** An answer of the API server. */
export interface PlaneAnswer {
  readonly code: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any kind
  readonly body: any;
}

/** A process that envtest has started. */
export interface PlaneProcess {
  readonly child: ChildProcess;
  /** The standard error so far. */
  readonly stderr: () => string;
  /** The exit code, or the signal. */
  readonly ended: Promise<number | string>;
}

/** A user of the API server. Undefined: one without a certificate. */
type User = CertifiedKey | undefined;

/**
 * The start of a suite as envtest does it: both programs of KUBEBUILDER_ASSETS, with its flags, certificates and polls.
 * Source: controller-runtime, pkg/internal/testing/controlplane and pkg/internal/testing/process.
 */
export class ControlPlane {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'podrun-envtest-'));
  readonly certDir: string = path.join(this.folder, 'certs');
  readonly dataDir: string = path.join(this.folder, 'etcd');
  readonly assets: string;
  readonly env: NodeJS.ProcessEnv;
  clients!: TinyCa;
  admin!: CertifiedKey;
  etcdPort = 0;
  port = 0;
  etcd!: PlaneProcess;
  api!: PlaneProcess;
  #ca = '';
  readonly #agents: Agent[] = [];

  constructor(env: NodeJS.ProcessEnv = {}) {
    const temporary = path.join(this.folder, 'tmp');
    mkdirSync(temporary);
    const places = { HOME: this.folder, TMPDIR: temporary, XDG_DATA_HOME: path.join(this.folder, 'data') };
    this.env = { PATH: process.env['PATH'], ...places, ...env };
    this.assets = execFileSync(process.execPath, [PODRUN, 'envtest'], { env: this.env, encoding: 'utf8' }).trim();
  }

  async start(): Promise<void> {
    await this.prepare();
    await this.startEtcd();
    await this.startApi();
  }

  /** Makes the certificates and chooses the ports. */
  async prepare(): Promise<void> {
    mkdirSync(this.certDir);
    const [serving, accounts] = await Promise.all([TinyCa.create('envtest'), TinyCa.create('sa-signer')]);
    this.clients = await TinyCa.create('envtest-clients');
    const [server, signer] = await Promise.all([serving.serving(), accounts.client('sa-signer', [])]);
    this.admin = await this.clients.client('admin', ['system:masters']);
    this.#ca = serving.cert;
    this.#write('apiserver.crt', server.cert);
    this.#write('apiserver.key', server.key);
    this.#write('client-cert-auth-ca.crt', this.clients.cert);
    this.#write('sa-signer.crt', signer.cert);
    this.#write('sa-signer.key', signer.key);
    this.etcdPort = await freePort();
    this.port = await freePort();
  }

  async startEtcd(): Promise<void> {
    this.#checkFlag('etcd', '--unsafe-no-fsync', true);
    const url = `http://127.0.0.1:${this.etcdPort}`;
    this.etcd = this.run('etcd', [
      `--advertise-client-urls=${url}`,
      `--data-dir=${this.dataDir}`,
      `--listen-client-urls=${url}`,
      '--listen-peer-urls=http://localhost:0',
      '--unsafe-no-fsync=true',
    ]);
    await this.#polled(this.etcd, `${url}/health`);
  }

  async startApi(): Promise<void> {
    this.#checkFlag('kube-apiserver', '--insecure-port', false);
    this.api = this.run('kube-apiserver', this.apiFlags());
    await this.#polled(this.api, `https://127.0.0.1:${this.port}/healthz`);
  }

  apiFlags(): string[] {
    const issuer = `https://127.0.0.1:${this.port}/`;
    return [
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${this.certDir}`,
      `--client-ca-file=${this.certDir}/client-cert-auth-ca.crt`,
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=http://127.0.0.1:${this.etcdPort}`,
      `--secure-port=${this.port}`,
      `--service-account-issuer=${issuer}`,
      `--service-account-key-file=${this.certDir}/sa-signer.crt`,
      `--service-account-signing-key-file=${this.certDir}/sa-signer.key`,
      '--service-cluster-ip-range=10.0.0.0/24',
    ];
  }

  /** Starts a program of the folder in a process group of its own. */
  run(name: string, args: readonly string[]): PlaneProcess {
    const program = path.join(this.assets, name);
    const child = spawn(program, args, { env: this.env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const ended = new Promise<number | string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal ?? ''));
    });
    return { child, stderr: () => text, ended };
  }

  /** Ends a program as envtest does: SIGTERM to its process group. */
  async end({ child, ended }: PlaneProcess): Promise<number | string> {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    return ended;
  }

  /**
   * Ends both programs, and removes the folder. Rejects when one has not ended with 0, or has reported anything else.
   * @param expected the standard error of both
   */
  async stop(expected = ''): Promise<void> {
    for (const agent of this.#agents) agent.destroy();
    const codes = [await this.end(this.api), await this.end(this.etcd)];
    this.remove();
    const reported = this.api.stderr() + this.etcd.stderr();
    if (codes.some((code) => code !== 0) || reported !== expected)
      throw new Error(`they ended with ${codes.join(', ')}: ${reported}`);
  }

  remove(): void {
    removeTree(this.folder);
  }

  /** Returns what sends requests as a user. */
  as(user: User): (method: string, target: string, body?: unknown, token?: string) => Promise<PlaneAnswer> {
    const agent = new Agent({ ca: this.#ca, ...user, keepAlive: true });
    this.#agents.push(agent);
    return (method, target, body, token) => this.#send(agent, { method, target, body, token });
  }

  #send(
    agent: Agent,
    { method, target, body, token }: { method: string; target: string; body: unknown; token: string | undefined },
  ): Promise<PlaneAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const json = text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const headers = { ...json, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest({ host: '127.0.0.1', port: this.port, path: target, method, agent, headers }, (got) => {
        let answer = '';
        got.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
        got.on('end', () => {
          const isJson = /json/.test(got.headers['content-type'] ?? '');
          resolve({ code: got.statusCode ?? 0, body: isJson ? JSON.parse(answer) : answer });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  #write(name: string, text: string): void {
    writeFileSync(path.join(this.certDir, name), text, { mode: 0o600 });
  }

  /** Source: pkg/internal/testing/process/process.go, CheckFlag. */
  #checkFlag(name: string, flag: string, isWanted: boolean): void {
    const help = execFileSync(path.join(this.assets, name), ['--help'], { env: this.env, encoding: 'utf8' });
    if (help.includes(flag) !== isWanted) throw new Error(`the help of ${name} is wrong about ${flag}`);
  }

  /** Asks for a page until it comes, or the program has ended. */
  async #polled({ ended, stderr }: PlaneProcess, url: string): Promise<void> {
    let over: number | string | undefined;
    void ended.then((code) => (over = code));
    const until = Date.now() + 2 * PATIENCE_MS;
    while (!(await isOk(url))) {
      if (over !== undefined) throw new Error(`it has ended with ${over}: ${stderr()}`);
      if (Date.now() > until) throw new Error(`${url} is not ready: ${stderr()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

/** True when a server responds with 200. Its certificate is not checked. */
export function isOk(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const sent = send(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
