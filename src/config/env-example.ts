import { CONFIG_OPTIONS } from './config-options.js';

/** The text of `.env.example`: every variable with its default and one line of explanation. */
export function envExample(): string {
  const intro = [
    '# Every setting of the process, with its default. Copy this file to .env and uncomment what you change.',
    '# A flag wins over an environment variable, a variable over this file.',
  ];
  const entries = CONFIG_OPTIONS.flatMap((option) => [
    '',
    `# ${option.help}${option.flag === null ? '' : ` (--${option.flag})`}`,
    `# ${option.variable}=${isLiteral(option.default) ? option.default : ''}`,
  ]);
  return [...intro, ...entries, ''].join('\n');
}

/** Defaults that are computed from others are explained in words, not written as a value. */
function isLiteral(standard: string): boolean {
  return !/[<\s]/.test(standard);
}
