import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import type { Alarm } from '../../clock.ts';
import { inBackground } from '../../defects.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { checkedPolicy, isUnchecked } from './checked-policy.ts';
import { danglingSchema } from './dangling-schema.ts';
import { reported } from './reported.ts';
import { type StatusWriter, writeAs } from './write-as.ts';

type Wanted = KubeObject | undefined;

/** A part of the status of the objects of a kind that a controller keeps. */
interface OwnPart {
  readonly resource: string;
  /** The other resources that the part depends on. */
  readonly sources: readonly string[];
  /** The name in `metadata.managedFields`. */
  readonly manager: string;
  /** False: the part is as it should be, which costs nothing to say. Default: it must be computed. */
  readonly isDue?: (object: StoredKubeObject) => boolean;
  /** The fields that the controller applies. Undefined: the object has them. */
  readonly wanted: (object: StoredKubeObject, context: ServerContext) => Wanted | Promise<Wanted>;
}

const PARTS: readonly OwnPart[] = [
  {
    resource: 'flowschemas',
    sources: ['prioritylevelconfigurations'],
    manager: 'api-priority-and-fairness-config-consumer-v1',
    wanted: danglingSchema,
  },
  {
    resource: 'validatingadmissionpolicies',
    sources: [],
    manager: 'validatingadmissionpolicy-status',
    isDue: isUnchecked,
    wanted: checkedPolicy,
  },
];

/** Changes within this time are looked at together. */
const TOGETHER_MS = 20;

/**
 * Keeps what controllers of Kubernetes write into objects that nothing here acts upon, for clients that wait for it:
 * whether the priority level of a FlowSchema exists, and what is wrong with the types in a ValidatingAdmissionPolicy.
 */
export function keepOwnParts(context: ServerContext): Subscription {
  const all = PARTS.map((part) => keep(part, context));
  return { close: () => all.forEach((one) => one.close()) };
}

function keep(part: OwnPart, context: ServerContext): Subscription {
  const { objects, clock } = context;
  const { resource, sources, manager, isDue = () => true, wanted } = part;
  const by: StatusWriter = { manager, operation: 'Apply', subresource: 'status' };
  const due = new Map<string, StoredKubeObject>();
  let alarm: Alarm | undefined;
  let isClosed = false;
  const current = ({ metadata: { namespace, name } }: StoredKubeObject): StoredKubeObject | undefined =>
    isClosed ? undefined : objects.get(resource, namespace, name);
  const write = async (object: StoredKubeObject): Promise<void> => {
    const fields = await wanted(object, context);
    // A change meanwhile has brought a look of its own.
    const isLast = current(object)?.metadata.generation === object.metadata.generation;
    if (fields === undefined || !isLast || isClosed) return;
    reported(context, resource, () => writeAs(by, resource, object, () => fields, context));
  };
  const writeAll = (): void => {
    alarm = undefined;
    const seen = [...due.values()];
    due.clear();
    for (const object of seen.flatMap((one) => current(one) ?? [])) if (isDue(object)) inBackground(write(object));
  };
  const plan = (object: StoredKubeObject): void => {
    if (!isDue(object)) return;
    due.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
    alarm ??= clock.wakeAt(clock.now().monotonicMs + TOGETHER_MS, writeAll);
  };
  const planAll = (): void => objects.list(resource).forEach(plan);
  const subscriptions = [
    objects.subscribe(resource, ({ type, object }) => {
      if (type !== 'DELETED') plan(object);
    }),
    ...sources.map((source) => objects.subscribe(source, planAll)),
  ];
  planAll();
  return {
    close: () => {
      isClosed = true;
      alarm?.cancel();
      for (const subscription of subscriptions) subscription.close();
    },
  };
}
