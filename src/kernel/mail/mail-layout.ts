import { escapeHtml } from './escape-html.js';

/**
 * Wraps the body of a mail into the one page all mails share (AUTH-1305). It needs no images, follows the reader's
 * colour scheme, and shows a link of the class `btn` as a button.
 */
export function layoutMail(subject: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
  body { margin: 0; padding: 0; background: #f4f5f4; color: #1c2421; }
  .page { padding: 32px 16px; }
  .card { max-width: 560px; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 8px;
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
  p { margin: 0 0 16px; }
  p:last-child { margin-bottom: 0; }
  a { color: #1f6f5c; }
  a.btn { display: inline-block; padding: 11px 22px; border-radius: 6px; background: #1f6f5c; color: #ffffff;
    font-weight: 600; text-decoration: none; }
  @media (prefers-color-scheme: dark) {
    body { background: #141917; color: #e6ebe9; }
    .card { background: #1e2522; }
    a { color: #6cc5ad; }
  }
</style>
</head>
<body>
<div class="page">
<div class="card">
${body}
</div>
</div>
</body>
</html>
`;
}
