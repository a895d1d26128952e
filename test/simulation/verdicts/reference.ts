import type { VerdictEntry } from './verdict-run.ts';
import type { VerdictScenario } from './verdict-scenario.ts';

/** The parts of objects that the reference looks at: it shares nothing with the code that decides. */
interface Seen {
  readonly kind: string;
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec: {
    readonly replicas?: number;
    readonly restartPolicy?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly containers?: readonly { readonly readinessProbe?: object }[];
  };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly state: { readonly running?: { readonly startedAt: string } };
    }[];
  };
}

/** An object in its last state at a moment. */
interface Last {
  readonly object: Seen;
  readonly isGone: boolean;
}

type States = ReadonlyMap<string, Last>;

/**
 * The reasons why a run with this history must not be green, from the objects and what has happened to them alone.
 * Empty: it may be.
 */
export function reasonsToFail(scenario: VerdictScenario, entries: readonly VerdictEntry[]): string[] {
  const end = entries.findIndex(({ type }) => type === 'verdict');
  const begun = entries.findIndex(({ type }) => type === 'command');
  const uids = entries.flatMap((entry) =>
    entry.type === 'object' && entry.isByClient && entry.change === 'ADDED' ? [entry.object.metadata.uid] : [],
  );
  const atEnd = new Moment(scenario, uids, entries, end);
  if (begun < 0) return [...atEnd.failed, ...atEnd.missing, ...atEnd.unserved, ...atEnd.unsettled];
  const atBegin = new Moment(scenario, uids, entries, begun);
  const early = [...atBegin.missing, ...atBegin.unserved, ...atBegin.unsettled].map((text) => `${text} before COMMAND`);
  return [...early, ...atEnd.failed, ...atEnd.missing, ...crashes(atBegin, entries.slice(begun, end))];
}

/** The applied objects at a moment, and what the goal lacks. */
class Moment {
  readonly scenario: VerdictScenario;
  readonly states: States;
  readonly #applied: readonly Last[];
  readonly #wallMs: number;

  constructor(scenario: VerdictScenario, uids: readonly string[], entries: readonly VerdictEntry[], at: number) {
    this.scenario = scenario;
    this.states = lastStates(entries.slice(0, at));
    this.#applied = uids.flatMap((uid) => this.states.get(uid) ?? []);
    this.#wallMs = entries[at]?.wallMs ?? 0;
  }

  /** The applied objects that no client has deleted. */
  get kept(): readonly Seen[] {
    return this.#applied.filter(isKept).map(({ object }) => object);
  }

  wants(...some: readonly string[]): boolean {
    const { until, command } = this.scenario;
    const goals = until.length > 0 ? until : command === undefined ? ['the end'] : ['up'];
    return goals.some((goal) => some.includes(goal));
  }

  get #wantsReady(): boolean {
    return this.wants('ready', 'up', 'available');
  }

  /** True for what has to be Ready. A Pod that ends by itself has its end as its goal, if one is wanted. */
  mustBeReady({ kind, spec }: Seen): boolean {
    const endsByItself = kind === 'Job' || (kind === 'Pod' && spec.restartPolicy !== 'Always');
    return this.#wantsReady && kind !== 'Service' && !(endsByItself && (kind === 'Job' || this.wants('complete')));
  }

  get failed(): string[] {
    if (this.wants('failed')) return [];
    const jobs = this.#applied.filter(({ object }) => object.kind === 'Job' && is(object, 'Failed'));
    const pods = this.kept.filter(({ kind, status }) => kind === 'Pod' && status.phase === 'Failed');
    return [...jobs.map(({ object }) => object), ...pods].map((object) => `${nameOf(object)} has Failed`);
  }

  get missing(): string[] {
    return this.kept.flatMap((object) => {
      const { kind, status, spec } = object;
      const lacks = (what: string): string[] => [`${nameOf(object)} is not ${what}`];
      if (kind === 'Service') return [];
      if (this.wants('failed') && kind === 'Pod' && status.phase !== 'Failed') return lacks('Failed');
      if (this.wants('failed') && kind === 'Job' && !is(object, 'Failed')) return lacks('Failed');
      if (kind === 'Job')
        return this.wants('complete', 'up', 'the end') && !is(object, 'Complete') ? lacks('Complete') : [];
      if (kind === 'Pod' && !this.mustBeReady(object))
        return this.wants('complete', 'the end') && status.phase !== 'Succeeded' ? lacks('Succeeded') : [];
      if (!this.mustBeReady(object)) return [];
      const ready = podsOf(object, this.states).filter((pod) => is(pod, 'Ready')).length;
      return ready < (kind === 'Pod' ? 1 : (spec.replicas ?? 1)) ? lacks(`Ready: ${ready} Pods are`) : [];
    });
  }

  /** The Services that select Pods, of which none is Ready. */
  get unserved(): string[] {
    const services = this.#wantsReady ? this.kept.filter(({ kind }) => kind === 'Service') : [];
    const pods = [...this.states.values()].filter(({ object, isGone }) => object.kind === 'Pod' && !isGone);
    return services.flatMap((service) => {
      const selected = pods.filter(({ object }) => object.metadata.labels?.['app'] === service.spec.selector?.['app']);
      const isServed = selected.length === 0 || selected.some(({ object }) => is(object, 'Ready'));
      return isServed ? [] : [`${nameOf(service)} leads to no Pod that is Ready`];
    });
  }

  /** The Pods without a readiness probe that have not run for the settle time. */
  get unsettled(): string[] {
    const { settleMs } = this.scenario;
    const pods = this.kept.filter((root) => this.mustBeReady(root)).flatMap((root) => podsOf(root, this.states));
    return pods.flatMap((pod) => {
      if (pod.spec.containers?.[0]?.readinessProbe !== undefined) return [];
      const startedAt = pod.status.containerStatuses?.[0]?.state.running?.startedAt;
      const isEarly = startedAt !== undefined && this.#wallMs - Date.parse(startedAt) < settleMs;
      return is(pod, 'Ready') && isEarly ? [`${nameOf(pod)} has not run for ${settleMs} ms`] : [];
    });
  }
}

