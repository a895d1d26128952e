import type { AdmissionregistrationValidatingAdmissionPolicy, KubeObject, StoredKubeObject } from '../../api/index.ts';
import { expressionWarnings, kindsOfPolicy, type ValidatingPolicy } from '../admission/index.ts';
import { foreignKinds, withSchemas } from '../aggregation/foreign-kinds.ts';
import type { ServerContext } from '../base/context.ts';

/** True for a ValidatingAdmissionPolicy that has changed since its types were checked. */
export function isUnchecked(policy: StoredKubeObject): boolean {
  const { metadata, status } = policy as AdmissionregistrationValidatingAdmissionPolicy;
  return (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0);
}

/**
 * The status of a ValidatingAdmissionPolicy as its controller applies it: the mistakes in its types. Other API servers
 * are asked for the types of theirs.
 * Source: pkg/controller/validatingadmissionpolicystatus/controller.go.
 */
export async function checkedPolicy(object: StoredKubeObject, context: ServerContext): Promise<KubeObject> {
  const { resources, aggregated } = context;
  const policy = object as StoredKubeObject & ValidatingPolicy;
  const { apiVersion, kind, metadata } = policy;
  const foreign = await withSchemas(kindsOfPolicy(policy, foreignKinds(aggregated.all)), context);
  const own = resources.all.filter(({ group, version }) => aggregated.find(group, version) === undefined);
  const warnings = expressionWarnings(policy, [...own, ...foreign]);
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  const status = { observedGeneration: metadata.generation ?? 1, typeChecking };
  return { apiVersion, kind, metadata: { name: metadata.name }, status };
}
