/** `pods is forbidden: User "x" cannot create resource "pods/log" in API group "" in the namespace "n"` */
const REFUSAL = /cannot (\w+) resource "([^"]*)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?/;

/** The rule of a Role that is missing, as a sentence. Undefined: the server refused for another reason. */
export function missingRule(message: string): string | undefined {
  const found = REFUSAL.exec(message);
  if (found === null) return undefined;
  const [, verb = '', resource = '', group = '', namespace] = found;
  const place = namespace === undefined ? 'a ClusterRole' : `a Role of namespace ${namespace}`;
  const rule = { apiGroups: [group], resources: [resource], verbs: [verb] };
  return `Whoever administers the cluster adds this rule to ${place} of yours: ${JSON.stringify(rule)}`;
}