/**
 * The containers of Pods that were Ready when COMMAND began, and that have ended by themselves since: before a client
 * deleted the Pod or its root.
 */
function crashes(begin: Moment, later: readonly VerdictEntry[]): string[] {
  if (begin.scenario.allowRestarts) return [];
  const roots = begin.kept.filter((root) => begin.mustBeReady(root));
  const pods = roots.flatMap((root) =>
    podsOf(root, begin.states).flatMap((pod) => (is(pod, 'Ready') ? [{ pod, root }] : [])),
  );
  return pods.flatMap(({ pod, root }) => {
    const own = later.slice(0, deletionOf([pod, root], later)).flatMap((entry) => {
      const isItself = entry.type === 'object' && entry.object.metadata.uid === pod.metadata.uid;
      return isItself ? [seenIn(entry.object)] : [];
    });
    const [before] = pod.status.containerStatuses ?? [];
    const hasEnded = own.some(({ status }) => {
      const [now] = status.containerStatuses ?? [];
      return now?.state.running === undefined || now.restartCount > (before?.restartCount ?? 0);
    });
    return hasEnded ? [`a container of ${nameOf(pod)} ended while COMMAND ran`] : [];
  });
}

/** The index of the first entry in which one of the objects is gone or ends. */
function deletionOf(objects: readonly Seen[], entries: readonly VerdictEntry[]): number {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const index = entries.findIndex((entry) => {
    if (entry.type !== 'object' || !uids.has(entry.object.metadata.uid)) return false;
    return !isKept({ object: seenIn(entry.object), isGone: entry.change === 'DELETED' });
  });
  return index < 0 ? entries.length : index;
}

function is({ status }: Seen, type: string): boolean {
  return status.conditions?.some((each) => each.type === type && each.status === 'True') === true;
}

function isKept({ object, isGone }: Last): boolean {
  return !isGone && object.metadata.deletionTimestamp === undefined;
}

function nameOf({ kind, metadata }: Seen): string {
  return `${kind} ${metadata.name}`;
}

function seenIn(object: object): Seen {
  const seen = object as Seen;
  return { ...seen, status: seen.status ?? {} };
}

function lastStates(entries: readonly VerdictEntry[]): States {
  const states = new Map<string, Last>();
  for (const entry of entries) {
    if (entry.type !== 'object') continue;
    const object = seenIn(entry.object);
    states.set(object.metadata.uid, { object, isGone: entry.change === 'DELETED' });
  }
  return states;
}

/** The Pods of a root that nobody has deleted: itself, or what runs for it. */
function podsOf(root: Seen, states: States): readonly Seen[] {
  if (root.kind === 'Pod') return [root];
  const all = [...states.values()].filter(isKept).map(({ object }) => object);
  const ownedBy = (owner: Seen): Seen[] =>
    all.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true);
  const direct = ownedBy(root);
  return [...direct, ...direct.flatMap(ownedBy)].filter(({ kind }) => kind === 'Pod');
}
