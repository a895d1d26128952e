import {
  pathSegmentMessages,
  type RbacClusterRole,
  type RbacClusterRoleBinding,
  type RbacPolicyRule,
  type RbacRole,
  type RbacRoleBinding,
  type RbacSubject,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, invalid, notSupported, required } from '../base/field-error.ts';
import { each } from './checks.ts';
import { validateLabelSelector } from './labels.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Source: pkg/apis/rbac/validation/validation.go, ValidateRole. */
export function validateRole({ rules }: Decoded<RbacRole>): FieldError[] {
  return each('rules', rules, (rule, at) => validateRule(rule, at, true));
}

/** Source: pkg/apis/rbac/validation/validation.go, ValidateClusterRole. */
export function validateClusterRole({ rules, aggregationRule }: Decoded<RbacClusterRole>): FieldError[] {
  const selectors = aggregationRule?.clusterRoleSelectors;
  const path = 'aggregationRule.clusterRoleSelectors';
  return [
    ...each('rules', rules, (rule, at) => validateRule(rule, at, false)),
    ...(aggregationRule !== undefined && (selectors ?? []).length === 0
      ? [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
      : []),
    ...each(path, selectors, (selector, at) => validateLabelSelector(at, selector)),
  ];
}

function validateRule(rule: Decoded<RbacPolicyRule>, at: string, isNamespaced: boolean): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const noVerbs = verbs.length > 0 ? [] : [required(child(at, 'verbs'), 'verbs must contain at least one value')];
  if (nonResourceURLs.length > 0) {
    const path = child(at, 'nonResourceURLs');
    const both = 'rules cannot apply to both regular resources and non-resource URLs';
    const isBoth = apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0;
    return [
      ...noVerbs,
      ...(isNamespaced ? [invalid(path, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')] : []),
      ...(isBoth ? [invalid(path, nonResourceURLs, both)] : []),
    ];
  }
  return [
    ...noVerbs,
    ...(apiGroups.length > 0
      ? []
      : [required(child(at, 'apiGroups'), 'resource rules must supply at least one api group')]),
    ...(resources.length > 0
      ? []
      : [required(child(at, 'resources'), 'resource rules must supply at least one resource')]),
  ];
}

/** Source: pkg/apis/rbac/validation/validation.go, ValidateRoleBinding and ValidateClusterRoleBinding. */
export function validateRoleBinding(binding: Decoded<RbacRoleBinding> | Decoded<RbacClusterRoleBinding>): FieldError[] {
  const { kind, roleRef = {}, subjects } = binding;
  const kinds = kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const { apiGroup = '', kind: role = '', name = '' } = roleRef;
  return [
    ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
    ...(kinds.includes(role) ? [] : [notSupported('roleRef.kind', role, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : pathMistakes('roleRef.name', name)),
    ...each('subjects', subjects, (subject, at) => validateSubject(subject, at, kind === 'RoleBinding')),
  ];
}

function pathMistakes(path: string, name: string): FieldError[] {
  return pathSegmentMessages(name).map((message) => invalid(path, name, message));
}

function validateSubject(
  { kind = '', apiGroup = '', name = '', namespace = '' }: Decoded<RbacSubject>,
  at: string,
  isNamespaced: boolean,
): FieldError[] {
  const noName = name === '' ? [required(child(at, 'name'))] : [];
  const path = child(at, 'apiGroup');
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...noName,
        ...(apiGroup === '' ? [] : [notSupported(path, apiGroup, [''])]),
        ...(namespace === '' && !isNamespaced ? [required(child(at, 'namespace'))] : []),
      ];
    case 'User':
    case 'Group':
      return [...noName, ...(apiGroup === GROUP ? [] : [notSupported(path, apiGroup, [GROUP])])];
    default:
      return [...noName, notSupported(child(at, 'kind'), kind, ['ServiceAccount', 'User', 'Group'])];
  }
}
