import type { KubeObject, ResourceType } from '../../api/index.ts';
import type { FieldError } from '../../manifest/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import { isDefinition } from '../custom/definition/definition.ts';
import type { CustomVersion } from '../resources/served-resource.ts';

/** The rules of a kind that need more than its fields: a program that evaluates expressions and patterns. */
export interface LoadedRules {
  /** The rules of a CustomResourceDefinition, or of the kind of one. Undefined: a kind with a field table. */
  readonly custom?: CustomVersion;
  /** The mistakes of the expressions in a changed object. */
  readonly wrongExpressions?: (before: KubeObject, after: KubeObject) => readonly FieldError[];
}

const NO_RULES: LoadedRules = {};

const WITH_EXPRESSIONS: ReadonlySet<string> = new Set(['admissionregistration.k8s.io', 'resource.k8s.io']);

/** True for a kind whose objects are decoded by a schema. */
function hasSchema(type: ResourceType): boolean {
  return type.custom !== undefined || isDefinition(type);
}

/**
 * Loads the rules of kinds that `changeObject` needs, for a program without a server.
 * @returns a function of the types
 * @throws {PodrunError} for a kind whose definition is gone
 */
export async function loadKindRules(
  store: ObjectReader,
  types: readonly ResourceType[],
): Promise<(type: ResourceType) => LoadedRules> {
  const rules = new Map<ResourceType, LoadedRules>();
  for (const type of new Set(types)) {
    const [group = ''] = type.apiVersion.split('/');
    if (hasSchema(type)) {
      const { schemaRulesOf } = await import('../custom/schema-rules.ts');
      rules.set(type, { custom: await schemaRulesOf(store, type) });
    } else if (WITH_EXPRESSIONS.has(group)) {
      const { wrongExpressions } = await import('../admission/check-expressions.ts');
      const about = { group, kind: type.kind };
      rules.set(type, { wrongExpressions: (before, after) => wrongExpressions(about, { before, after }) });
    }
  }
  return (type) => rules.get(type) ?? NO_RULES;
}
