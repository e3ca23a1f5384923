import { Button, Select, Stack, Table, Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconLock, IconTerminal2 } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { serverUrl } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useStored } from '../app/use-stored.js';
import { CodeSample } from '../design/code-sample.js';
import { useCopied } from '../design/copy-text.js';
import { Dialog } from '../design/dialog.js';
import classes from './api-preview.module.css';
import { apiSamples, curlOf, type ApiSample } from './api-samples.js';

function SampleView({ sample, url }: { sample: ApiSample; url: string }) {
  const [language, setLanguage] = useStored<string | null>('roost_sample_language', 'js');
  const [status, setStatus] = useState<string | null>(String(sample.responses[0]?.[0]));
  const [copied, copy] = useCopied();
  const response = sample.responses.find((each) => String(each[0]) === status)?.[1];
  return (
    <Stack gap={16}>
      <div>
        <h3 className={classes.title}>
          {sample.title} {sample.disabled ? <span className={classes.off}>{sample.disabled}</span> : null}
        </h3>
        <p className={classes.about}>{sample.about}</p>
      </div>
      <Tabs value={language} onChange={setLanguage}>
        <Tabs.List mb={8}>
          <Tabs.Tab value="js">JavaScript</Tabs.Tab>
          <Tabs.Tab value="dart">Dart</Tabs.Tab>
        </Tabs.List>
        <CodeSample
          key={language}
          language="javascript"
          label={`${language === 'dart' ? 'Dart' : 'JavaScript'} sample`}
          code={language === 'dart' ? sample.dart : sample.js}
        />
      </Tabs>
      <div className={classes.request}>
        <span className={classes.method} data-method={sample.method}>
          {sample.method}
        </span>
        <span className={`mono ${classes.path}`}>{sample.path}</span>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconTerminal2 size={14} />}
          onClick={() => copy(curlOf(sample, url))}
        >
          {copied ? 'Copied' : 'Copy as curl'}
        </Button>
      </div>
      {sample.parameters.length ? (
        <Table withRowBorders={false} verticalSpacing={3}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th style={{ whiteSpace: 'nowrap' }}>Query parameter</Table.Th>
              <Table.Th>Meaning</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sample.parameters.map(([name, about]) => (
              <Table.Tr key={name}>
                <Table.Td className="mono">{name}</Table.Td>
                <Table.Td>{about}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {sample.bodyParameters?.length ? (
        <Table withRowBorders={false} verticalSpacing={3} aria-label="Body parameters">
          <Table.Thead>
            <Table.Tr>
              <Table.Th style={{ whiteSpace: 'nowrap' }}>Body parameter</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Meaning</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sample.bodyParameters.map(({ name, type, required, about }) => (
              <Table.Tr key={name}>
                <Table.Td className="mono">
                  {name}
                  <span className={required ? classes.required : classes.optional}>
                    {required ? 'required' : 'optional'}
                  </span>
                </Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{type}</Table.Td>
                <Table.Td dir="auto">{about}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {sample.body === undefined ? null : (
        <div>
          <div className="label-caps">Request body</div>
          <CodeSample
            language="json"
            label="Request body"
            code={JSON.stringify(sample.body, null, 2)}
            maxHeight={240}
          />
        </div>
      )}
      <Tabs value={status} onChange={setStatus}>
        <Tabs.List mb={8}>
          {sample.responses.map(([code]) => (
            <Tabs.Tab key={code} value={String(code)}>
              {code}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <CodeSample
          key={status}
          language="json"
          label={`Response ${status}`}
          code={response === null ? '(no content)' : JSON.stringify(response, null, 2)}
          maxHeight={280}
        />
      </Tabs>
    </Stack>
  );
}

/** How to use a collection from outside, with its real names (UI-47). */
export function ApiPreviewDialog({ collection, onClose }: { collection: CollectionModel; onClose: () => void }) {
  const url = serverUrl();
  const samples = useMemo(() => apiSamples(collection, url), [collection, url]);
  const [key, setKey] = useState(samples[0]!.key);
  const narrow = useMediaQuery('(max-width: 700px)') ?? false;
  const sample = samples.find((each) => each.key === key) ?? samples[0]!;
  return (
    <Dialog opened onClose={onClose} title={`API of ${collection.name}`} size={980} flush>
      <div className={classes.frame}>
        {narrow ? (
          <div className={classes.choice}>
            <Select
              aria-label="Operation"
              allowDeselect={false}
              value={key}
              data={samples.map((each) => ({ value: each.key, label: each.title }))}
              onChange={(value) => value && setKey(value)}
            />
          </div>
        ) : null}
        <div className={classes.layout}>
          {narrow ? null : (
            <nav className={classes.nav} aria-label="Operations">
              {samples.map((each) => (
                <button
                  key={each.key}
                  type="button"
                  className={classes.item}
                  aria-current={each.key === key ? 'true' : undefined}
                  data-off={each.disabled ? true : undefined}
                  onClick={() => setKey(each.key)}
                >
                  {each.title}
                  {each.disabled ? <IconLock size={13} role="img" aria-label={each.disabled} /> : null}
                </button>
              ))}
            </nav>
          )}
          <div className={classes.body} tabIndex={0} role="region" aria-label={sample.title}>
            <SampleView key={sample.key} sample={sample} url={url} />
          </div>
        </div>
      </div>
    </Dialog>
  );
}
