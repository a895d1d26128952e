import { Command, Help, type HelpConfiguration, type Option } from 'commander';

const HELP = 'Tell how to use a command';

const EXAMPLES = `
See 'podrun COMMAND --help' for the flags of a command, with examples.

Examples:
  podrun init web > web.yaml && podrun validate web.yaml
  podrun apply pod.yaml
  podrun help apply
`;

const NUMBER = /^-?\d+$/;

/** What a flag can do that its description does not tell: choices and the default, where there is one worth telling. */
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

/** A switch that is off and a list without entries go without saying, and so does `none` of something. */
function defaultNote(value: unknown): string | undefined {
  if (typeof value === 'number') return `default: ${value}`;
  if (typeof value !== 'string' || value === 'none') return undefined;
  return `default: ${NUMBER.test(value) ? value : JSON.stringify(value)}`;
}

const PLAIN = Object.assign(new Help(), { showGlobalOptions: true });

/** How all commands lay out their help. */
const LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  // Of what the program itself takes, only what every command takes, unless the command says itself what it means.
  visibleGlobalOptions: (command) =>
    PLAIN.visibleGlobalOptions(command).filter(
      ({ long }) =>
        long !== '--version' && long !== '--help' && !PLAIN.visibleOptions(command).some((own) => own.long === long),
    ),
  optionDescription: (option) => option.description + notes(option),
  // What they take is told by their own help.
  subcommandTerm: (command) => command.name(),
};

/** Gives the program its help. The commands that it gets afterwards have the same. */
export function withHelp(program: Command): Command {
  return program
    .usage('COMMAND [flags]')
    .configureHelp(LAYOUT)
    .helpOption('-h, --help', 'print this text')
    .addHelpCommand(new Command('help').argument('[command]').summary(HELP).description(HELP).helpGroup('Learn:'))
    .addHelpText('after', EXAMPLES);
}

/** Help about a command that does not exist is an error, and not the help of the program. */
export function checkHelpTopic(argv: readonly string[], program: Command): void {
  const isHelpCommand = argv[0] === 'help';
  const topic = isHelpCommand ? argv[1] : argv[0];
  const wantsHelp = isHelpCommand || argv.includes('--help') || argv.includes('-h');
  if (!wantsHelp || topic === undefined || topic.startsWith('-')) return;
  if (program.commands.some((command) => command.name() === topic)) return;
  program.error(`error: unknown command '${topic}'`);
}
