import path from 'node:path';
import {
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Envtest, envtest } from '../../src/library/index.ts';

interface Greeting extends KubernetesObject {
  readonly spec: { readonly to: string };
  readonly status?: { readonly configMap?: string };
}

const KIND = { group: 'example.com', version: 'v1', plural: 'greetings' };
const HERE = { ...KIND, namespace: 'default' };

/** A small operator: keeps a ConfigMap for each Greeting, and names it in the status. */
class GreetingOperator {
  readonly #maps: CoreV1Api;
  readonly #greetings: CustomObjectsApi;
  readonly #informer: Informer<Greeting>;
  readonly failures: unknown[] = [];

  constructor(config: KubeConfig) {
    this.#maps = config.makeApiClient(CoreV1Api);
    this.#greetings = config.makeApiClient(CustomObjectsApi);
    const list = (): Promise<{ items: Greeting[] }> => this.#greetings.listClusterCustomObject(KIND);
    this.#informer = makeInformer(config, '/apis/example.com/v1/greetings', list as never);
    for (const event of ['add', 'update'] as const)
      this.#informer.on(
        event,
        (greeting) => void this.#reconcile(greeting).catch((error) => this.failures.push(error)),
      );
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  async #reconcile({ metadata = {}, spec, status }: Greeting): Promise<void> {
    const { name = '', namespace = '', uid = '' } = metadata;
    const owner = { apiVersion: 'example.com/v1', kind: 'Greeting', name, uid, controller: true };
    const body: V1ConfigMap = { metadata: { name, ownerReferences: [owner] }, data: { text: `Hello ${spec.to}` } };
    const { items } = await this.#maps.listNamespacedConfigMap({ namespace, fieldSelector: `metadata.name=${name}` });
    if (items.length === 0) await this.#maps.createNamespacedConfigMap({ namespace, body });
    else if (items[0]?.data?.['text'] !== body.data?.['text'])
      await this.#maps.replaceNamespacedConfigMap({ name, namespace, body });
    if (status?.configMap === name) return;
    const patch = [{ op: 'add', path: '/status', value: { configMap: name } }];
    await this.#greetings.patchNamespacedCustomObjectStatus({ ...KIND, namespace, name, body: patch });
  }
}

let api: Envtest;
let config: KubeConfig;
let operator: GreetingOperator;

beforeAll(async () => {
  api = await envtest({ crds: path.join(import.meta.dirname, 'config/crd') });
  config = new KubeConfig();
  config.loadFromFile(api.kubeconfig);
  operator = new GreetingOperator(config);
  await operator.start();
});

afterAll(async () => {
  await operator.stop();
  await api.close();
});

describe('an operator that uses @kubernetes/client-node', () => {
  const textOf = async (name: string): Promise<string | undefined> => {
    const { items } = await config
      .makeApiClient(CoreV1Api)
      .listNamespacedConfigMap({ namespace: 'default', fieldSelector: `metadata.name=${name}` });
    return items[0]?.data?.['text'];
  };

  it('makes a ConfigMap for a Greeting, writes the status, and follows a change', async () => {
    const greetings = config.makeApiClient(CustomObjectsApi);
    const metadata = { name: 'hello' };
    const body = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata, spec: { to: 'world' } };
    await greetings.createNamespacedCustomObject({ ...HERE, body });
    const status = async (): Promise<unknown> =>
      ((await greetings.getNamespacedCustomObject({ ...HERE, name: 'hello' })) as Greeting).status;
    await expect.poll(status).toEqual({ configMap: 'hello' });
    expect(await textOf('hello')).toBe('Hello world');
    const change = [{ op: 'replace', path: '/spec/to', value: 'moon' }];
    await greetings.patchNamespacedCustomObject({ ...HERE, name: 'hello', body: change });
    await expect.poll(() => textOf('hello')).toBe('Hello moon');
    expect(operator.failures).toEqual([]);
  });

  it('keeps a cache that follows every write', async () => {
    const maps = config.makeApiClient(CoreV1Api);
    const list = (): ReturnType<CoreV1Api['listNamespacedConfigMap']> =>
      maps.listNamespacedConfigMap({ namespace: 'default' });
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', list);
    const seen: string[] = [];
    for (const event of ['add', 'update', 'delete'] as const)
      informer.on(event, ({ metadata, data }) => {
        if (metadata?.name === 'cached') seen.push(`${event} ${data?.['n']}`);
      });
    await informer.start();
    try {
      const at = { name: 'cached', namespace: 'default' };
      await maps.createNamespacedConfigMap({ ...at, body: { metadata: { name: 'cached' }, data: { n: '1' } } });
      await maps.replaceNamespacedConfigMap({ ...at, body: { metadata: { name: 'cached' }, data: { n: '2' } } });
      await maps.deleteNamespacedConfigMap(at);
      await expect.poll(() => seen).toEqual(['add 1', 'update 2', 'delete 2']);
    } finally {
      await informer.stop();
    }
  });
});
