import type { EnvVar } from '../../api/index.ts';
import { type ReferenceFacts, resolveAll, type Resolved, resolveValue } from './environment-references.ts';
import { type ServiceFact, serviceVariables } from './environment-services.ts';
import { expand, EXPANDED_MAX, type ExpansionRoom, type VariableLookup } from './expansion.ts';
import { NO_SERVICE_LINKS } from '../texts/config-errors.ts';

/** The inputs of the environment of a container. */
export interface EnvironmentInput extends ReferenceFacts {
  /** The existing Services. Undefined: podrun knows none, and sets no variables for them. */
  readonly services: readonly ServiceFact[] | undefined;
}

/** A failure is the message of a CreateContainerConfigError. */
export type EnvironmentOutcome =
  | { readonly ok: true; readonly env: Map<string, string> }
  | { readonly ok: false; readonly message: string };

/**
 * Computes the variables that a kubelet gives a container: `envFrom`, then `env`, then Services. A variable of `env`
 * may refer to variables before it. The variables of the image and HOSTNAME, which the runtime adds, are not included.
 * Source: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables.
 * @throws {PodrunError} (Invalid) when references expand to more than a program can be started with
 */
export function makeEnvironment(input: EnvironmentInput): EnvironmentOutcome {
  const { pod, container } = input;
  const { enableServiceLinks: wantsLinks } = pod.spec;
  if (wantsLinks === undefined) return { ok: false, message: NO_SERVICE_LINKS };
  const ofServices = serviceVariables(input.services ?? [], pod.metadata.namespace, wantsLinks);
  const env = new Map<string, string>();
  for (const source of container.envFrom ?? []) {
    const all = resolveAll(source, input);
    if (all.type === 'failed') return { ok: false, message: all.message };
    if (all.type === 'skipped') continue;
    for (const [key, value] of all.value) env.set(`${source.prefix ?? ''}${key}`, value);
  }
  const lookup: VariableLookup = (name) => env.get(name) ?? ofServices.get(name);
  const room: ExpansionRoom = { left: EXPANDED_MAX };
  for (const variable of container.env ?? []) {
    const resolved = resolveVariable(variable, input, (value) => expand(value, lookup, room));
    if (resolved.type === 'failed') return { ok: false, message: resolved.message };
    if (resolved.type === 'value') env.set(variable.name, resolved.value);
  }
  for (const [name, value] of ofServices) if (!env.has(name)) env.set(name, value);
  return { ok: true, env };
}

function resolveVariable(
  { value = '', valueFrom }: EnvVar,
  input: EnvironmentInput,
  expanded: (value: string) => string,
): Resolved<string> {
  if (value !== '' || valueFrom === undefined) return { type: 'value', value: expanded(value) };
  return resolveValue(valueFrom, input);
}

/**
 * Expands `command` and `args` with the container's own variables. No shell is involved. Source:
 * pkg/kubelet/container/helpers.go ExpandContainerCommandAndArgs.
 * @throws {PodrunError} (Invalid) as `makeEnvironment`
 */
export function commandLine(words: readonly string[], env: ReadonlyMap<string, string>): string[] {
  const room: ExpansionRoom = { left: EXPANDED_MAX };
  return words.map((word) => expand(word, (name) => env.get(name), room));
}
