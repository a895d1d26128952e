import { canonicalQuantity, errorMessage, type KubeObject, parseLabelPairs, usage } from '../../api/index.ts';

/**
 * A ResourceQuota. Source: kubectl/pkg/cmd/create/create_quota.go.
 * @param hard `cpu=1,pods=2`
 * @param scopes `BestEffort,NotTerminating`
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function newQuota(name: string, hard: string, scopes: string): KubeObject {
  const list = scopes === '' ? [] : scopes.split(',');
  if (list.includes('')) throw usage('invalid resource quota scope ""');
  const amounts = amountsIn(hard);
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: { ...(amounts && { hard: amounts }), ...(list.length > 0 && { scopes: list }) },
    status: {},
  };
}

/**
 * Reads `cpu=200m,memory=512Mi`. Undefined when there is none.
 * Source: kubectl/pkg/generate/versioned/run.go, populateResourceListV1.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function amountsIn(list: string | undefined): Readonly<Record<string, string>> | undefined {
  if (!list) return undefined;
  return Object.fromEntries(
    list.split(',').map((statement) => {
      const [resource = '', amount, ...rest] = statement.split('=');
      if (amount === undefined || rest.length > 0) {
        throw usage(`Invalid argument syntax ${statement}, expected <resource>=<value>`);
      }
      return [resource, readAmount(amount)];
    }),
  );
}

function readAmount(amount: string): string {
  try {
    return canonicalQuantity(amount);
  } catch (error) {
    throw usage(errorMessage(error));
  }
}

/** Everything that `create poddisruptionbudget` lets one say. */
export interface NewBudget {
  readonly name: string;
  readonly selector: string;
  readonly minAvailable: string | undefined;
  readonly maxUnavailable: string | undefined;
}

/**
 * A PodDisruptionBudget. Source: kubectl/pkg/cmd/create/create_pdb.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function newBudget({ name, selector, minAvailable, maxUnavailable }: NewBudget): KubeObject {
  if (selector === '') throw usage('a selector must be specified');
  if (!minAvailable && !maxUnavailable) throw usage('one of min-available or max-unavailable must be specified');
  if (minAvailable && maxUnavailable) throw usage('min-available and max-unavailable cannot be both specified');
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: {
      ...(maxUnavailable && { maxUnavailable: countIn('max-unavailable', maxUnavailable) }),
      ...(minAvailable && { minAvailable: countIn('min-available', minAvailable) }),
      selector: { matchLabels: labelsIn(selector) },
    },
    status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  };
}

function countIn(flag: string, text: string): number | string {
  if (/^\d+$/.test(text)) return Number(text);
  if (/^\d+%$/.test(text)) return text;
  throw usage(`invalid format specified for ${flag}`);
}

/**
 * Reads the equalities of a selector, `app=web,tier==back`.
 * @throws {PodrunError} (usage) for other operators
 */
export function labelsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => pair.trim().replace('==', '='));
  const other = pairs.find((pair) => !/^[^!=<>()\s]+=[^!=<>()\s]*$/.test(pair));
  if (other === undefined) return Object.fromEntries(parseLabelPairs(pairs).set);
  const [operator = other] = /!=|<|>/.exec(other) ?? [];
  throw usage(`${JSON.stringify(operator)} is not a valid label selector operator`);
}

/** Everything that `create priorityclass` lets one say. */
export interface NewPriority {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
  readonly description: string;
  readonly preemptionPolicy: string;
}

/** A PriorityClass. Source: kubectl/pkg/cmd/create/create_priorityclass.go. */
export function newPriority({ name, value, globalDefault, description, preemptionPolicy }: NewPriority): KubeObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    ...(description && { description }),
    ...(globalDefault && { globalDefault }),
    preemptionPolicy,
    value,
  };
}
