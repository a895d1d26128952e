import type { Container, ContainerRestartRule } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, required, tooMany } from '../base/field-error.ts';
import { each, oneOfIfSet } from './checks.ts';
import { child } from '../base/path.ts';

const POLICIES: readonly string[] = ['Always', 'Never', 'OnFailure'];
const ACTIONS: readonly string[] = ['Restart', 'RestartAllContainers'];
const OPERATORS: readonly string[] = ['In', 'NotIn'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;

/** Validates the restart policy and rules of one container. Source: validateContainerRestartPolicy (v1.36). */
export function validateRestartRules(path: string, container: Decoded<Container>): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const rulesPath = child(path, 'restartPolicyRules');
  if (restartPolicy === undefined) {
    const needsPolicy = 'must specify restartPolicy when restart rules are used';
    return rules.length > 0 ? [required(child(path, 'restartPolicy'), needsPolicy)] : [];
  }
  return [
    ...oneOfIfSet(child(path, 'restartPolicy'), restartPolicy, POLICIES),
    ...(rules.length > RULES_MAX ? [tooMany(rulesPath, rules.length, RULES_MAX)] : []),
    ...each(rulesPath, rules, validateRule),
  ];
}

function validateRule({ action = '', exitCodes }: Decoded<ContainerRestartRule>, path: string): FieldError[] {
  const errors = oneOfIfSet(child(path, 'action'), action, ACTIONS);
  const codesPath = child(path, 'exitCodes');
  if (exitCodes === undefined) return [...errors, required(codesPath, 'must be specified')];
  const count = (exitCodes.values ?? []).length;
  return [
    ...errors,
    ...oneOfIfSet(child(codesPath, 'operator'), exitCodes.operator ?? '', OPERATORS),
    ...(count > EXIT_CODES_MAX ? [tooMany(child(codesPath, 'values'), count, EXIT_CODES_MAX)] : []),
  ];
}
