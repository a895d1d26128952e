import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { atExit } from '../../runtime/index.ts';
import {
  ApiClient,
  type CertificateAuthority,
  kubeconfigText,
  type KeyPair,
  makeAuthority,
} from '../../server/index.ts';
import { MemoryRecords, writeFileAtomically } from '../../store/index.ts';
import { type ApiPlan, openTestApi } from '../api/open-test-api.ts';
import { makeOwnFolder } from '../base/own-folders.ts';

/** The settings of an API server for a suite that starts no programs of envtest. */
export type SuiteOptions = Pick<ApiPlan, 'clock' | 'descriptionsFile' | 'dialect' | 'env' | 'mode' | 'report'>;

/** A user of such a server. */
export interface SuiteUser extends KeyPair {
  readonly name: string;
  readonly groups: readonly string[];
  /** The path of a kubeconfig with the certificate. */
  readonly kubeconfig: string;
}

/** An API server for a suite, with a CA of its own. */
export interface SuiteApi {
  readonly url: string;
  /** The certificate of the CA, PEM. */
  readonly ca: string;
  /** The token of the administrator. */
  readonly token: string;
  /** The administrator. */
  readonly admin: SuiteUser;
  /** Calls the server as the administrator. */
  readonly client: ApiClient;
  readonly addUser: (name: string, groups: readonly string[]) => Promise<SuiteUser>;
  /** Makes a certificate for a server on this machine, such as one of webhooks. */
  readonly certifyServer: () => Promise<KeyPair>;
  /** Ends the server, and removes its files. */
  readonly close: () => Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** The names and addresses for which certificates of servers hold. */
const HERE = { names: ['localhost'], addresses: [LOOPBACK] };
/** The flags that envtest gives to a kube-apiserver. */
const AS_ENVTEST = { admitsAccounts: false, serviceRange: '10.0.0.0/24' };

/**
 * Opens an API server as envtest starts one, in this process. Its files are in a temporary folder, which goes with it,
 * and with this process.
 * @throws {PodrunError} when the folder cannot be made
 */
export async function openSuiteApi(options: SuiteOptions): Promise<SuiteApi> {
  const { path: folder, remove } = makeOwnFolder();
  const forget = atExit(remove);
  const end = (): void => {
    forget();
    remove();
  };
  try {
    return await openIn(folder, options, end);
  } catch (error) {
    end();
    throw error;
  }
}

async function openIn(folder: string, options: SuiteOptions, onClosed: () => void): Promise<SuiteApi> {
  const authority = await makeAuthority('podrun-envtest', options.clock.now().wallMs);
  const identity = await identityFrom(authority);
  const server = await openTestApi({
    ...options,
    root: path.join(folder, 'objects'),
    records: new MemoryRecords(),
    host: LOOPBACK,
    port: 0,
    authorization: 'rbac',
    auditLog: undefined,
    lone: AS_ENVTEST,
    identity,
  });
  const { url, ca, token } = server;
  let users = 0;
  const addUser = async (name: string, groups: readonly string[]): Promise<SuiteUser> => {
    const pair = await authority.certifyClient(name, groups);
    users += 1;
    const kubeconfig = path.join(folder, `kubeconfig-${users}`);
    writeFileAtomically(kubeconfig, kubeconfigText({ url, ca }, pair));
    return { name, groups, kubeconfig, ...pair };
  };
  const client = new ApiClient(server);
  return {
    url,
    ca,
    token,
    admin: await addUser('admin', ['system:masters']),
    client,
    addUser,
    certifyServer: () => authority.certifyServer('webhooks', HERE),
    close: async () => {
      client.close();
      await server.close();
      onClosed();
    },
  };
}

/** One CA has signed the certificates of the server and of its users. */
async function identityFrom(authority: CertificateAuthority): Promise<ApiPlan['identity']> {
  const server = await authority.certifyServer('kubernetes', HERE);
  return {
    ca: authority.certificate,
    server,
    token: randomBytes(32).toString('base64url'),
    clientCa: authority.certificate,
    refusesAnonymous: false,
    signingKey: server.key,
    users: new Map(),
    frontProxy: undefined,
  };
}
