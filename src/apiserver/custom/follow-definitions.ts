import { DEFAULT_NAMESPACE, formatSeconds, isSameJson, type StoredKubeObject, trackUpdate } from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { DEFINITION_VERSION } from './definition-version.ts';
import { isServed, statusOfDefinition } from './definition/conditions.ts';
import type { Definition } from './definition/definition.ts';
import { servedResourcesOf } from './served-resources.ts';

/** The writes of the API server's own controller of definitions. */
const STATUS_WRITE = {
  shape: DEFINITION_VERSION.shape,
  manager: 'kube-apiserver',
  subresource: 'status',
  hasStatus: true,
};

const DEFINITIONS = 'customresourcedefinitions';

/**
 * Serves the kinds of stored CustomResourceDefinitions: writes their status, adds their kinds to the table of
 * resources, and removes the kinds of deleted ones with their objects.
 */
export function followDefinitions(context: ServerContext): Subscription {
  const served = new Map<string, readonly ServedResource[]>();
  for (const definition of definitionsOf(context)) serve(definition, served, context);
  const subscription = context.objects.subscribe(DEFINITIONS, ({ type, object }) => {
    const definition = object as unknown as Definition;
    // The change is reported to all before the next one is made.
    nextEventLoopTurn(() => {
      if (context.signal.aborted) return;
      if (type === 'DELETED') forget(definition, served, context);
      settle(context);
    });
    if (type !== 'DELETED') serve(definition, served, context);
  });
  settle(context);
  return subscription;
}

function definitionsOf({ objects }: ServerContext): readonly Definition[] {
  return objects.list(DEFINITIONS) as unknown as readonly Definition[];
}

/** Writes the status of each definition: names may have become free. */
function settle(context: ServerContext): void {
  const now = formatSeconds(context.clock.now().wallMs);
  for (const definition of definitionsOf(context)) {
    const others = definitionsOf(context).filter((other) => other.metadata.name !== definition.metadata.name);
    const status = statusOfDefinition(definition, others, now);
    const { name = '' } = definition.metadata;
    if (isSameJson(status, definition.status)) continue;
    context.store.change<StoredKubeObject>(DEFINITIONS, { namespace: DEFAULT_NAMESPACE, name }, 'both', (stored) =>
      trackUpdate(stored, { ...stored, status }, { ...STATUS_WRITE, time: now }),
    );
  }
}

function serve(definition: Definition, served: Map<string, readonly ServedResource[]>, context: ServerContext): void {
  if (!isServed(definition)) return;
  const { name = '' } = definition.metadata;
  const resources = servedResourcesOf(definition);
  const gone = (served.get(name) ?? []).filter(({ version }) => !resources.some((one) => one.version === version));
  for (const resource of gone) context.resources.remove(resource);
  for (const resource of resources) {
    context.objects.keep(resource.storage, { isNamespaced: resource.isNamespaced });
    context.resources.add(resource);
  }
  served.set(name, resources);
}

/** Removes the kind of a deleted definition, and its objects. */
function forget(
  { metadata }: Definition,
  served: Map<string, readonly ServedResource[]>,
  context: ServerContext,
): void {
  const { name = '' } = metadata;
  // A definition of the same name may have come meanwhile.
  if (context.objects.get(DEFINITIONS, undefined, name) !== undefined) return;
  for (const { metadata: own } of context.store.list<StoredKubeObject>(name)) {
    context.store.delete(name, own.namespace, own.name);
  }
  for (const resource of served.get(name) ?? []) context.resources.remove(resource);
  served.delete(name);
  context.objects.drop(name);
}
