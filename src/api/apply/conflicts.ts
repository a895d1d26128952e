import { pathText } from './list-element.ts';
import type { FieldManager, FieldManagers } from './managers.ts';

/** A field that another manager owns with another value: a cause of the Status. */
export interface FieldConflict {
  readonly reason: 'FieldManagerConflict';
  readonly message: string;
  readonly field: string;
}

/** The answer to an apply that would take fields from other managers. */
export interface ApplyConflicts {
  readonly message: string;
  readonly causes: readonly FieldConflict[];
}

/**
 * The words of the API server about conflicts. Source: managedfields, NewConflictError.
 * @param conflicts the managers, each with the fields in conflict only
 */
export function conflictsWith(conflicts: FieldManagers): ApplyConflicts {
  const byManager = [...conflicts.values()]
    .map((manager) => ({ name: managerText(manager), fields: manager.fields.paths().map(pathText) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const causes = byManager.flatMap(({ name, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict' as const, message: `conflict with ${name}`, field })),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  }
  const lines = byManager.flatMap(({ name, fields }) => [
    `conflicts with ${name}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes };
}

function managerText({ name, operation, apiVersion, subresource }: FieldManager): string {
  const below = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(name)}${below}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
