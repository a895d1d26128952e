import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { parse } from 'yaml';
import { type KubeObject, qualifiedKind, resourceTypeOf } from '../../src/api/index.ts';
import type { KubernetesServer } from '../../src/library/index.ts';

/** A manifest of the corpus. */
export interface CorpusText {
  readonly text: string;
  readonly object: KubeObject;
  /** `deployment.apps/web`, with the namespace in front where it has one of its own. */
  readonly name: string;
  readonly isCustom: boolean;
}

/** The text of the whole corpus. */
export const CORPUS: string = readFileSync(path.join(import.meta.dirname, 'corpus.yaml'), 'utf8');

/** The group of the custom kinds of the corpus. */
const CUSTOM_GROUP = 'corpus.example.com/';

/** The custom kind whose objects belong to no namespace. */
const CLUSTER_KIND = 'Island';

/** Each manifest of the corpus, in the order of the file. */
export const CORPUS_TEXTS: readonly CorpusText[] = CORPUS.split('\n---\n').map((text) => {
  const object = parse(text, { version: '1.1' }) as KubeObject;
  return { text, object, name: nameInCorpus(object), isCustom: object.apiVersion.startsWith(CUSTOM_GROUP) };
});

/** The name of the objects of a kind in the store. */
export function storageInCorpus({ apiVersion, kind }: KubeObject): string {
  const { plural } = resourceTypeOf({ apiVersion, kind });
  return apiVersion.startsWith(CUSTOM_GROUP) ? `${plural}.${CUSTOM_GROUP.slice(0, -1)}` : plural;
}

/** The name of an object in comparisons. */
export function nameInCorpus(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  const own = namespace === undefined || namespace === '' || namespace === 'default' ? '' : `${namespace}: `;
  return `${own}${qualifiedKind(object)}/${name}`;
}

/** Fields that differ between doors in stored objects, and why. Everything else is the same. */
const DIFFERENCES: readonly {
  /** The path of the field, with `*` for each item of a list. */
  readonly at: RegExp;
  /** Says whether this value may differ. Undefined: each one. */
  readonly isIt?: (value: unknown) => boolean;
  readonly why: string;
}[] = [
  {
    at: /^metadata\.(uid|creationTimestamp|resourceVersion|generation|managedFields)$|controller-uid$/,
    why: 'times, counts and chance',
  },
  { at: /^metadata\.finalizers$/, why: 'controllers add them later' },
  { at: /^metadata\.annotations\.deployment\.kubernetes\.io\/revision$/, why: 'a controller adds it later' },
  {
    at: /^metadata\.annotations\.kubectl\.kubernetes\.io\/last-applied-configuration$/,
    why: 'kubectl keeps the manifest there; podrun does so where a server merges',
  },
  { at: /^status$/, why: 'controllers write it' },
  {
    at: /^spec\.clusterIPs?$|^spec\.clusterIPs\.\*$/,
    isIt: (value) => value !== 'None' && !(Array.isArray(value) && value[0] === 'None'),
    why: 'the first free address, which a server chooses for each object, and an agent when it serves the Service',
  },
  { at: /\.(nodePort|healthCheckNodePort)$/, why: 'the first free port' },
  { at: /^spec\.volumeName$/, why: 'it has the uid of the claim' },
  { at: /^spec\.nodeName$/, why: 'the node is known when a Pod begins' },
  {
    at: /\.tolerations\.\*$/,
    isIt: (value) => String(fieldOf(value, 'key')).startsWith('node.kubernetes.io/'),
    why: 'for nodes that are lost: admission of the server adds them',
  },
  {
    at: /\.(volumes|volumeMounts)\.\*$/,
    isIt: (value) => String(fieldOf(value, 'name')).startsWith('kube-api-access-'),
    why: 'the token of an account is for the server',
  },
  { at: /\.serviceAccount(Name)?$/, isIt: (value) => value === 'default', why: 'the same' },
];

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}

/** An object without what may differ between doors. A list of which nothing is left is none. */
export function comparableObject(object: KubeObject): unknown {
  return without(object, '');
}

function without(value: unknown, at: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string): string => (at === '' ? key : `${at}.${key}`);
  const differs = (path: string, each: unknown): boolean =>
    DIFFERENCES.some((known) => known.at.test(path) && known.isIt?.(each) !== false);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => (differs(below('*'), item) ? [] : [without(item, below('*'))]));
  }
  const entries = Object.entries(value).flatMap(([key, field]: [string, unknown]) => {
    if (differs(below(key), field)) return [];
    const left = without(field, below(key));
    return isEmpty(left) && /^(volumes|volumeMounts|tolerations|annotations)$/.test(key) ? [] : [[key, left] as const];
  });
  return Object.fromEntries(entries);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** A server, as a client sees it. */
type ServerPlace = Pick<KubernetesServer, 'url' | 'ca' | 'token'>;

/** The server of a kubeconfig that podrun has written. */
export function serverAt(kubeconfig: string): ServerPlace {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
    readonly users: readonly [{ user: { token: string } }];
  };
  const { server: url, 'certificate-authority-data': ca } = clusters[0].cluster;
  return { url, ca: Buffer.from(ca, 'base64').toString(), token: users[0].user.token };
}

/** The response of a server to a request. */
export interface CorpusResponse {
  readonly body: KubeObject & { readonly message?: string };
  readonly warnings: readonly string[];
}

/** Creates an object as a client does. */
export function post(server: ServerPlace, object: KubeObject, query = ''): Promise<CorpusResponse> {
  const { apiVersion, metadata } = object;
  const { plural, isNamespaced } = resourceTypeOf(object);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const at = isNamespaced && object.kind !== CLUSTER_KIND ? `/namespaces/${metadata.namespace || 'default'}` : '';
  const url = `${server.url}${root}${at}/${plural}?fieldValidation=Strict${query}`;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ca: server.ca }, (response) => {
      let all = '';
      response.setEncoding('utf8').on('data', (piece: string) => (all += piece));
      response.on('end', () => {
        // A path that no server has is told in plain text.
        const isJson = response.headers['content-type']?.includes('json') === true;
        const [, ...warnings] = response.headers['warning']?.split('299 - "') ?? [];
        resolve({
          body: (isJson ? JSON.parse(all) : { kind: 'Status', message: all }) as KubeObject,
          warnings: warnings.map((text) => text.slice(0, text.lastIndexOf('"')).replaceAll(/\\(.)/g, '$1')),
        });
      });
    });
    sent.on('error', reject).end(JSON.stringify(object));
  });
}
