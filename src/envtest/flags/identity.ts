import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import type { ApiUser } from '../../apiserver/index.ts';
import { makeCertificates, type ServerIdentity } from '../../server/index.ts';
import type { ApiFlags } from './read-flags.ts';

/** The names for which a certificate that podrun makes holds. */
const HOSTS = { names: ['localhost'], addresses: ['127.0.0.1'] };

/**
 * The certificates and users of a server, from the files that flags name. Without a certificate of the server, one is
 * made in the folder of certificates, as kube-apiserver does.
 * @throws {PodrunError} for a file that cannot be read
 */
export async function identityOf(flags: ApiFlags, nowMs: number): Promise<ServerIdentity> {
  const certFile = flags.certFile ?? path.join(flags.certDir, 'apiserver.crt');
  const keyFile = flags.keyFile ?? path.join(flags.certDir, 'apiserver.key');
  const isGiven = flags.certFile !== undefined || existsSync(certFile);
  if (!isGiven) await makePair({ certFile, keyFile }, nowMs);
  const server = { certificate: read(certFile), key: read(keyFile) };
  const signingKey = flags.signingKeyFile === undefined ? server.key : read(flags.signingKeyFile);
  const { frontProxy, issuer } = flags;
  const keys = flags.accountKeyFiles.map(read);
  return {
    ca: server.certificate,
    server,
    token: randomBytes(32).toString('base64url'),
    clientCa: flags.clientCaFile === undefined ? undefined : read(flags.clientCaFile),
    refusesAnonymous: flags.refusesAnonymous,
    signingKey,
    issuer: issuer === undefined ? undefined : { issuer, keys },
    users: flags.tokenFile === undefined ? new Map() : usersIn(read(flags.tokenFile)),
    frontProxy: frontProxy && {
      ca: read(frontProxy.caFile),
      client: { certificate: read(frontProxy.certFile), key: read(frontProxy.keyFile) },
    },
  };
}

/** Makes a certificate with its key, and the certificate of its CA behind it: a client may trust the file. */
async function makePair(files: { readonly certFile: string; readonly keyFile: string }, nowMs: number): Promise<void> {
  const { ca, server } = await makeCertificates(HOSTS, nowMs);
  try {
    mkdirSync(path.dirname(files.certFile), { recursive: true, mode: 0o700 });
    writeFileSync(files.certFile, server.certificate + ca.certificate, { mode: 0o600 });
    writeFileSync(files.keyFile, server.key, { mode: 0o600 });
  } catch (error) {
    throw unusable(files.certFile, error);
  }
}

function read(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) void new X509Certificate(text);
    return text;
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): PodrunError {
  return new PodrunError('Disk', `${file}: ${(error as Error).message}`, { cause: error });
}

/**
 * The users of a file of tokens: `token,user,uid,"group1,group2"` in each line.
 * Source: apiserver/pkg/authentication/token/tokenfile/tokenfile.go.
 */
function usersIn(text: string): Map<string, ApiUser> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(
    lines.map((line) => {
      const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"?|([^,]*))/g)].map(([, quoted, plain = '']) => {
        return (quoted ?? plain).replaceAll('""', '"').trim();
      });
      const [token = '', name = '', uid = '', groups = ''] = fields;
      const all = [...groups.split(',').filter((group) => group !== ''), 'system:authenticated'];
      return [token, { name, ...(uid !== '' && { uid }), groups: [...new Set(all)] }];
    }),
  );
}
