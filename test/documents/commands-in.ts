/** A command on a page, and the output that the page shows. */
export interface ShownCommand {
  /** The line of the page, counted from 1. */
  readonly line: number;
  /** The command as typed. May have several lines. */
  readonly text: string;
  /** The lines behind the command. Empty when the page shows no output. */
  readonly output: readonly string[];
}

/** The first words of commands in a block without a prompt. */
const PROGRAMS = /^(podrun|npx|npm|cat|grep|export|bash|curl|\.\/\S+)( |$)/;
const PROMPT = '$ ';

interface Block {
  readonly line: number;
  readonly lines: readonly string[];
}

/** All commands in the code blocks of a Markdown page, in order. */
export function commandsIn(markdown: string): ShownCommand[] {
  return blocksIn(markdown.split('\n')).flatMap(commandsOf);
}

/** Fenced blocks without a language or with that of a shell, and indented blocks. */
function blocksIn(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, margin, language] = /^( *)```(\w*)/.exec(lines[index] ?? '') ?? [];
    if (margin !== undefined) {
      const end = lines.indexOf(`${margin}\`\`\``, index + 1);
      if (['', 'sh', 'console'].includes(language ?? '')) {
        blocks.push({ line: index + 2, lines: lines.slice(index + 1, end).map((line) => line.slice(margin.length)) });
      }
      index = end;
    } else if (/^ {4,}\S/.test(lines[index] ?? '') && (lines[index - 1] ?? '') === '') {
      const indent = /^ */.exec(lines[index] ?? '')?.[0] ?? '';
      const rest = lines.slice(index);
      const length = rest.findIndex((line) => line !== '' && !line.startsWith(indent));
      const block = length < 0 ? rest : rest.slice(0, length);
      blocks.push({ line: index + 1, lines: block.map((line) => line.slice(indent.length)) });
      index += block.length - 1;
    }
  }
  return blocks;
}

function commandsOf({ line, lines }: Block): ShownCommand[] {
  const hasPrompts = lines.some((one) => one.startsWith(PROMPT));
  if (!hasPrompts && !PROGRAMS.test(lines[0] ?? '')) return [];
  const commands: Array<{ line: number; text: string; output: string[] }> = [];
  let isContinued = false;
  for (const [index, text] of lines.entries()) {
    const last = commands.at(-1);
    const isCommand = hasPrompts ? text.startsWith(PROMPT) : PROGRAMS.test(text) && (last?.output.length ?? 0) === 0;
    if (isContinued && last !== undefined) last.text += `\n${text}`;
    else if (isCommand) commands.push({ line: line + index, text: hasPrompts ? text.slice(2) : text, output: [] });
    else last?.output.push(text);
    isContinued = (isCommand || isContinued) && text.endsWith('\\');
  }
  return commands.map((command) => ({ ...command, output: trimmed(command.output) }));
}

/** The lines without empty ones at either end. */
function trimmed(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
