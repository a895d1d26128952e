/** An error of an edit, in the comments above the text. */
export interface EditReason {
  readonly head: string;
  readonly causes: readonly string[];
}

const HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/** The text for the editor: kubectl's comments, then the object. Source: kubectl/pkg/cmd/util/editor/editoptions.go. */
export function editedText(body: string, reason: EditReason | undefined): string {
  if (reason === undefined) return HEADER + body;
  const { head, causes } = reason;
  const lines = [causes.length === 0 ? head : `${head}:`, ...causes.map((cause) => `* ${cause}`)];
  const comments = lines.map((line) => `# ${line.replaceAll('\n', '\n# ')}\n`);
  return `${HEADER}${comments.join('')}#\n${body}`;
}

/** The text without the comments above it. */
export function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
}

/** The mistakes in an error of the API server: `The Pod "web" is invalid: ` with one, or with a line for each. */
export function causesIn(message: string): string[] {
  const rest = message.replace(/^The \w+ ".*?" is invalid: ?/, '');
  return rest
    .split(/\n?^\* /m)
    .map((cause) => cause.trim())
    .filter(Boolean);
}
