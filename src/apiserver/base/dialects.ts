import { goQuote, usage } from '../../api/index.ts';
import { ENDPOINTS_DEPRECATED, type FieldError } from '../../manifest/index.ts';
import { KUBERNETES_VERSION } from '../../version.ts';

/**
 * All of podrun is written for the newest minor version of Kubernetes. These tables have what clients see of an older
 * one in its place: texts, and kinds that came later.
 */

/** A version of Kubernetes that a server stands for. */
export interface Dialect {
  /** `v1.34.0`. */
  readonly gitVersion: string;
  readonly minor: number;
}

/** Other words for a mistake, up to a minor version. */
interface FormerWords {
  readonly until: number;
  readonly types: readonly FieldError['type'][];
  /** True: the mistake is about the schema of a custom kind, or about its rules. */
  readonly isOfSchema: boolean;
  readonly words: (error: FieldError) => Partial<FieldError>;
}

const inBytes =
  (words: string): FormerWords['words'] =>
  ({ detail }) => ({ detail: detail.replace(/^may not be more than (\d+) bytes$/, words) });

const FORMER_WORDS: readonly FormerWords[] = [
  // A refused CEL rule. Source: apiextensions, pkg/apiserver/schema/cel/validation.go, fieldErrorForReason.
  {
    until: 35,
    types: ['Invalid value', 'Duplicate value'],
    isOfSchema: true,
    words: ({ schemaType = '' }) => ({ value: goQuote(schemaType) }),
  },
  // A missing value was a text. Source: apimachinery/pkg/util/validation/field/errors.go, ErrorBody.
  {
    until: 32,
    types: ['Invalid value'],
    isOfSchema: false,
    words: ({ value }) => (value === 'null' ? { value: '"null"' } : {}),
  },
  // Source: the same, TooLongMaxLength and TooLong.
  { until: 31, types: ['Too long'], isOfSchema: true, words: inBytes('may not be longer than $1') },
  { until: 31, types: ['Too long'], isOfSchema: false, words: inBytes('must have at most $1 bytes') },
];

/** Kinds that came with a minor version: before, they were served in no version, or in one that is off by default. */
const NEW_KINDS: readonly { readonly since: number; readonly at: string; readonly plurals: readonly string[] }[] = [
  {
    since: 36,
    at: 'admissionregistration.k8s.io/v1',
    plurals: ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
  },
  {
    since: 34,
    at: 'resource.k8s.io/v1',
    plurals: ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
  },
  { since: 34, at: 'storage.k8s.io/v1', plurals: ['volumeattributesclasses'] },
  { since: 33, at: 'networking.k8s.io/v1', plurals: ['ipaddresses', 'servicecidrs'] },
  {
    since: 30,
    at: 'admissionregistration.k8s.io/v1',
    plurals: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
  },
];

/** Warnings that came with a minor version. */
const NEW_WARNINGS: readonly { readonly since: number; readonly text: string }[] = [
  { since: 33, text: ENDPOINTS_DEPRECATED },
];

/** The first minor version whose `/version` names the emulated version. */
const EMULATION_SINCE = 33;

const OLDEST = 29;

/** The version whose behaviour podrun shows everywhere else. */
export const NEWEST_DIALECT: Dialect = {
  gitVersion: KUBERNETES_VERSION,
  minor: Number(/^v1\.(\d+)/.exec(KUBERNETES_VERSION)?.[1]),
};

/** The minor versions that podrun stands for, the oldest first: `1.34`. */
export const DIALECT_VERSIONS: readonly string[] = Array.from(
  { length: NEWEST_DIALECT.minor - OLDEST + 1 },
  (_, index) => `1.${OLDEST + index}`,
);

/**
 * The dialect of a version as users write it: `1.34`, `1.34.1`, `v1.34.1`, `1.34.x`.
 * @throws {PodrunError} (usage) for a version that podrun does not stand for
 */
export function dialectOf(text: string): Dialect {
  const [, digits = '', patch = 'x'] = /^v?1\.(\d{1,4})(?:\.(x|\d{1,4}))?$/.exec(text) ?? [];
  const minor = Number(digits);
  if (!DIALECT_VERSIONS.includes(`1.${digits}`)) {
    const advice = `Use one of ${DIALECT_VERSIONS.join(', ')}.`;
    throw usage(`unsupported version of Kubernetes: ${JSON.stringify(text)}`, advice);
  }
  if (patch !== 'x') return { gitVersion: `v1.${minor}.${patch}`, minor };
  return minor === NEWEST_DIALECT.minor ? NEWEST_DIALECT : { gitVersion: `v1.${minor}.0`, minor };
}

/** A mistake in the words of a dialect. */
export function mistakeIn({ minor }: Dialect, error: FieldError): FieldError {
  const former = FORMER_WORDS.find(
    ({ until, types, isOfSchema }) =>
      minor <= until && types.includes(error.type) && isOfSchema === (error.schemaType !== undefined),
  );
  return former === undefined ? error : { ...error, ...former.words(error) };
}

/** True for a kind that a server of the dialect serves. */
export function isServedIn(
  { minor }: Dialect,
  kind: { readonly group: string; readonly version: string; readonly plural: string },
): boolean {
  const at = `${kind.group}/${kind.version}`;
  return !NEW_KINDS.some((each) => each.at === at && each.plurals.includes(kind.plural) && minor < each.since);
}

/** True for a warning that a server of the dialect gives. */
export function isWarningIn({ minor }: Dialect, warning: string): boolean {
  return !NEW_WARNINGS.some(({ since, text }) => text === warning && minor < since);
}

/** True when `/version` of the dialect names the emulated version. */
export function namesEmulation({ minor }: Dialect): boolean {
  return minor >= EMULATION_SINCE;
}
