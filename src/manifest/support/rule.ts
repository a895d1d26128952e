/** The treatment of a field, in the words of `podrun explain --support`. */
export type Treatment =
  /** The field works as on a node. */
  | 'works'
  /** The field works with a difference, which the note describes. */
  | 'partly'
  /** The field is checked and stored. Nodes ignore it, and so does podrun. */
  | 'checked'
  /** The field is accepted and ignored, with an event. */
  | 'no effect'
  /** The field is an error: without it, the Pod would be a different one. */
  | 'refused'
  /** The field is dropped with a warning: its feature is disabled in this version of Kubernetes. */
  | 'dropped'
  /** The field is written by podrun. Its value in a manifest is dropped, as on a cluster. */
  | 'read-only';

/** The isolation of the containers: more fields have an effect in namespaces and in a network of the Pod. */
export interface Isolation {
  readonly hasNamespaces?: boolean;
  /** True with `--network pod`, and with `--network cluster`. */
  readonly hasPodNetwork?: boolean;
  /** True with several nodes: rules between nodes work. */
  readonly hasNodes?: boolean;
}

/** The treatment of one field of a type, for Pods that run as plain processes of the host. */
export interface FieldRule {
  readonly treatment: Treatment;
  /** The reason or the difference: one short sentence, also the text of the event or error. */
  readonly note: string;
  /**
   * True for a value that changes nothing, of a field without effect or a refused one: defaults, and what holds anyway.
   * Empty texts, lists and objects always count as harmless.
   * @param name name of the field, or key of the map entry
   */
  readonly isHarmless?: (value: unknown, parent: Readonly<Record<string, unknown>>, name: string) => boolean;
  /** The rule holds only for processes of the host. With namespaces the field works as on a node. */
  readonly worksInNamespaces?: true;
  /** The field works where the Pod has a network of its own: `--network cluster` or `pod`. */
  readonly worksInPodNetwork?: true;
  /** True where a value of the field works, of a field that needs more than one thing. */
  readonly worksWhere?: (value: unknown, isolation: Isolation) => boolean;
  /** The field exists for safety: it gets a warning at once, besides the event. */
  readonly isSafety?: true;
}

/** The rules of a type by field, in the order of the events. */
export type TypeRules = Readonly<Record<string, FieldRule>>;

/** The rules by type, named as in the field table. A type has no other fields than those listed. */
export type SupportTable = Readonly<Record<string, TypeRules>>;

/** True when the rule also holds for all fields below. Otherwise these have rules of their own. */
export function coversBelow({ treatment }: FieldRule): boolean {
  return treatment !== 'works' && treatment !== 'partly';
}

/** @param fields names of fields that all work as on a node */
export function works(...fields: readonly string[]): TypeRules {
  return Object.fromEntries(fields.map((field) => [field, { treatment: 'works', note: '' }]));
}

export const partly = (note: string): FieldRule => ({ treatment: 'partly', note });

export const checked = (note: string): FieldRule => ({ treatment: 'checked', note });

export function noEffect(note: string, isHarmless?: FieldRule['isHarmless']): FieldRule {
  return { treatment: 'no effect', note, ...(isHarmless === undefined ? {} : { isHarmless }) };
}

/** The rule of a safety field without effect. */
export function unsafe(note: string, isHarmless?: FieldRule['isHarmless']): FieldRule {
  return { ...noEffect(note, isHarmless), isSafety: true };
}

/** The rule of a field that has no effect for processes of the host, but works in namespaces. */
export function needsNamespaces(rule: FieldRule): FieldRule {
  return { ...rule, worksInNamespaces: true };
}

/** The rule of a field that has no effect in the network of the host, but works in a network of the Pod. */
export function needsPodNetwork(rule: FieldRule): FieldRule {
  return { ...rule, worksInPodNetwork: true };
}

/** The rule of a field that has no effect on one node. */
export function needsNodes(note: string): FieldRule {
  return needs(noEffect(note), (_, { hasNodes }) => hasNodes === true);
}

/** The rule of a field whose values need different things. */
export function needs(rule: FieldRule, worksWhere: NonNullable<FieldRule['worksWhere']>): FieldRule {
  return { ...rule, worksWhere };
}

const IN_POD_NETWORK = 'TCP and UDP, with --network cluster or pod';

/** The treatment and note of a rule when neither the tier of the containers nor the network of the Pod is known. */
export function inAnyTier(rule: FieldRule): Pick<FieldRule, 'treatment' | 'note'> {
  const { treatment, note, worksInNamespaces, worksInPodNetwork, worksWhere } = rule;
  if (worksWhere !== undefined) return { treatment: 'partly', note };
  if (worksInNamespaces) return { treatment: 'partly', note: `in the namespace tier; else ${treatment}: ${note}` };
  if (worksInPodNetwork) return { treatment: 'partly', note: `${IN_POD_NETWORK}; else ${treatment}: ${note}` };
  return { treatment, note };
}

export const refused = (note: string): FieldRule => ({ treatment: 'refused', note });

export const DROPPED: FieldRule = { treatment: 'dropped', note: 'its feature is off in Kubernetes v1.36' };

export const READ_ONLY: FieldRule = { treatment: 'read-only', note: 'podrun writes it' };

/** The rule of an object whose fields have rules of their own. */
export const FIELD_BY_FIELD: FieldRule = partly('see its fields');

export const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
