interface State {
  readonly manifest: Readonly<Record<string, string>>;
  readonly changelog: string;
  readonly changes: string;
  readonly tag: string | undefined;
}
interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

export const UNFILLED: string;
export function notesOf(changelog: string, version: string): string | undefined;
export function refusals(state: State): string[];
export function billOf(
  licences: string,
  versions: { readonly version: string; readonly nodeVersion: string },
): { readonly components: readonly Component[] };
