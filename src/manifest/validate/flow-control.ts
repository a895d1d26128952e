import {
  type FlowcontrolFlowSchema,
  type FlowcontrolLimitedPriorityLevelConfiguration,
  type FlowcontrolLimitResponse,
  type FlowcontrolNonResourcePolicyRule,
  type FlowcontrolPolicyRulesWithSubjects,
  type FlowcontrolPriorityLevelConfiguration,
  type FlowcontrolResourcePolicyRule,
  type FlowcontrolSubject,
  labelMessages,
  subdomainMessages,
} from '../../api/index.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import type { Decoded } from '../base/decoded.ts';
import { each, requiredText, wellFormed } from './checks.ts';

/** Source of all rules here: pkg/apis/flowcontrol/validation/validation.go. */

const EXEMPT = 'exempt';
const ALL = '*';
const PRECEDENCE_MAX = 10_000;
const PRECEDENCE_DEFAULT = 1000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const SUBJECTS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
const QUEUES_MAX = 10_000_000;
const SHARES_WRONG = 'must be a non-negative integer';

export function validateFlowSchema({ metadata, spec = {} }: Decoded<FlowcontrolFlowSchema>): FieldError[] {
  const { matchingPrecedence: precedence = PRECEDENCE_DEFAULT, distinguisherMethod: method, rules } = spec;
  const { name: level } = spec.priorityLevelConfiguration ?? {};
  const path = 'spec.matchingPrecedence';
  const levelPath = 'spec.priorityLevelConfiguration.name';
  return [
    ...(precedence <= 0 ? [invalid(path, precedence, 'must be a positive value')] : []),
    ...(precedence > PRECEDENCE_MAX ? [invalid(path, precedence, `must not be greater than ${PRECEDENCE_MAX}`)] : []),
    ...(precedence === 1 && metadata?.name !== EXEMPT
      ? [invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : []),
    ...(method === undefined || DISTINGUISHERS.includes(method.type ?? '')
      ? []
      : [notSupported('spec.distinguisherMethod.type', { Type: method.type ?? '' }, DISTINGUISHERS)]),
    ...(level
      ? wellFormed(levelPath, level, subdomainMessages)
      : [required(levelPath, 'must reference a priority level')]),
    ...each('spec.rules', rules, validateRules),
  ];
}

function validateRules(rules: Decoded<FlowcontrolPolicyRulesWithSubjects>, at: string): FieldError[] {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rules;
  return [
    ...(subjects.length === 0 ? [required(child(at, 'subjects'), 'subjects must contain at least one value')] : []),
    ...each(child(at, 'subjects'), subjects, validateSubject),
    ...(resourceRules.length + nonResourceRules.length === 0
      ? [required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...each(child(at, 'resourceRules'), resourceRules, validateResourceRule),
    ...each(child(at, 'nonResourceRules'), nonResourceRules, validateNonResourceRule),
  ];
}

function validateSubject(subject: Decoded<FlowcontrolSubject>, at: string): FieldError[] {
  const { kind = '', serviceAccount, user, group } = subject;
  if (!Object.hasOwn(SUBJECTS, kind)) return [notSupported(child(at, 'kind'), kind, Object.keys(SUBJECTS).sort())];
  const field = SUBJECTS[kind as keyof typeof SUBJECTS];
  const missing = subject[field] === undefined;
  const place = child(at, field);
  const { name = '', namespace = '' } = serviceAccount ?? {};
  return [
    ...(missing ? [required(place, `${field} is required when subject kind is '${kind}'`)] : []),
    ...(!missing && field === 'user' ? requiredText(child(place, 'name'), user?.name) : []),
    ...(!missing && field === 'group' ? requiredText(child(place, 'name'), group?.name) : []),
    ...(!missing && field === 'serviceAccount'
      ? [
          ...requiredText(child(place, 'name'), name),
          ...(name === '' || name === ALL ? [] : wellFormed(child(place, 'name'), name, subdomainMessages)),
          ...(namespace === ''
            ? [required(child(place, 'namespace'), 'must specify namespace for service account')]
            : wellFormed(child(place, 'namespace'), namespace, labelMessages)),
        ]
      : []),
    ...Object.entries(SUBJECTS)
      .filter(([, other]) => other !== field && subject[other] !== undefined)
      .map(([of, other]) => forbidden(child(at, other), `${other} is forbidden when subject kind is not '${of}'`)),
  ];
}

/** A list of which `*` is everything: not empty, and with nothing beside the star. */
function starred(path: string, items: readonly string[], [empty, others]: readonly [string, string]): FieldError[] {
  if (items.length === 0) return [required(path, empty)];
  if (items.length === 1 || !items.includes(ALL)) return [];
  return [invalid(path, items, `if '*' is present, must not specify other ${others}`)];
}

const VERBS = ['verbs must contain at least one value', 'verbs'] as const;
const GROUPS = ['resource rules must supply at least one api group', 'api groups'] as const;
const RESOURCES = ['resource rules must supply at least one resource', 'resources'] as const;
const NAMESPACES = [
  'resource rules that are not cluster scoped must supply at least one namespace',
  'namespaces',
] as const;
const URLS = ['nonResourceURLs must contain at least one value', 'non-resource URLs'] as const;

function validateResourceRule(rule: Decoded<FlowcontrolResourcePolicyRule>, at: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
  return [
    ...starred(child(at, 'verbs'), verbs, VERBS),
    ...starred(child(at, 'apiGroups'), apiGroups, GROUPS),
    ...starred(child(at, 'resources'), resources, RESOURCES),
    ...(namespaces.length === 0 && clusterScope ? [] : starred(child(at, 'namespaces'), namespaces, NAMESPACES)),
    ...each(child(at, 'namespaces'), namespaces.includes(ALL) ? [] : namespaces, (namespace, path) =>
      wellFormed(path, namespace, labelMessages),
    ),
  ];
}

function validateNonResourceRule(rule: Decoded<FlowcontrolNonResourcePolicyRule>, at: string): FieldError[] {
  const { verbs = [], nonResourceURLs = [] } = rule;
  return [
    ...starred(child(at, 'verbs'), verbs, VERBS),
    ...starred(child(at, 'nonResourceURLs'), nonResourceURLs, URLS),
  ];
}

export function validatePriorityLevel({
  metadata,
  spec = {},
}: Decoded<FlowcontrolPriorityLevelConfiguration>): FieldError[] {
  const { type = '', limited, exempt } = spec;
  const isExempt = type === 'Exempt';
  const wrongType =
    (metadata?.name === EXEMPT) === isExempt
      ? []
      : [invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'")];
  if (isExempt) {
    const isBoth = limited !== undefined;
    return [...wrongType, ...(isBoth ? [forbidden('spec.limited', 'must be nil if the type is not Limited')] : [])];
  }
  if (type !== 'Limited') return [...wrongType, notSupported('spec.type', type, ['Exempt', 'Limited'])];
  return [
    ...wrongType,
    ...(exempt === undefined ? [] : [forbidden('spec.exempt', 'must be nil if the type is Limited')]),
    ...(limited === undefined
      ? [required('spec.limited', 'must not be empty when type is Limited')]
      : validateLimited(limited)),
  ];
}

function validateLimited(limited: Decoded<FlowcontrolLimitedPriorityLevelConfiguration>): FieldError[] {
  const { nominalConcurrencyShares: shares = 0, limitResponse, lendablePercent: lent = 0 } = limited;
  const { borrowingLimitPercent: borrowed = 0 } = limited;
  const at = 'spec.limited';
  return [
    ...(shares < 0 ? [invalid(child(at, 'nominalConcurrencyShares'), shares, SHARES_WRONG)] : []),
    ...validateResponse(child(at, 'limitResponse'), limitResponse ?? {}),
    ...(lent < 0 || lent > 100
      ? [invalid(child(at, 'lendablePercent'), lent, 'must be between 0 and 100, inclusive')]
      : []),
    ...(borrowed < 0
      ? [invalid(child(at, 'borrowingLimitPercent'), borrowed, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function validateResponse(at: string, { type = '', queuing }: Decoded<FlowcontrolLimitResponse>): FieldError[] {
  const path = child(at, 'queuing');
  if (type === 'Reject') {
    if (queuing === undefined) return [];
    return [forbidden(path, 'must be nil if limited.limitResponse.type is not Limited')];
  }
  if (type !== 'Queue') return [notSupported(child(at, 'type'), type, ['Queue', 'Reject'])];
  if (queuing === undefined) return [required(path, 'must not be empty if limited.limitResponse.type is Limited')];
  const { queueLengthLimit = 50, queues = 64, handSize = 8 } = queuing;
  return [
    ...aboveZero(child(path, 'queueLengthLimit'), queueLengthLimit),
    ...aboveZero(child(path, 'queues'), queues),
    ...(queues > QUEUES_MAX ? [invalid(child(path, 'queues'), queues, `must not be greater than ${QUEUES_MAX}`)] : []),
    ...aboveZero(child(path, 'handSize'), handSize),
    ...(handSize > queues
      ? [invalid(child(path, 'handSize'), handSize, `should not be greater than queues (${queues})`)]
      : []),
  ];
}

function aboveZero(path: string, value: number): FieldError[] {
  return value > 0 ? [] : [invalid(path, value, 'must be positive')];
}
