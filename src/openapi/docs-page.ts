/** The page of `/api/docs`. Its addresses are relative, so that they hold behind a proxy under a sub-path. */
export const docsPage = (nonce: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>API</title>
    <link rel="icon" href="docs/favicon-32x32.png" />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <main id="api"></main>
    <script nonce="${nonce}" src="docs/swagger-ui-bundle.js"></script>
    <script nonce="${nonce}" src="docs/docs.js"></script>
  </body>
</html>
`;

/** Shows the document with the session of the admin UI: only superusers may read it. */
export const DOCS_SCRIPT = `
const session = () => {
  try {
    return JSON.parse(localStorage.getItem('roost_admin_auth') ?? '{}').token ?? '';
  } catch {
    return '';
  }
};
const place = document.getElementById('api');
if (session() === '') {
  const link = document.createElement('a');
  link.href = '../_/';
  link.textContent = 'Sign in to the admin UI';
  place.append(link, ', then reload this page.');
} else {
  SwaggerUIBundle({
    url: 'openapi.json',
    domNode: place,
    validatorUrl: null,
    requestInterceptor: (request) => {
      request.headers.Authorization ??= session();
      return request;
    },
  });
}
`;
