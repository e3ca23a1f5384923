import { Anchor, Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { api, serverUrl } from '../api/api.js';
import { usePageTitle } from '../app/use-page-title.js';
import { FilterHelp } from '../code/filter-help.js';
import { CodeSample } from '../design/code-sample.js';
import { downloadJson } from '../design/download.js';
import { toastError } from '../design/toast.js';
import classes from '../settings/settings.module.css';

/** The documentation that comes with the server: how to connect, the filter language, the description of the API. */
export function DocsPage() {
  usePageTitle('Docs');
  const openApi = async () => {
    try {
      downloadJson('openapi.json', await api.send('/api/openapi.json', {}));
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div className={classes.scroll} style={{ height: '100%' }} tabIndex={-1}>
      <div className={`${classes.screen} ${classes.docs}`}>
        <h1 className={classes.title}>Docs</h1>
        <p>
          The{' '}
          <Anchor inherit underline="always" href="./docs/">
            reference
          </Anchor>{' '}
          says what every endpoint, field type, rule and limit does, with examples that run. What follows is the short
          way.
        </p>
        <h2>Connect</h2>
        <p>Any client that speaks the protocol works, the official JavaScript SDK for example:</p>
        <CodeSample
          language="javascript"
          label="JavaScript sample"
          code={`import PocketBase from 'pocketbase';\n\nconst client = new PocketBase('${serverUrl()}');\nconst page = await client.collection('posts').getList(1, 30);`}
        />
        <p>
          Every collection has an <b>API preview</b> with samples in its own names: open it from the head of its{' '}
          <Anchor inherit underline="always" href="#/collections">
            record list
          </Anchor>
          .
        </p>
        <h2>Filters and rules</h2>
        <p>One language for searching, for rules and for realtime filters:</p>
        <FilterHelp />
        <h2>Description of the API</h2>
        <p>An OpenAPI 3.1 document of the whole API as it is now, collections included, for generators of clients.</p>
        <Button variant="default" leftSection={<IconDownload size={15} />} onClick={() => void openApi()}>
          Download openapi.json
        </Button>
      </div>
    </div>
  );
}
