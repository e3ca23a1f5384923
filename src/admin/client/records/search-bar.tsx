import { ActionIcon, Button } from '@mantine/core';
import { IconHistory, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useShortcut } from '../app/use-shortcut.js';
import { useStored } from '../app/use-stored.js';
import { CodeInput } from '../code/code-input.js';
import type { FilterScope } from '../code/filter-scope.js';
import { useFilterCompletion } from '../code/use-filter-completion.js';
import { MenuOnDemand } from '../design/menu-on-demand.js';
import classes from './records.module.css';

interface SearchBarProps {
  readonly value: string;
  readonly onSearch: (value: string) => void;
  readonly scope: FilterScope;
  /** Under which name past searches are kept in this browser. */
  readonly historyKey: string;
  readonly placeholder: string;
  readonly error?: string;
}

const KEPT = 15;

const loadMenu = async () => (await import('./past-searches-menu.js')).PastSearchesMenu;

/**
 * Search by word or filter expression, with colours, completion and history. An error leaves the text alone (UI-18).
 */
export function SearchBar({ value, onSearch, scope, historyKey, placeholder, error }: SearchBarProps) {
  const [text, setText] = useState(value);
  const frame = useRef<HTMLDivElement>(null);
  const [history, setHistory] = useStored<string[]>(`roost_search_${historyKey}`, []);
  const completion = useFilterCompletion(scope);
  useEffect(() => setText(value), [value]);
  useShortcut('/', () => frame.current?.querySelector<HTMLElement>('.cm-content, input')?.focus());

  const search = (next: string) => {
    const wanted = next.trim();
    setText(wanted);
    if (wanted) setHistory((current) => [wanted, ...current.filter((each) => each !== wanted)].slice(0, KEPT));
    onSearch(wanted);
  };
  return (
    <>
      <div className={classes.searchRow} role="search">
        <div className={classes.search} ref={frame} data-invalid={error ? true : undefined}>
          <IconSearch size={15} aria-hidden style={{ flex: 'none' }} />
          <CodeInput
            bare
            onDemand
            singleLine
            language="filter"
            label="Search or filter"
            placeholder={placeholder}
            value={text}
            onChange={setText}
            onSubmit={search}
            completion={completion}
            invalid={Boolean(error)}
            describedBy={error ? 'search-error' : undefined}
          />
          {text.trim() !== value ? (
            <Button size="compact-xs" onClick={() => search(text)}>
              Search
            </Button>
          ) : null}
          {text ? (
            <ActionIcon size={26} aria-label="Clear the search" onClick={() => search('')}>
              <IconX size={14} />
            </ActionIcon>
          ) : null}
          <MenuOnDemand load={loadMenu} options={{ history, onSearch: search, onClear: () => setHistory([]) }}>
            <ActionIcon data-tip size={26} aria-label="Past searches">
              <IconHistory size={15} />
            </ActionIcon>
          </MenuOnDemand>
        </div>
      </div>
      {error ? (
        <p className={classes.searchError} id="search-error" role="alert">
          {error}
        </p>
      ) : null}
    </>
  );
}
