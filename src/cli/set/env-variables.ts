import type { EnvVar } from '../../api/index.ts';

/** Changes of the variables of a container. */
export interface VariableEdits {
  readonly set: readonly EnvVar[];
  readonly remove: readonly string[];
}

/** The changed variables: present ones keep their places, new ones follow. Source: set_env.go updateEnv. */
export function editVariables(present: readonly EnvVar[], { set, remove }: VariableEdits): EnvVar[] {
  const covered = new Set(remove);
  const changed: EnvVar[] = [];
  for (const variable of present) {
    if (covered.has(variable.name)) continue;
    const newer = set.find(({ name }) => name === variable.name);
    if (newer !== undefined) covered.add(variable.name);
    changed.push(newer ?? variable);
  }
  for (const variable of set) {
    if (covered.has(variable.name)) continue;
    covered.add(variable.name);
    changed.push(variable);
  }
  return changed;
}

/** The line of `set env --list` for a variable. Source: set_env.go, env/env_resolve.go GetEnvVarRefString. */
export function variableLine({ name, value = '', valueFrom }: EnvVar): string {
  return valueFrom === undefined ? `${name}=${value}` : `# ${name} from ${originText(valueFrom)}`;
}

function originText(from: NonNullable<EnvVar['valueFrom']>): string {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from;
  if (configMapKeyRef !== undefined) return `configmap ${configMapKeyRef.name ?? ''}, key ${configMapKeyRef.key}`;
  if (secretKeyRef !== undefined) return `secret ${secretKeyRef.name ?? ''}, key ${secretKeyRef.key}`;
  if (fieldRef !== undefined) return `field path ${fieldRef.fieldPath}`;
  if (resourceFieldRef === undefined) return 'invalid valueFrom';
  const { containerName, resource } = resourceFieldRef;
  return `resource field ${containerName ? `${containerName}/` : ''}${resource}`;
}
