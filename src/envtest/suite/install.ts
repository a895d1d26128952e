import type { KubeObject } from '../../api/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import type { ManifestMistake, UnreadObject } from '../../manifest/index.ts';
import { type ApiClient, messageOf } from '../../server/index.ts';
import { placeIn } from './read-definitions.ts';

/** The time that the kind of a definition may take to be served, as in envtest, and the period of looks for it. */
const SERVED_MS = 10_000;
const LOOK_MS = 5;

const COLLECTIONS: Readonly<Record<string, string>> = {
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  MutatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};

/** An object to install, with its place in a manifest. */
export type ObjectToInstall = Pick<UnreadObject, 'file' | 'object' | 'position'>;

/**
 * Creates objects, and waits until the kinds of definitions are served. Returns what the server refuses, in its words.
 */
export async function installObjects(
  client: ApiClient,
  clock: Clock,
  objects: readonly ObjectToInstall[],
): Promise<readonly ManifestMistake[]> {
  const mistakes: ManifestMistake[] = [];
  const refuse = ({ file, position }: ObjectToInstall, why: string): void =>
    void mistakes.push({ stage: 'input', message: `${why} ${placeIn(file, position)}` });
  for (const each of objects) {
    const created = await client.call({ method: 'POST', path: pathOf(each.object), body: each.object });
    if (created.code !== 201) refuse(each, messageOf(created));
  }
  if (mistakes.length > 0) return mistakes;
  for (const each of objects) {
    const why = await untilServed(client, clock, each.object);
    if (why !== undefined) refuse(each, why);
  }
  return mistakes;
}

/** Resolves when the kind of a definition is served, or with the reason why it is not. */
async function untilServed(client: ApiClient, clock: Clock, object: KubeObject): Promise<string | undefined> {
  if (object.kind !== 'CustomResourceDefinition') return undefined;
  const path = `${pathOf(object)}/${encodeURIComponent(object.metadata.name ?? '')}`;
  const untilMs = clock.now().monotonicMs + SERVED_MS;
  for (;;) {
    const { body } = await client.call({ method: 'GET', path });
    const { conditions = [] } = (body['status'] ?? {}) as { readonly conditions?: readonly GivenCondition[] };
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return undefined;
    const conflict = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (conflict !== undefined) return `its kind is not served: ${conflict.message}`;
    if (clock.now().monotonicMs > untilMs) return 'its kind is not served within 10 seconds';
    await sleep(clock, LOOK_MS);
  }
}

interface GivenCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

const pathOf = ({ kind }: KubeObject): string => COLLECTIONS[kind] ?? '';
