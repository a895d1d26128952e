import { invalid, required, type FieldError } from '../../../manifest/base/field-error.ts';
import type { ScalePaths } from './definition.ts';

/** True for a JSON path such as `.spec.items[0].name` or `.status.conditions[?(@.type=="Ready")].status`. */
export function isJsonPath(text: string): boolean {
  return /^\.([\w-]|\\\.)+/.test(text) || text.startsWith('.') || text.startsWith('[');
}

/** The paths of the fields that `/scale` reads and writes: fields only, without lists. */
const FIELD_PATH = /^(\.[\w-]+)+$/;

/** The mistakes of the paths of the subresource scale. */
export function jsonPathErrors(scale: ScalePaths, at: string): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...pathErrors(specReplicasPath, `${at}.specReplicasPath`, ['.spec']),
    ...pathErrors(statusReplicasPath, `${at}.statusReplicasPath`, ['.status']),
    ...(labelSelectorPath === undefined || labelSelectorPath === ''
      ? []
      : pathErrors(labelSelectorPath, `${at}.labelSelectorPath`, ['.spec', '.status'])),
  ];
}

function pathErrors(path: string | undefined, at: string, roots: readonly string[]): FieldError[] {
  if (path === undefined || path === '') return [required(at)];
  if (!FIELD_PATH.test(path)) return [invalid(at, path, 'should be a json path of fields')];
  if (roots.some((root) => path.startsWith(`${root}.`))) return [];
  return [invalid(at, path, `should be a json path under ${roots.join(' or ')}`)];
}
