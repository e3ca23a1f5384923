import { CONFIG_OPTIONS, type ConfigOption } from './config-options.js';

/** The text of `docs/configuration.md`: every option by what it is called in each place. */
export function configurationDocument(): string {
  const rows = CONFIG_OPTIONS.map(
    (option) => `| ${[flag(option), `\`${option.variable}\``, standard(option), help(option)].join(' | ')} |`,
  );
  return `# Configuration

<!-- Made from src/config/config-options.ts; a test keeps it so. -->

A process is told how to run by a flag, an environment variable, or a line of a file \`.env\` in the working directory.
A flag wins over a variable, a variable over the file, the file over the default. Flags are written \`--name=value\` or
\`--name value\`, before or after the command; flags that are either true or false may stand alone (\`--dev\`). A value that
cannot be understood ends the process with exit code 2 and a line that names it.

What superusers change while the server runs (mail, S3, rate limits, log retention, backups and more) is not here: those
are the settings of the admin UI, kept in the database and in force at once.

| Flag | Variable | Default | Meaning |
| --- | --- | --- | --- |
${rows.join('\n')}

Flags without a command of their own are understood by every command; the ones marked *serve* only by \`serve\`.
`;
}

function flag({ flag: name, serveOnly }: ConfigOption): string {
  if (name === null) return '';
  return serveOnly ? `\`--${name}\` *serve*` : `\`--${name}\``;
}

function standard({ default: text }: ConfigOption): string {
  return text === '' ? '' : `\`${text}\``;
}

function help({ help: text }: ConfigOption): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
