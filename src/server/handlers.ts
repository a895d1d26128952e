import {
  accessReviewAnswer,
  type ApiHandler,
  type ApiRequest,
  type ApiVerb,
  bindingAnswer,
  bindingsAnswer,
  createAnswer,
  deleteAnswer,
  deleteCollectionAnswer,
  evictionAnswer,
  finalizeAnswer,
  getObjectAnswer,
  methodNotAllowed,
  noSuchPath,
  patchAnswer,
  rulesReviewAnswer,
  SCALE_HANDLERS,
  selfReviewAnswer,
  StatusError,
  type SubresourceHandlers,
  tokenAnswer,
  tokenReviewAnswer,
  updateAnswer,
  type UpgradeHandler,
} from '../apiserver/index.ts';
import { componentStatusAnswer } from './reads/component-statuses.ts';
import { listAnswer } from './reads/list.ts';
import { nodeMetricsAnswer, podMetricsAnswer } from './reads/metrics.ts';
import { watchAnswer } from './reads/watch.ts';
import { ATTACH, EXEC } from './streams/command/command-handlers.ts';
import { PORT_FORWARD } from './streams/forward/forward-handlers.ts';
import { LOG } from './streams/log/log-handlers.ts';
import { NODE_PROXY } from './streams/proxy/node-proxy.ts';
import { POD_PROXY, SERVICE_PROXY } from './streams/proxy/proxy-handlers.ts';

/** The subresources that stream, by `plural/subresource`. */
const STREAM_SUBRESOURCES: Readonly<Record<string, SubresourceHandlers>> = {
  'pods/exec': EXEC,
  'pods/attach': ATTACH,
  'pods/portforward': PORT_FORWARD,
  'pods/log': LOG,
  'pods/proxy': POD_PROXY,
  'services/proxy': SERVICE_PROXY,
  'nodes/proxy': NODE_PROXY,
};

type VerbHandlers = Partial<Readonly<Record<ApiVerb, ApiHandler>>>;

/** The handlers of objects and collections, by verb. */
const OBJECT_HANDLERS: VerbHandlers = {
  get: getObjectAnswer,
  list: listAnswer,
  watch: watchAnswer,
  create: createAnswer,
  update: updateAnswer,
  patch: patchAnswer,
  delete: deleteAnswer,
  deletecollection: deleteCollectionAnswer,
};

/** The verbs of one object: a collection does not have them. */
const OF_ONE: ReadonlySet<ApiVerb> = new Set(['get', 'update', 'patch', 'delete']);

/** The handlers of kinds that are not stored. */
const COMPUTED_HANDLERS: Readonly<Record<string, VerbHandlers>> = {
  '/bindings': { create: bindingsAnswer },
  '/componentstatuses': { get: componentStatusAnswer, list: componentStatusAnswer },
  'authentication.k8s.io/selfsubjectreviews': { create: selfReviewAnswer },
  'authentication.k8s.io/tokenreviews': { create: tokenReviewAnswer },
  'authorization.k8s.io/localsubjectaccessreviews': { create: accessReviewAnswer },
  'authorization.k8s.io/selfsubjectaccessreviews': { create: accessReviewAnswer },
  'authorization.k8s.io/selfsubjectrulesreviews': { create: rulesReviewAnswer },
  'authorization.k8s.io/subjectaccessreviews': { create: accessReviewAnswer },
  'metrics.k8s.io/nodes': { get: nodeMetricsAnswer, list: nodeMetricsAnswer },
  'metrics.k8s.io/pods': { get: podMetricsAnswer, list: podMetricsAnswer },
};

/** A subresource that changes a part of the object. */
const PART_HANDLERS: SubresourceHandlers = { get: getObjectAnswer, update: updateAnswer, patch: patchAnswer };

/** The handlers of the subresources that many kinds have. */
const SHARED_SUBRESOURCES: Readonly<Record<string, SubresourceHandlers>> = {
  scale: SCALE_HANDLERS,
  status: PART_HANDLERS,
};

/** The handlers of other subresources, by `PLURAL/SUBRESOURCE`. */
const SUBRESOURCE_HANDLERS: Readonly<Record<string, SubresourceHandlers>> = {
  ...STREAM_SUBRESOURCES,
  'pods/binding': { create: bindingAnswer },
  'pods/ephemeralcontainers': PART_HANDLERS,
  'pods/eviction': { create: evictionAnswer },
  'certificatesigningrequests/approval': PART_HANDLERS,
  'namespaces/finalize': { update: finalizeAnswer },
  'pods/resize': PART_HANDLERS,
  'serviceaccounts/token': { create: tokenAnswer },
};

/** @throws {StatusError} when the resource does not know the verb or the subresource */
export function handlerOf(request: ApiRequest): ApiHandler {
  const { resource, verb, subresource } = request;
  if (subresource === undefined) {
    const handlers = COMPUTED_HANDLERS[`${resource.group}/${resource.plural}`] ?? OBJECT_HANDLERS;
    // A watch of one object is a watch of the collection.
    const isFitting = verb === 'watch' || (request.name !== undefined) === OF_ONE.has(verb);
    const handler = isFitting && resource.verbs.includes(verb) ? handlers[verb] : undefined;
    if (handler === undefined) throw methodNotAllowed();
    return handler;
  }
  const handlers = subresourceHandlers(request);
  const handler = handlers.connect ?? handlers[verb as 'get'];
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

/** @throws {StatusError} when nothing of the resource takes over connections */
export function upgradeHandlerOf(request: ApiRequest): UpgradeHandler {
  const upgrade = request.subresource === undefined ? undefined : subresourceHandlers(request).upgrade;
  if (upgrade !== undefined) return upgrade;
  throw new StatusError({ code: 400, reason: 'BadRequest', message: 'this path has no upgrade', details: {} });
}

function subresourceHandlers({ resource, subresource = '' }: ApiRequest): SubresourceHandlers {
  const isServed = resource.subresources.some(({ name }) => name === subresource);
  const handlers = SUBRESOURCE_HANDLERS[`${resource.plural}/${subresource}`] ?? SHARED_SUBRESOURCES[subresource];
  if (!isServed || handlers === undefined) throw noSuchPath();
  return handlers;
}
