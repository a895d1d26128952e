import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type KubernetesServer, serve } from '../../src/library/index.ts';
import { FileStore } from '../../src/store/index.ts';
import { newObject } from '../../src/apiserver/index.ts';
import { SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/index.ts';
import { type KubeObject, resourceTypeOf } from '../../src/api/index.ts';
import { loadText } from '../manifest/load-text.ts';
import { emptyFolder } from '../library/pods.ts';

/** Each is applied by itself: by `apply`, whose steps these are, and by the API of a server. */
const TEXTS = readFileSync(path.join(import.meta.dirname, 'corpus.yaml'), 'utf8').split('\n---\n');

let server: KubernetesServer;
beforeAll(async () => {
  server = await serve({ runtime: 'process', network: 'host', config: false });
});
afterAll(() => server.close());

/** The object that a dry run would create, or the Status. */
async function created(object: KubeObject): Promise<KubeObject> {
  const { apiVersion, metadata } = object;
  const { plural, isNamespaced } = resourceTypeOf(object);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const at = isNamespaced ? `/namespaces/${metadata.namespace || 'default'}` : '';
  const url = `${server.url}${root}${at}/${plural}?dryRun=All&fieldValidation=Strict`;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ca: server.ca }, (response) => {
      let all = '';
      response.setEncoding('utf8').on('data', (piece: string) => (all += piece));
      response.on('end', () => resolve(JSON.parse(all) as KubeObject));
    });
    sent.on('error', reject).end(JSON.stringify(object));
  });
}

/** An object without what depends on the time, on chance and on the server beside it. */
function comparable(object: KubeObject): unknown {
  const { uid: _u, creationTimestamp: _c, resourceVersion: _r, managedFields: _m, ...metadata } = object.metadata;
  const { generation: _g, finalizers: _f, ...rest } = metadata;
  const { status: _s, spec, ...others } = object as KubeObject & { spec?: Record<string, unknown>; status?: unknown };
  const { clusterIP: _i, clusterIPs: _is, ports, nodeName: _n, tolerations: _t, volumes, ...bare } = spec ?? {};
  const ownVolumes = ((volumes ?? []) as { name: string }[]).filter(({ name }) => !name.startsWith('kube-api-access-'));
  const text = JSON.stringify({ ...others, metadata: rest, spec: { ...bare, ports, ownVolumes } });
  return JSON.parse(text, (key, value: unknown) => {
    if (key === 'nodePort' || key.endsWith('controller-uid')) return undefined;
    // The token of an account is for the server.
    if (key.startsWith('serviceAccount') && value === 'default') return undefined;
    const isMounts = key === 'volumeMounts' && Array.isArray(value);
    const mounts = isMounts
      ? (value as { name: string }[]).filter(({ name }) => !name.startsWith('kube-api-access-'))
      : [];
    return isMounts ? (mounts.length === 0 ? undefined : mounts) : value;
  });
}

describe('a manifest of the corpus', () => {
  it('is one of at least 40', () => {
    expect(TEXTS.length).toBeGreaterThanOrEqual(40);
  });

  it.each(
    TEXTS.map((text) => ({ text, title: /kind: (\w+)\nmetadata: \{name: ([\w-]+)/.exec(text)?.slice(1).join(' ') })),
  )('becomes the same object by apply and by the API: $title', async ({ text }) => {
    const { objects, errors } = await loadText(text, { forRunning: true });
    expect(errors).toEqual([]);
    const clock = new SystemClock();
    const store = new FileStore({ root: emptyFolder(), clock, processes: localProcesses, memoryMountPoints: [] });
    const [applied] = objects.map(({ object }) => newObject(store, object));
    const served = await created(parse(text, { version: '1.1' }) as KubeObject);
    expect(served).not.toMatchObject({ kind: 'Status' });
    expect(comparable(served)).toEqual(comparable(applied!));
  });
});
