import { CONFIG_OPTIONS } from '../config/config-options.js';

/** The flags of the process as a help section; those of `serve` only where they mean something. */
export function flagsHelp(serve: boolean): string {
  const rows = CONFIG_OPTIONS.filter((option) => option.flag !== null && (serve || !option.serveOnly)).map((option) => {
    const flag = option.kind === 'boolean' ? `--${option.flag}` : `--${option.flag}=<${placeholder(option.kind)}>`;
    const standard = option.default === '' ? '' : ` (default: ${option.default})`;
    return `  ${flag.padEnd(26)} ${option.help}${standard}`;
  });
  const title = serve ? 'Flags:' : 'Global flags:';
  return `\n${title}\n${rows.join('\n')}\n\nThe file .env.example names the environment variable of each flag.\n`;
}

function placeholder(kind: string): string {
  if (kind === 'address') return 'host:port';
  if (kind === 'environment name') return 'NAME';
  return kind;
}
