import { Command, Help, type HelpConfiguration, type Option } from 'commander';

const HELP = 'Show the help of a command';

const EXAMPLES = `
See 'podrun COMMAND --help' for the flags of a command, with examples.

Examples:
  podrun init web > web.yaml && podrun validate web.yaml
  podrun apply pod.yaml
  podrun help apply
`;

const NUMBER = /^-?\d+$/;

/** The notes behind the description of a flag: its choices and its default, unless the description names them. */
function notes(option: Option): string {
  const { argChoices, description, presetArg, optional, defaultValue } = option;
  const noted = [
    argChoices === undefined || argChoices.every((choice) => description.includes(choice))
      ? undefined
      : `one of ${argChoices.join(', ')}`,
    typeof presetArg === 'string' && optional ? `${option.long} alone: ${presetArg}` : undefined,
    defaultNote(defaultValue),
  ].filter((note) => note !== undefined);
  return noted.length === 0 ? '' : ` (${noted.join('; ')})`;
}

/** The note about a default. A switch that is off, an empty list and `none` have no note. */
function defaultNote(value: unknown): string | undefined {
  if (typeof value === 'number') return `default: ${value}`;
  if (typeof value !== 'string' || value === 'none') return undefined;
  return `default: ${NUMBER.test(value) ? value : JSON.stringify(value)}`;
}

const PLAIN = Object.assign(new Help(), { showGlobalOptions: true });

/** The program, whose flags every command takes. A command below another one has not its flags. */
function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

/** The layout of the help of every command. */
const LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  // Lists the flags that every command takes. A flag that the command describes itself is not listed twice.
  visibleGlobalOptions: (command) => {
    const { options } = programOf(command);
    const own = new Set(PLAIN.visibleOptions(command).map(({ long }) => long));
    return PLAIN.visibleGlobalOptions(command).filter(
      (option) =>
        options.includes(option) && option.long !== '--version' && option.long !== '--help' && !own.has(option.long),
    );
  },
  // An optional value counts only behind `=`.
  optionTerm: ({ flags }) => flags.replace(/ \[([^[]+\])$/, '[=$1'),
  optionDescription: (option) => option.description + notes(option),
  // Only the name: the help of the command lists its arguments.
  subcommandTerm: (command) => command.name(),
};

/** The columns before a description that has lines of its own. */
const BELOW = 8;

/**
 * The layout of one flag in a terminal: its description beside it, or below it where that leaves too few columns.
 * Commander would not wrap it at all, and the terminal would break it within words.
 */
function inTerminal(term: string, termWidth: number, description: string, helper: Help): string {
  const { helpWidth = 0, minWidthToWrap } = helper;
  const isWide = helpWidth - termWidth - BELOW / 2 >= minWidthToWrap;
  if (isWide || description === '') return PLAIN.formatItem(term, termWidth, description, helper);
  const indent = ' '.repeat(BELOW);
  return `  ${term}\n${indent}${helper.boxWrap(description, helpWidth - BELOW).replaceAll('\n', `\n${indent}`)}`;
}

/**
 * Sets the layout of help for the program. Commands that are added later inherit it.
 * @param columns returns the columns of the terminal: undefined when there is none
 */
export function withHelp(program: Command, columns: () => number | undefined): Command {
  return program
    .usage('COMMAND [flags]')
    .configureHelp({
      ...LAYOUT,
      formatItem: (...item) => (columns() === undefined ? PLAIN.formatItem(...item) : inTerminal(...item)),
    })
    .configureOutput({ getOutHelpWidth: columns as () => number })
    .helpOption('-h, --help', 'print this help')
    .addHelpCommand(new Command('help').argument('[command]').summary(HELP).description(HELP).helpGroup('Learn:'))
    .addHelpText('after', EXAMPLES);
}

/** Rewrites `help rollout status` as `rollout status --help`: commander's help command takes one word only. */
export function asHelpFlag(argv: readonly string[]): readonly string[] {
  return argv[0] === 'help' && argv.length > 2 ? [...argv.slice(1), '--help'] : argv;
}

/** Reports a help topic that is no command as an error: commander would print the help of the program. */
export function checkHelpTopic(argv: readonly string[], program: Command): void {
  const isHelpCommand = argv[0] === 'help';
  const topic = isHelpCommand ? argv[1] : argv[0];
  const wantsHelp = isHelpCommand || argv.includes('--help') || argv.includes('-h');
  if (!wantsHelp || topic === undefined || topic.startsWith('-')) return;
  if (program.commands.some((command) => command.name() === topic)) return;
  program.error(`error: unknown command '${topic}'`);
}
